// Everything but softmax of tensors.
//
// RUN: spyrec opt %s --decompose-softmax > %t && spyrec opt %s | cmp - %t

func.func @others(%x: tensor<4x64xf32>, %m: memref<4x64xf32>) -> tensor<4x64xf32> {
  %e = tensor.empty() : tensor<4x64xf32>
  %s = linalg.exp ins(%x : tensor<4x64xf32>) outs(%e : tensor<4x64xf32>) -> tensor<4x64xf32>
  linalg.exp ins(%m : memref<4x64xf32>) outs(%m : memref<4x64xf32>)
  return %s : tensor<4x64xf32>
}
