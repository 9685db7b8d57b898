// A mark stays where it keeps a product, or two constant factors, from a sum that would not round them alike.
// (That results stay what they are is tested with keep-rounding.)
//
// RUN: spyrec opt %s --drop-rounding | filecheck %s

#id = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>

// CHECK-LABEL: func.func @goes
// CHECK: ^bb0(%[[A:.*]]: f32, %[[O:.*]]: f32):
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[A]], %[[A]] : f32
// CHECK-NEXT: %[[Q:.*]] = arith.mulf %[[P]], %[[A]] : f32
// CHECK-NEXT: arith.addf %[[O]], %[[Q]] : f32
func.func @goes(%x: tensor<4x64xf32>, %s: tensor<4xf32>) -> tensor<4xf32> {
  %a = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x64xf32>) outs(%s : tensor<4xf32>) {
  ^bb0(%in: f32, %o: f32):
    %p = arith.mulf %in, %in : f32
    %r = dataflow.rounded %p : f32
    %t = dataflow.rounded %in : f32
    %q = arith.mulf %r, %t : f32
    %0 = arith.addf %o, %q : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  return %a : tensor<4xf32>
}

// CHECK-LABEL: func.func @stays
// CHECK: %[[P:.*]] = arith.mulf
// CHECK-NEXT: %[[R:.*]] = dataflow.rounded %[[P]] : f32
// CHECK-NEXT: arith.addf %{{.*}}, %[[R]] : f32
// CHECK: %[[R:.*]] = dataflow.rounded %{{.*}} : f32
// CHECK-NEXT: arith.mulf %[[R]], %{{.*}} : f32
func.func @stays(%x: tensor<4x64xf32>, %s: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %tenth = arith.constant 0.1 : f32
  %third = arith.constant 0.3 : f32
  %a = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x64xf32>) outs(%s : tensor<4xf32>) {
  ^bb0(%in: f32, %o: f32):
    %p = arith.mulf %in, %in : f32
    %r = dataflow.rounded %p : f32
    %0 = arith.addf %o, %r : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %b = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x64xf32>) outs(%s : tensor<4xf32>) {
  ^bb0(%in: f32, %o: f32):
    %r = dataflow.rounded %tenth : f32
    %p = arith.mulf %r, %third : f32
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}
