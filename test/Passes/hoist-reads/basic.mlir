// A read that depends on neither loop leaves both, with the arithmetic of its address; one that depends on the outer one
// leaves the inner one. Other arguments may be written there.
//
// RUN: spyrec opt %s --hoist-reads | filecheck %s
// RUN: spyrec opt %s --hoist-reads --hoist-reads | filecheck %s

// CHECK-LABEL: func.func @both
// CHECK: %[[AT:.*]] = affine.apply
// CHECK-NEXT: %[[G:.*]] = dataflow.read @device[%[[AT]] from %g]
// CHECK-NEXT: scf.for %[[I:.*]] =
// CHECK-NEXT: %[[H:.*]] = dataflow.read @device[%[[I]] from %g]
// CHECK-NEXT: scf.for %[[J:.*]] =
// CHECK-NEXT: %[[X:.*]] = dataflow.read @device[%[[J]] from %x]
// CHECK-NEXT: dataflow.write %[[G]]
// CHECK-NEXT: dataflow.write %[[H]]
// CHECK-NEXT: dataflow.write %[[X]]
func.func @both(%g: index, %x: index, %y: index) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %t = dataflow.tile_id
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c4 step %c1 {
      %at = affine.apply affine_map<(t) -> (t * 64)>(%t)
      %a = dataflow.read @device[%at from %g] strides [1] : tensor<64xf16>
      %b = dataflow.read @device[%i from %g] strides [1] : tensor<64xf16>
      %c = dataflow.read @device[%j from %x] strides [1] : tensor<64xf16>
      dataflow.write %a, @device[%at from %y] strides [1] : tensor<64xf16>
      dataflow.write %b, @device[%at from %y] strides [1] : tensor<64xf16>
      dataflow.write %c, @device[%at from %y] strides [1] : tensor<64xf16>
    }
  }
  return
}
