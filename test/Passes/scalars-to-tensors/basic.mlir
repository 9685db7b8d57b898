// RUN: spyrec opt %s --scalars-to-tensors | filecheck %s

// A tensor of one number is one op per use, made where it is used.
// CHECK-LABEL: func.func @splat(%s: f16, %{{.*}}: tensor<4x64xf16>)
// CHECK: %[[A:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4x64xf16>) {
// CHECK-NEXT: ^bb0(%{{.*}}: f16):
// CHECK-NEXT: linalg.yield %s : f16
// CHECK: %[[B:.*]] = arith.addf %{{.*}}, %[[A]]
// CHECK: %[[C:.*]] = linalg.generic
// CHECK: arith.mulf %[[B]], %[[C]]
// CHECK-NOT: tensor.splat
func.func @splat(%s: f16, %x: tensor<4x64xf16>) -> tensor<4x64xf16> {
  %t = tensor.splat %s : tensor<4x64xf16>
  %a = arith.addf %x, %t : tensor<4x64xf16>
  %b = arith.mulf %a, %t : tensor<4x64xf16>
  return %b : tensor<4x64xf16>
}

// Constants and fills of rank 0 to 2, and of integers.
// CHECK-LABEL: func.func @others
// CHECK-DAG: %[[F:.*]] = arith.constant 1.500000e+00 : f32
// CHECK-DAG: %[[I:.*]] = arith.constant 7 : i32
// CHECK: linalg.generic {{.*}} iterator_types = []} outs(%{{.*}} : tensor<f32>)
// CHECK: linalg.yield %[[F]] : f32
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} outs(%{{.*}} : tensor<8xi32>)
// CHECK: linalg.yield %[[I]] : i32
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x2xf16>)
// CHECK-NOT: linalg.fill
func.func @others(%s: f16) -> (tensor<f32>, tensor<8xi32>, tensor<2x2xf16>) {
  %a = arith.constant dense<1.5> : tensor<f32>
  %b = arith.constant dense<7> : tensor<8xi32>
  %e = tensor.empty() : tensor<2x2xf16>
  %c = linalg.fill ins(%s : f16) outs(%e : tensor<2x2xf16>) -> tensor<2x2xf16>
  return %a, %b, %c : tensor<f32>, tensor<8xi32>, tensor<2x2xf16>
}
