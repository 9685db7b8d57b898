// Each mark goes, wherever it stands.
//
// RUN: spyrec opt %s --allow-unregistered-dialect --release-tensors | filecheck %s

// CHECK-LABEL: func.func @marks(%x: tensor<4xf32>
// CHECK-NOT: dataflow.kept
// CHECK: scf.for
// CHECK-NOT: dataflow.kept
// CHECK: return %x, %x
func.func @marks(%x: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = dataflow.kept %x : tensor<4xf32>
  %b = dataflow.kept %a : tensor<4xf32>
  scf.for %i = %c0 to %n step %c1 {
    %c = dataflow.kept %b : tensor<4xf32>
    "test.use"(%c) : (tensor<4xf32>) -> ()
  }
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}
