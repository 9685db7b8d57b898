// RUN: spyrec opt %s --fold-constants | filecheck %s
// RUN: spyrec opt %s --fold-constants --canonicalize --cse | filecheck %s --check-prefix=LAST

#id = affine_map<(c) -> (c)>

// The last bit of this hyperbolic tangent is not that of the C library.
// CHECK-LABEL: func.func @tensors
// CHECK: arith.constant dense<0.0156237287> : tensor<4xf32>
// CHECK-NOT: math.tanh
// LAST: arith.constant dense<0.0156237287> : tensor<4xf32>
func.func @tensors() -> tensor<4xf32> {
  %c = arith.constant dense<0.015625> : tensor<4xf32>
  %t = math.tanh %c : tensor<4xf32>
  return %t : tensor<4xf32>
}

// In bodies, through splats, fills and named ops; a scalar float that was computed; a select that a constant decides.
// CHECK-LABEL: func.func @everywhere(%x: tensor<4xf16>, %b: tensor<4xf16>)
// CHECK-DAG: %[[E:.*]] = arith.constant dense<2.718750e+00> : tensor<4xf16>
// CHECK: %[[R:.*]] = linalg.generic
// CHECK-NOT: arith.select
// CHECK: return %[[R]], %[[E]]
// LAST: %[[THREE:.*]] = arith.constant 3.000000e+00 : f16
// LAST: linalg.generic {{.*}} ins(%x
// LAST-NEXT: ^bb0(%[[P:.*]]: f16, %{{.*}}: f16, %{{.*}}: f16):
// LAST-NEXT: %[[Y:.*]] = arith.addf %[[P]], %[[THREE]] : f16
// LAST-NEXT: linalg.yield %[[Y]]
func.func @everywhere(%x: tensor<4xf16>, %b: tensor<4xf16>) -> (tensor<4xf16>, tensor<4xf16>) {
  %half = arith.constant 0.5 : f16
  %one = arith.addf %half, %half : f16
  %true = arith.constant true
  %e = tensor.empty() : tensor<4xf16>
  %s = tensor.splat %one : tensor<4xf16>
  %f = linalg.fill ins(%one : f16) outs(%e : tensor<4xf16>) -> tensor<4xf16>
  %sum = linalg.add ins(%s, %f : tensor<4xf16>, tensor<4xf16>) outs(%e : tensor<4xf16>) -> tensor<4xf16>
  %exp = linalg.exp ins(%f : tensor<4xf16>) outs(%e : tensor<4xf16>) -> tensor<4xf16>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %sum : tensor<4xf16>, tensor<4xf16>) outs(%e : tensor<4xf16>) {
  ^bb0(%p: f16, %q: f16, %o: f16):
    %three = arith.addf %q, %one : f16
    %same = arith.select %true, %three, %p : f16
    %y = arith.addf %p, %same : f16
    linalg.yield %y : f16
  } -> tensor<4xf16>
  return %r, %exp : tensor<4xf16>, tensor<4xf16>
}

// Shifts by what may be the width or more, in lanes and of scalars.
//
// CHECK-LABEL: func.func @shifts
// CHECK: %[[MOST:.*]] = arith.constant dense<31> : tensor<4xi32>
// CHECK: %[[BY:.*]] = arith.minui %{{.*}}, %[[MOST]]
// CHECK: arith.shrsi %{{.*}}, %[[BY]] : tensor<4xi32>
// CHECK: arith.minui
// CHECK: arith.shrsi
func.func @shifts(%x: tensor<4xi32>, %n: i8) -> (tensor<4xi32>, i8) {
  %a = arith.shrsi %x, %x : tensor<4xi32>
  %b = arith.shrsi %n, %n : i8
  return %a, %b : tensor<4xi32>, i8
}
