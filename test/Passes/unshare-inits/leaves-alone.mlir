// One accumulator of one fill, an init that is computed, and an output that nobody reads.
//
// RUN: spyrec opt %s --unshare-inits > %t && spyrec opt %s > %t.same && diff %t %t.same

#id = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>
#own = affine_map<(r) -> (r)>
func.func @as_it_is(%x: tensor<4x4xf32>, %s: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %z = linalg.generic {indexing_maps = [#own], iterator_types = ["parallel"]} outs(%e : tensor<4xf32>) {
  ^bb0(%o: f32):
    linalg.yield %zero : f32
  } -> tensor<4xf32>
  %a = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x4xf32>) outs(%z : tensor<4xf32>) {
  ^bb0(%in: f32, %o: f32):
    %0 = arith.addf %o, %in : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %b = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x4xf32>) outs(%s : tensor<4xf32>) {
  ^bb0(%in: f32, %o: f32):
    %0 = arith.addf %o, %in : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %c = linalg.generic {indexing_maps = [#own, #own], iterator_types = ["parallel"]} ins(%s : tensor<4xf32>) outs(%s : tensor<4xf32>) {
  ^bb0(%in: f32, %o: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  return %a, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
