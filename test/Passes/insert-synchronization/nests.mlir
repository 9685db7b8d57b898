// Where the two ends are in different loops, the channel stands around those; where a loop further out carries the hazard, it
// stands in that loop's body.
//
// RUN: spyrec opt %s --insert-synchronization | filecheck %s

// The second loop overwrites what the first reads: it waits until the first is through.
// CHECK-LABEL: func.func @drain
// CHECK-NEXT: dataflow.channel @a_to_b from @store to @load {init = 0 : i64}
// CHECK-NOT: dataflow.channel
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NEXT: dataflow.data_transfer from %a
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: dataflow.post @a_to_b {unit = @store}
// CHECK: dataflow.wait @a_to_b {unit = @load}
// CHECK-NEXT: scf.for
func.func @drain(%x: index, %y: index, %n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = dataflow.alloc {address = 0, depth = 2, name = "a", slot_bytes = 128} : memref<64xf16, "lx">
    scf.for %j = %c0 to %n step %c1 {
      dataflow.data_transfer from %a to @device[%c0 from %x] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
    }
  }
  scf.for %i = %c0 to %n step %c1 {
    %b = dataflow.alloc {address = 128, name = "b", slot_bytes = 128} : memref<64xf16, "lx">
    dataflow.data_transfer from @device[%c0 from %y] strides [1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
  }
  return
}

// Rows differ within the inner loop, and meet again in the next iteration of the outer one.
// CHECK-LABEL: func.func @passes
// CHECK: dataflow.channel @x_stored from @store to @load {init = 1 : i64}
// CHECK: scf.for
// CHECK: dataflow.wait @x_stored {unit = @load}
// CHECK-NEXT: scf.for
// CHECK-NOT: @x_stored
// CHECK: dataflow.post @a_free
// CHECK-NEXT: }
// CHECK-NEXT: dataflow.post @x_stored {unit = @store}
func.func @passes(%x: index, %n: index, %m: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %m step %c1 {
      %o = affine.apply affine_map<(j) -> (j * 64)>(%j)
      %a = dataflow.alloc {address = 0, depth = 2, name = "a", slot_bytes = 128} : memref<64xf16, "lx">
      dataflow.data_transfer from @device[%o from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
      dataflow.data_transfer from %a to @device[%o from %x] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
    }
  }
  return
}

// The arms of a branch exclude one another in one iteration, not in two.
// CHECK-LABEL: func.func @arms
// CHECK: dataflow.channel @a_free from @store to @load {init = 1 : i64}
// CHECK: dataflow.channel @a_full from @load to @store {init = 1 : i64}
// CHECK: dataflow.wait @a_free {unit = @load}
// CHECK-NEXT: dataflow.wait @a_full {unit = @store}
// CHECK-NEXT: scf.if
// CHECK: dataflow.data_transfer from %a to
// CHECK-NEXT: }
// CHECK-NEXT: dataflow.post @a_free {unit = @store}
// CHECK-NEXT: dataflow.post @a_full {unit = @load}
func.func @arms(%x: index, %y: index, %n: index, %m: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = dataflow.alloc {address = 0, name = "a", slot_bytes = 128} : memref<64xf16, "lx">
  scf.for %i = %c0 to %n step %c1 {
    %some = arith.cmpi slt, %i, %m : index
    scf.if %some {
      dataflow.data_transfer from @device[%c0 from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
    } else {
      dataflow.data_transfer from %a to @device[%c0 from %y] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
    }
  }
  return
}
