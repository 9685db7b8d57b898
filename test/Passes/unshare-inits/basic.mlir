// A fill that begins a loop and a contraction inside of it becomes two; what is only read stays one.
//
// RUN: spyrec opt %s --unshare-inits | filecheck %s

#id = affine_map<(r, c) -> (r, c)>
#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func.func @kloop
// CHECK: %[[READ:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4x4xf32>)
// CHECK: %[[FIRST:.*]] = linalg.generic
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[FIRST]])
// CHECK-NEXT: tensor.empty
// CHECK-NEXT: %[[OWN:.*]] = linalg.generic
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[READ]] : {{.*}}) outs(%[[OWN]] : tensor<4x4xf32>)
func.func @kloop(%x: tensor<4x4xf32>, %n: index) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4x4xf32>
  %z = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x4xf32>) {
  ^bb0(%o: f32):
    linalg.yield %zero : f32
  } -> tensor<4x4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %z) -> (tensor<4x4xf32>) {
    %p = linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %z : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.addf %o, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<4x4xf32>
    %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<4x4xf32>) outs(%sum : tensor<4x4xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.addf %o, %a : f32
      linalg.yield %0 : f32
    } -> tensor<4x4xf32>
    scf.yield %s : tensor<4x4xf32>
  }
  return %r : tensor<4x4xf32>
}

// The arms of a branch and an insertion get their own, too: they would have to copy it.
// CHECK-LABEL: func.func @overwritten
// CHECK-NOT: linalg.generic
// CHECK: scf.if
// CHECK: %[[A:.*]] = linalg.generic
// CHECK: scf.yield %[[A]]
// CHECK: } else {
// CHECK: %[[B:.*]] = linalg.generic
// CHECK: tensor.insert_slice %x into %[[B]]
func.func @overwritten(%x: tensor<1x4xf32>, %c: i1) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %z = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x4xf32>) {
  ^bb0(%o: f32):
    linalg.yield %zero : f32
  } -> tensor<4x4xf32>
  %r = scf.if %c -> tensor<4x4xf32> {
    scf.yield %z : tensor<4x4xf32>
  } else {
    %i = tensor.insert_slice %x into %z[0, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<4x4xf32>
    scf.yield %i : tensor<4x4xf32>
  }
  return %r : tensor<4x4xf32>
}

// Ops that begin with one empty tensor have nothing to do with each other.
// CHECK-LABEL: func.func @empties
// CHECK-DAG: %[[E:.*]] = tensor.empty() : tensor<4x4xf32>
// CHECK-DAG: %[[F:.*]] = tensor.empty() : tensor<4x4xf32>
// CHECK: linalg.generic {{.*}} outs(%[[F]] : tensor<4x4xf32>)
// CHECK: linalg.generic {{.*}} outs(%[[E]] : tensor<4x4xf32>)
func.func @empties(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %e = tensor.empty() : tensor<4x4xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  } -> tensor<4x4xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  } -> tensor<4x4xf32>
  return %a, %b : tensor<4x4xf32>, tensor<4x4xf32>
}
