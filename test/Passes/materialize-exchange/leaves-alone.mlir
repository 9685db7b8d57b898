// A kernel whose tiles exchange nothing, on whatever memory.
//
// RUN: spyrec opt %s --materialize-exchange > %t && spyrec opt %s | cmp - %t

func.func private @elsewhere(index)

func.func @alone(%x: index, %z: index, %t: tensor<64xf16>) -> tensor<64xf16> attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %a = dataflow.read @lx[%c0] strides [1] : tensor<64xf16>
  dataflow.write %a, @device[%c0 from %z] strides [1] : tensor<64xf16>
  return %t : tensor<64xf16>
}
