// Marks that keep a product, in either place, from a sum that would take it without rounding it, or a negation from a sum
// that upstream would make a difference with it, which is no fold; bodies without marks.
//
// RUN: spyrec opt %s --drop-rounding > %t && spyrec opt %s | cmp - %t

#id = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>

func.func @products(%x: tensor<4x64xf32>, %s: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x64xf32>) outs(%s : tensor<4xf32>) {
  ^bb0(%in: f32, %o: f32):
    %p = arith.mulf %in, %in : f32
    %r = dataflow.rounded %p : f32
    %0 = arith.addf %o, %r : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %b = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x64xf32>) outs(%s : tensor<4xf32>) {
  ^bb0(%in: f32, %o: f32):
    %p = arith.mulf %in, %in : f32
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

func.func @negation(%x: tensor<4x64xf32>, %s: tensor<4xf32>) -> tensor<4xf32> {
  %a = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x64xf32>) outs(%s : tensor<4xf32>) {
  ^bb0(%in: f32, %o: f32):
    %n = arith.negf %in : f32
    %r = dataflow.rounded %n : f32
    %0 = arith.addf %o, %r : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  return %a : tensor<4xf32>
}
