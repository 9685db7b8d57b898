// A scalar among the inputs is used in the body instead; locations and names of what stays do not change.
//
// RUN: spyrec opt %s --capture-scalars | filecheck %s
// RUN: spyrec opt %s --capture-scalars --mlir-print-debuginfo | filecheck %s --check-prefix=PLACE

#id = affine_map<(r, c) -> (r, c)>
#none = affine_map<(r, c) -> ()>

// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @scale(%x: tensor<4x64xf16>, %s: f16, %e: tensor<4x64xf16>)
// CHECK: %[[R:.*]] = linalg.generic {indexing_maps = [#[[ID]], #[[ID]]], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x64xf16>) outs(%e : tensor<4x64xf16>) {
// CHECK-NEXT: ^bb0(%[[A:.*]]: f16, %{{.*}}: f16):
// CHECK-NEXT: arith.mulf %[[A]], %s : f16
// CHECK: return %[[R]]
// PLACE: arith.mulf {{.*}} loc(#[[MUL:.*]])
// PLACE: } -> tensor<4x64xf16> loc(#[[OP:.*]])
// PLACE-DAG: #[[MUL]] = loc("k.py":3:1)
// PLACE-DAG: #[[OP]] = loc("k.py":2:1)
func.func @scale(%x: tensor<4x64xf16>, %s: f16, %e: tensor<4x64xf16>) -> tensor<4x64xf16> {
  %r = linalg.generic {indexing_maps = [#none, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %x : f16, tensor<4x64xf16>) outs(%e : tensor<4x64xf16>) {
  ^bb0(%a: f16, %b: f16, %o: f16):
    %m = arith.mulf %b, %a : f16 loc("k.py":3:1)
    linalg.yield %m : f16
  } -> tensor<4x64xf16> loc("k.py":2:1)
  return %r : tensor<4x64xf16>
}
