// Known combiners, in whatever order of operands, and ops without reduction.
//
// RUN: spyrec opt %s --reductions-to-loops > %t && spyrec opt %s > %t.same && diff %t %t.same

#id = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>
func.func @as_it_is(%x: tensor<4x64xf32>, %s: tensor<4xf32>) -> (tensor<4xf32>, tensor<4x64xf32>) {
  %a = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x64xf32>) outs(%s : tensor<4xf32>) {
  ^bb0(%in: f32, %o: f32):
    %0 = arith.maximumf %in, %o : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x64xf32>) outs(%x : tensor<4x64xf32>) {
  ^bb0(%in: f32, %o: f32):
    %0 = arith.subf %in, %o : f32
    linalg.yield %0 : f32
  } -> tensor<4x64xf32>
  return %a, %b : tensor<4xf32>, tensor<4x64xf32>
}
