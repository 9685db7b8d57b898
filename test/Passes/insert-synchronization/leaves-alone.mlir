// One unit is in order with itself, reads do not conflict, and a function with channels has been here before.
//
// RUN: spyrec opt %s --insert-synchronization | filecheck %s

// CHECK-LABEL: func.func @one_unit
// CHECK-NOT: dataflow.channel
// CHECK: return
func.func @one_unit(%x: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %a = dataflow.alloc {address = 0, slot_bytes = 128} : memref<64xf16, "lx">
  dataflow.data_transfer from @device[%c0 from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
  dataflow.data_transfer from @device[%c0 from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
  return
}

// CHECK-LABEL: func.func @readers
// CHECK-NOT: dataflow.channel
// CHECK: return
func.func @readers(%x: index, %y: index, %n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = dataflow.alloc {address = 0, slot_bytes = 128} : memref<64xf16, "lx">
  %b = dataflow.alloc {address = 128, slot_bytes = 128} : memref<64xf16, "lx">
  scf.for %i = %c0 to %n step %c1 {
    dataflow.data_transfer from %a to @device[%c0 from %x] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
    dataflow.data_transfer from @device[%c0 from %y] strides [1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
  }
  return
}

// CHECK-LABEL: func.func @synchronised
// CHECK-NEXT: dataflow.channel @mine
// CHECK-NOT: dataflow.channel
func.func @synchronised(%x: index, %y: index) attributes {grid = [1]} {
  dataflow.channel @mine from @load to @store {init = 0}
  %c0 = arith.constant 0 : index
  %a = dataflow.alloc {address = 0, slot_bytes = 128} : memref<64xf16, "lx">
  dataflow.data_transfer from @device[%c0 from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
  dataflow.post @mine {unit = @load}
  dataflow.wait @mine {unit = @store}
  dataflow.data_transfer from %a to @device[%c0 from %y] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
  return
}
