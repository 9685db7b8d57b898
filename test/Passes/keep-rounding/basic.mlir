// The term of a sum is marked as rounded; of a product that is the term, the factors.
//
// RUN: spyrec opt %s --keep-rounding | filecheck %s

#id = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>

// CHECK-LABEL: func.func @sums
// CHECK: ^bb0(%[[A:.*]]: f32, %[[O:.*]]: f32):
// CHECK-NEXT: %[[R:.*]] = dataflow.rounded %[[A]] : f32
// CHECK-NEXT: arith.addf %[[O]], %[[R]]
// CHECK: linalg.reduce
// CHECK: %[[R:.*]] = dataflow.rounded
// CHECK-NEXT: arith.addf %{{.*}}, %[[R]]
// CHECK: ^bb0(%[[A:.*]]: f32, %[[O:.*]]: f32):
// CHECK-NEXT: %[[E:.*]] = math.exp %[[A]] : f32
// CHECK-DAG: %[[F:.*]] = dataflow.rounded %[[A]] : f32
// CHECK-DAG: %[[G:.*]] = dataflow.rounded %[[E]] : f32
// CHECK: %[[P:.*]] = arith.mulf %[[F]], %[[G]] : f32
// CHECK-NEXT: arith.addf %[[P]], %[[O]] : f32
func.func @sums(%x: tensor<4x64xf32>, %s: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %a = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x64xf32>) outs(%s : tensor<4xf32>) {
  ^bb0(%in: f32, %o: f32):
    %0 = arith.addf %o, %in : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %b = linalg.reduce { arith.addf } ins(%x : tensor<4x64xf32>) outs(%s : tensor<4xf32>) dimensions = [1]
  %c = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x64xf32>) outs(%s : tensor<4xf32>) {
  ^bb0(%in: f32, %o: f32):
    %0 = math.exp %in : f32
    %1 = arith.mulf %in, %0 : f32
    %2 = arith.addf %1, %o : f32
    linalg.yield %2 : f32
  } -> tensor<4xf32>
  return %a, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// A product that is made once, outside of the sum, is a number like others.
//
// CHECK-LABEL: func.func @outside
// CHECK-NEXT: %[[P:.*]] = arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK: %[[R:.*]] = dataflow.rounded %[[P]] : f32
// CHECK-NEXT: arith.addf %{{.*}}, %[[R]] : f32
func.func @outside(%x: tensor<64xf32>, %s: tensor<f32>, %a: f32, %b: f32) -> tensor<f32> {
  %p = arith.mulf %a, %b : f32
  %r = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<64xf32>) outs(%s : tensor<f32>) {
  ^bb0(%in: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}
