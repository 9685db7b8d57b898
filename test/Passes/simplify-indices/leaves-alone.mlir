// Arithmetic that may wrap around, divides by what varies, or is unsigned on what may be negative.
//
// RUN: spyrec opt %s --simplify-indices | filecheck %s

// CHECK-LABEL: func.func @stays(
// CHECK-SAME: %[[N:.*]]: i32, %[[M:.*]]: index
func.func @stays(%n: i32, %m: index) attributes {grid = [32]} {
  %t = dataflow.tile_id
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : index
  // CHECK: %[[WRAPS:.*]] = arith.addi %[[N]], %{{.*}} : i32
  %wraps = arith.addi %n, %c1 : i32
  // CHECK: %[[W:.*]] = arith.index_cast %[[WRAPS]] : i32 to index
  %w = arith.index_cast %wraps : i32 to index
  // CHECK: %[[VARIES:.*]] = arith.divsi %{{.*}}, %[[M]] : index
  %varies = arith.divsi %t, %m : index
  // CHECK: %[[UNSIGNED:.*]] = arith.divui %[[M]], %{{.*}} : index
  %unsigned = arith.divui %m, %c3 : index
  // CHECK: %[[IF:.*]] = arith.cmpi ult, %[[M]], %{{.*}} : index
  %if = arith.cmpi ult, %m, %c3 : index
  // CHECK: scf.if %[[IF]]
  scf.if %if {
  }
  // CHECK: scf.for %{{.*}} = %[[W]] to %[[VARIES]] step %[[UNSIGNED]]
  scf.for %i = %w to %varies step %unsigned {
  }
  return
}
