// A constant that two loops start from, and a sum in one of them, is made for each anew; the first one is gone.
//
// RUN: spyrec opt %s --clone-constants | filecheck %s
// RUN: spyrec opt %s --clone-constants --clone-constants | filecheck %s

#id = affine_map<(r) -> (r)>
#row = affine_map<(r, c) -> (r, c)>
#sum = affine_map<(r, c) -> (r)>

// CHECK-LABEL: func.func @starts
// CHECK: tensor.empty
// CHECK-NEXT: %[[A:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4xf32>)
// CHECK: scf.for {{.*}} iter_args(%[[P:.*]] = %[[A]])
// CHECK: %[[B:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4xf32>)
// CHECK: linalg.generic {{.*}} ins(%x : tensor<4x64xf32>) outs(%[[B]] : tensor<4xf32>)
// CHECK-NOT: linalg.generic {{.*}} outs(%{{.*}} : tensor<4xf32>)
func.func @starts(%x: tensor<4x64xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %z = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e : tensor<4xf32>) {
  ^bb0(%o: f32):
    linalg.yield %f0 : f32
  } -> tensor<4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %z) -> (tensor<4xf32>) {
    %s = linalg.generic {indexing_maps = [#row, #sum], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x64xf32>) outs(%z : tensor<4xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.addf %o, %a : f32
      linalg.yield %0 : f32
    } -> tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
