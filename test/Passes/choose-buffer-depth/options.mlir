// RUN: spyrec opt %s --choose-buffer-depth | filecheck %s
// RUN: spyrec opt %s --choose-buffer-depth=depth=4 | filecheck %s --check-prefix=FOUR
// RUN: not 2 spyrec opt %s --choose-buffer-depth=depth=-1 2>&1 | filecheck %s --check-prefix=LESS

// LESS: depth must be at least 0, but is -1

// CHECK-LABEL: func.func @places
// FOUR-LABEL: func.func @places
func.func @places(%n: index, %m: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: alloc {depth = 1 : i64, name = "straight"}
  // FOUR: alloc {depth = 1 : i64, name = "straight"}
  %a = dataflow.alloc {name = "straight"} : memref<64xf16, "lx">
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: alloc {depth = 2 : i64, name = "in_loop"}
    // FOUR: alloc {depth = 4 : i64, name = "in_loop"}
    %b = dataflow.alloc {name = "in_loop"} : memref<64xf16, "lx">
    // CHECK: alloc {depth = 3 : i64, name = "given"}
    // FOUR: alloc {depth = 3 : i64, name = "given"}
    %d = dataflow.alloc {depth = 3 : i64, name = "given"} : memref<64xf16, "lx">
    %some = arith.cmpi slt, %i, %m : index
    scf.if %some {
      // CHECK: alloc {depth = 1 : i64, name = "in_if"}
      // FOUR: alloc {depth = 1 : i64, name = "in_if"}
      %e = dataflow.alloc {name = "in_if"} : memref<64xf16, "lx">
    }
    scf.for %j = %c0 to %m step %c1 {
      // CHECK: alloc {depth = 2 : i64, name = "nested"}
      // FOUR: alloc {depth = 4 : i64, name = "nested"}
      %f = dataflow.alloc {name = "nested"} : memref<64xf16, "lx">
    }
    scf.for %j = %c0 to %i step %c1 {
      // CHECK: alloc {depth = 1 : i64, name = "triangle"}
      // FOUR: alloc {depth = 1 : i64, name = "triangle"}
      %g = dataflow.alloc {name = "triangle"} : memref<64xf16, "lx">
    }
  }
  return
}
