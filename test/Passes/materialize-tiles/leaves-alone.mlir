// Transfers that are there already, tensors that no memory holds, and a function without a body.
//
// RUN: spyrec opt %s --materialize-tiles > %t && spyrec opt %s | cmp - %t

func.func private @elsewhere(index)

func.func @done(%x: index, %t: tensor<64xf16>) -> tensor<64xf16> attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %a = dataflow.alloc {name = "x"} : memref<64xf16, "lx">
  dataflow.data_transfer from @device[%c0 from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
  return %t : tensor<64xf16>
}
