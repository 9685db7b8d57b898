// Buffers lie one after the other, each slot on a stick; a buffer of 65 elements takes two.
//
// RUN: spyrec opt %s --assign-addresses | filecheck %s
// RUN: spyrec opt %s --assign-addresses --assign-addresses | filecheck %s

// CHECK-LABEL: func.func @rows
func.func @rows(%n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: alloc {address = 0 : i64, name = "once", slot_bytes = 128 : i64}
  %o = dataflow.alloc {name = "once"} : memref<4xf32, "lx">
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: alloc {address = 128 : i64, depth = 2 : i64, name = "x", slot_bytes = 256 : i64}
    %x = dataflow.alloc {depth = 2, name = "x"} : memref<1x65xf16, "lx">
    // CHECK: alloc {address = 640 : i64, depth = 3 : i64, name = "y", slot_bytes = 128 : i64}
    %y = dataflow.alloc {depth = 3, name = "y"} : memref<1x64xf16, "lx">
    // CHECK: alloc {address = 1024 : i64, name = "none", slot_bytes = 128 : i64}
    %z = dataflow.alloc {name = "none"} : memref<0x64xf16, "lx">
    // CHECK: alloc {address = 1152 : i64, name = "bits", slot_bytes = 128 : i64}
    %b = dataflow.alloc {name = "bits"} : memref<128xi1, "lx">
  }
  return
}

// A depth that no program could use becomes 1.
// CHECK-LABEL: func.func @depths
func.func @depths(%n: index, %m: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: depth = 1 : i64, name = "outside"
  %a = dataflow.alloc {depth = 2, name = "outside"} : memref<64xf16, "lx">
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: depth = 2 : i64, name = "outer"
    %b = dataflow.alloc {depth = 2, name = "outer"} : memref<64xf16, "lx">
    scf.for %j = %c0 to %m step %c1 {
      // CHECK: depth = 2 : i64, name = "inner"
      %c = dataflow.alloc {depth = 2, name = "inner"} : memref<64xf16, "lx">
    }
    scf.for %j = %c0 to %i step %c1 {
      // CHECK: depth = 1 : i64, name = "triangle"
      %d = dataflow.alloc {depth = 2, name = "triangle"} : memref<64xf16, "lx">
    }
    %some = arith.cmpi slt, %i, %m : index
    scf.if %some {
      // CHECK: depth = 2 : i64, name = "branch"
      %e = dataflow.alloc {depth = 2, name = "branch"} : memref<64xf16, "lx">
      scf.for %j = %c0 to %m step %c1 {
        // CHECK: depth = 1 : i64, name = "skipped"
        %f = dataflow.alloc {depth = 2, name = "skipped"} : memref<64xf16, "lx">
      }
    }
  }
  return
}
