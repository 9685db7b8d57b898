// Inits with contents, parallel ops into an empty tensor, and bodies that no combiner ends.
//
// RUN: spyrec opt %s --normalize-reductions > %t && spyrec opt %s > %t.same && diff %t %t.same

#id = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>
func.func @as_it_is(%x: tensor<4x64xf32>, %s: tensor<4xf32>) -> (tensor<4xf32>, tensor<4x64xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4x64xf32>
  %f = tensor.empty() : tensor<4xf32>
  %a = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x64xf32>) outs(%s : tensor<4xf32>) {
  ^bb0(%in: f32, %o: f32):
    %0 = arith.addf %o, %in : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x64xf32>) outs(%e : tensor<4x64xf32>) {
  ^bb0(%in: f32, %o: f32):
    %0 = arith.addf %in, %in : f32
    linalg.yield %0 : f32
  } -> tensor<4x64xf32>
  %c = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x64xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%in: f32, %o: f32):
    linalg.yield %in : f32
  } -> tensor<4xf32>
  return %a, %b, %c : tensor<4xf32>, tensor<4x64xf32>, tensor<4xf32>
}
