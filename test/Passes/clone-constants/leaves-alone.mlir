// A constant that is only read, one next to its only use, and what is made from a tensor.
//
// RUN: spyrec opt %s --clone-constants > %t && spyrec opt %s > %t.same && diff %t %t.same

#id = affine_map<(r) -> (r)>
func.func @as_it_is(%x: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %read = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e : tensor<4xf32>) {
  ^bb0(%o: f32):
    linalg.yield %f0 : f32
  } -> tensor<4xf32>
  %made = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%read : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  %near = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e : tensor<4xf32>) {
  ^bb0(%o: f32):
    linalg.yield %f0 : f32
  } -> tensor<4xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %made, %q = %near) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.yield %made, %q : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}
