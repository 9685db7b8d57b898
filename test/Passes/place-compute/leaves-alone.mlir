// A unit that an op names already, compute on tensors, and what is no compute.
//
// RUN: spyrec opt %s --place-compute > %t && spyrec opt %s | cmp - %t

#id = affine_map<(c) -> (c)>

func.func private @elsewhere(index)

func.func @placed(%x: index, %t: tensor<64xf16>) -> tensor<64xf16> {
  %c0 = arith.constant 0 : index
  %b = dataflow.alloc : memref<64xf16, "lx">
  dataflow.data_transfer from @device[%c0 from %x] strides [1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%b : memref<64xf16, "lx">) attrs = {dataflow.unit = @pt} {
  ^bb0(%o: f16):
    linalg.yield %o : f16
  }
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%t : tensor<64xf16>) {
  ^bb0(%o: f16):
    linalg.yield %o : f16
  } -> tensor<64xf16>
  return %r : tensor<64xf16>
}
