// What fusion does not touch anyway: a result that two ops use, what a product adds to, and a sum of rows.
//
// RUN: spyrec opt %s --keep-tensors > %t && spyrec opt %s | cmp - %t

#id = affine_map<(a, b) -> (a, b)>
#row = affine_map<(a, b) -> (a)>
#one = affine_map<(a) -> (a)>

func.func @two_users(%m: tensor<16xf32>, %x: tensor<16x64xf32>) -> (tensor<16x64xf32>, tensor<16x64xf32>) {
  %e = tensor.empty() : tensor<16xf32>
  %f = tensor.empty() : tensor<16x64xf32>
  %0 = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%m : tensor<16xf32>) outs(%e : tensor<16xf32>) {
  ^bb0(%p: f32, %o: f32):
    %v = math.exp %p : f32
    linalg.yield %v : f32
  } -> tensor<16xf32>
  %1 = linalg.generic {indexing_maps = [#row, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %x : tensor<16xf32>, tensor<16x64xf32>) outs(%f : tensor<16x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %v = arith.addf %p, %q : f32
    linalg.yield %v : f32
  } -> tensor<16x64xf32>
  %2 = linalg.generic {indexing_maps = [#row, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %x : tensor<16xf32>, tensor<16x64xf32>) outs(%f : tensor<16x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %v = arith.mulf %p, %q : f32
    linalg.yield %v : f32
  } -> tensor<16x64xf32>
  return %1, %2 : tensor<16x64xf32>, tensor<16x64xf32>
}

func.func @folds(%x: tensor<16x64xf32>, %s: tensor<16xf32>) -> tensor<16x64xf32> {
  %f = tensor.empty() : tensor<16x64xf32>
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<16x64xf32>) outs(%s : tensor<16xf32>) {
  ^bb0(%p: f32, %o: f32):
    %v = arith.addf %o, %p : f32
    linalg.yield %v : f32
  } -> tensor<16xf32>
  %1 = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<16xf32>) outs(%f : tensor<16x64xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<16x64xf32>
  return %1 : tensor<16x64xf32>
}
