// Channels that are no hazard's own are not understood, and a block that relies on them keeps all of its channels.
//
// RUN: spyrec opt %s --prune-synchronization | filecheck %s

// The store waits for the load by way of the vector unit, which has nothing to do with it.
// CHECK-LABEL: func.func @detour
// CHECK-NEXT: dataflow.channel @there from @load to @sfu
// CHECK-NEXT: dataflow.channel @back from @sfu to @store
// CHECK: dataflow.post @there
// CHECK-NEXT: dataflow.wait @there
// CHECK-NEXT: dataflow.post @back
// CHECK-NEXT: dataflow.wait @back
func.func @detour(%x: index, %y: index) attributes {grid = [1]} {
  dataflow.channel @there from @load to @sfu {init = 0}
  dataflow.channel @back from @sfu to @store {init = 0}
  %c0 = arith.constant 0 : index
  %a = dataflow.alloc {address = 0, slot_bytes = 128} : memref<64xf16, "lx">
  dataflow.data_transfer from @device[%c0 from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
  dataflow.post @there {unit = @load}
  dataflow.wait @there {unit = @sfu}
  dataflow.post @back {unit = @sfu}
  dataflow.wait @back {unit = @store}
  dataflow.data_transfer from %a to @device[%c0 from %y] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
  return
}

// CHECK-LABEL: func.func @declared_only
// CHECK-NEXT: dataflow.channel @nobody
func.func @declared_only() attributes {grid = [1]} {
  dataflow.channel @nobody from @load to @sfu {init = 0}
  return
}
