// A loop that runs as often as one before it knows what that one leaves behind, though neither may run at all.
//
// RUN: spyrec opt %s --insert-synchronization --prune-synchronization | filecheck %s

#id = affine_map<(c) -> (c)>

// CHECK-LABEL: func.func @as_often
// CHECK-NOT: dataflow.channel @b_full
// CHECK: dataflow.channel @c_full
// CHECK-NOT: dataflow.channel @b_full
// CHECK: scf.for
func.func @as_often(%x: index, %n: index, %m: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = dataflow.alloc {address = 0, name = "b", slot_bytes = 128} : memref<64xf16, "lx">
  dataflow.data_transfer from @device[%c0 from %x] strides [1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
  %d = dataflow.alloc {address = 512, name = "d", slot_bytes = 128} : memref<64xf16, "lx">
  scf.for %i = %c0 to %n step %c1 {
    %c = dataflow.alloc {address = 128, depth = 2, name = "c", slot_bytes = 128} : memref<64xf16, "lx">
    dataflow.data_transfer from @device[%i from %x] strides [1] to %c {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%c : memref<64xf16, "lx">) outs(%d : memref<64xf16, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%p: f16, %o: f16):
      linalg.yield %p : f16
    }
  }
  scf.for %i = %c0 to %n step %c1 {
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%b : memref<64xf16, "lx">) outs(%d : memref<64xf16, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%p: f16, %o: f16):
      linalg.yield %p : f16
    }
  }
  return
}

// CHECK-LABEL: func.func @more_often
// CHECK: dataflow.channel @b_full from @load to @sfu
func.func @more_often(%x: index, %n: index, %m: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = dataflow.alloc {address = 0, name = "b", slot_bytes = 128} : memref<64xf16, "lx">
  dataflow.data_transfer from @device[%c0 from %x] strides [1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
  %d = dataflow.alloc {address = 512, name = "d", slot_bytes = 128} : memref<64xf16, "lx">
  scf.for %i = %c0 to %n step %c1 {
    %c = dataflow.alloc {address = 128, depth = 2, name = "c", slot_bytes = 128} : memref<64xf16, "lx">
    dataflow.data_transfer from @device[%i from %x] strides [1] to %c {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%c : memref<64xf16, "lx">) outs(%d : memref<64xf16, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%p: f16, %o: f16):
      linalg.yield %p : f16
    }
  }
  scf.for %i = %c0 to %m step %c1 {
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%b : memref<64xf16, "lx">) outs(%d : memref<64xf16, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%p: f16, %o: f16):
      linalg.yield %p : f16
    }
  }
  return
}
