// What has no mark.
//
// RUN: spyrec opt %s --release-tensors > %t && spyrec opt %s | cmp - %t

#id = affine_map<(a) -> (a)>

func.func private @elsewhere(index)

func.func @none(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%x : tensor<4xf32>) {
  ^bb0(%o: f32):
    %a = dataflow.rounded %o : f32
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
