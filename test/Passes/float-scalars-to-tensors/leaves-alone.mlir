// Integers, constants and arguments, and floats in lanes.
//
// RUN: spyrec opt %s --float-scalars-to-tensors > %t && spyrec opt %s > %t.same && diff %t %t.same

#id = affine_map<(i) -> (i)>
func.func @as_it_is(%x: tensor<8xf32>, %y: tensor<8xi32>, %s: f32, %n: index) -> (tensor<8xf32>, i32, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f32
  %k = tensor.extract %y[%c0] : tensor<8xi32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.mulf %p, %s : f32
    %1 = arith.addf %0, %two : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  %b = scf.for %i = %c0 to %n step %c1 iter_args(%c = %k) -> (i32) {
    %d = arith.addi %c, %k : i32
    scf.yield %d : i32
  }
  %e = tensor.splat %s : tensor<8xf32>
  return %a, %b, %e : tensor<8xf32>, i32, tensor<8xf32>
}
