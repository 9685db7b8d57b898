// The old value comes first, an empty init is filled, and what is said about it depends on whether products are summed.
//
// RUN: spyrec opt %s --normalize-reductions --verify-diagnostics > %t
// RUN: filecheck %s --input-file %t

#id = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>
#one = affine_map<(i) -> (i)>
#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func.func @turned
// CHECK-DAG: %[[LOW:.*]] = arith.constant dense<0xFF800000> : tensor<4xf32>
// CHECK: linalg.generic {{.*}} outs(%[[LOW]] : tensor<4xf32>)
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[O:.*]]: f32):
// CHECK-NEXT: arith.maximumf %[[O]], %[[A]] : f32
// CHECK-NOT: tensor.empty
func.func @turned(%x: tensor<4x64xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // expected-remark@+1 {{maximumf starts from its identity, because the output has no contents}}
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x64xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.maximumf %a, %o : f32
    linalg.yield %n : f32
  } -> tensor<4xf32>
  return %m : tensor<4xf32>
}

// CHECK-LABEL: func.func @contraction
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<4x8xf32>
// CHECK: linalg.generic {{.*}} outs(%[[ZERO]] : tensor<4x8xf32>)
func.func @contraction(%x: tensor<4x64xf32>, %y: tensor<64x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  // expected-warning@+2 {{addf starts from its identity}}
  // expected-note@+1 {{fill the output with the value to start from}}
  %m = linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %y : tensor<4x64xf32>, tensor<64x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %m : tensor<4x8xf32>
}

// What a sum is computed with takes its old elements as an input; where it is handed on alone, they stay.
// CHECK-LABEL: func.func @goes_on
// CHECK: %[[E:.*]] = tensor.empty() : tensor<4xf32>
// CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%[[E]] : tensor<4xf32>)
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[O:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: arith.subf %[[O]], %[[A]] : f32
// CHECK: math.exp %[[S]]
// CHECK: scf.for
// CHECK: linalg.generic {{.*}} ins(%x : tensor<4xf32>) outs(%t : tensor<4xf32>)
func.func @goes_on(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %s = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.subf %o, %a : f32
    linalg.yield %n : f32
  } -> tensor<4xf32>
  %e = math.exp %s : tensor<4xf32>
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%t = %y) -> (tensor<4xf32>) {
    %u = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%t : tensor<4xf32>) {
    ^bb0(%a: f32, %o: f32):
      %n = arith.subf %o, %a : f32
      linalg.yield %n : f32
    } -> tensor<4xf32>
    scf.yield %u : tensor<4xf32>
  }
  return %e, %r : tensor<4xf32>, tensor<4xf32>
}
