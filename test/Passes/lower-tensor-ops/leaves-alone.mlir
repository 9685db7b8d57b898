// Slices and reshapes, what is read as a scalar, and tensors of one number.
//
// RUN: spyrec opt %s --lower-tensor-ops > %t && spyrec opt %s > %t.same && diff %t %t.same

func.func @as_it_is(%x: tensor<4x8xf32>, %i: index) -> (tensor<32xf32>, tensor<4x4xf32>, f32, tensor<2xf32>, tensor<2xf32>) {
  %a = tensor.collapse_shape %x [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  %b = tensor.extract_slice %x[0, %i] [4, 4] [1, 2] : tensor<4x8xf32> to tensor<4x4xf32>
  %c = tensor.extract %x[%i, %i] : tensor<4x8xf32>
  %d = tensor.splat %c : tensor<2xf32>
  %e = arith.constant dense<1.0> : tensor<2xf32>
  return %a, %b, %c, %d, %e : tensor<32xf32>, tensor<4x4xf32>, f32, tensor<2xf32>, tensor<2xf32>
}
