// Other combiners, integers, ops without reduction, and products of named ops.
//
// RUN: spyrec opt %s --keep-rounding > %t && spyrec opt %s > %t.same && diff %t %t.same

#id = affine_map<(r, c) -> (r, c)>
func.func @as_it_is(%x: tensor<4x4xf32>, %y: tensor<4x4xi32>, %s: tensor<4xf32>, %t: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %a = linalg.reduce { arith.maximumf } ins(%x : tensor<4x4xf32>) outs(%s : tensor<4xf32>) dimensions = [1]
  %b = linalg.reduce { arith.addi } ins(%y : tensor<4x4xi32>) outs(%t : tensor<4xi32>) dimensions = [1]
  %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x4xf32>) outs(%x : tensor<4x4xf32>) {
  ^bb0(%in: f32, %o: f32):
    %0 = arith.addf %o, %in : f32
    linalg.yield %0 : f32
  } -> tensor<4x4xf32>
  %d = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %a, %b, %c, %d : tensor<4xf32>, tensor<4xi32>, tensor<4x4xf32>, tensor<4x4xf32>
}
