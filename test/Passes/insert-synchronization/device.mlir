// Device memory: arguments are disjoint unless one is marked, boxes of one argument are compared byte by byte.
//
// RUN: spyrec opt %s --insert-synchronization | filecheck %s

// Row i is stored, then row i + 3 is loaded: the store is three iterations behind.
// CHECK-LABEL: func.func @ahead
// CHECK-NEXT: dataflow.channel @x_loaded from @load to @store {init = 3 : i64}
// CHECK-NOT: dataflow.channel
func.func @ahead(%x: index, %n: index) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = dataflow.alloc {address = 0, slot_bytes = 128} : memref<64xf16, "lx">
  %b = dataflow.alloc {address = 128, slot_bytes = 128} : memref<64xf16, "lx">
  scf.for %i = %c0 to %n step %c1 {
    %here = affine.apply affine_map<(i) -> (i * 64)>(%i)
    %there = affine.apply affine_map<(i) -> (i * 64 + 192)>(%i)
    dataflow.data_transfer from %a to @device[%here from %x] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
    dataflow.data_transfer from @device[%there from %x] strides [1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
  }
  return
}

// Two columns of a matrix interleave in memory and share no byte; two halves of a row of 65 do share one.
// CHECK-LABEL: func.func @columns
// CHECK-NEXT: dataflow.channel @y_stored from @store to @load {init = 0 : i64}
// CHECK-NOT: dataflow.channel
func.func @columns(%x: index, %y: index) attributes {grid = [2]} {
  %left = arith.constant 0 : index
  %right = arith.constant 64 : index
  %a = dataflow.alloc {address = 0, slot_bytes = 2048} : memref<16x64xf16, "lx">
  %b = dataflow.alloc {address = 2048, slot_bytes = 2048} : memref<16x64xf16, "lx">
  %c = dataflow.alloc {address = 4096, slot_bytes = 2304} : memref<16x65xf16, "lx">
  dataflow.data_transfer from %a to @device[%left from %x] strides [128, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<16x64xf16, "lx">
  dataflow.data_transfer from @device[%right from %x] strides [128, 1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<16x64xf16, "lx">
  dataflow.data_transfer from %c to @device[%left from %y] strides [128, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<16x65xf16, "lx">
  dataflow.data_transfer from @device[%right from %y] strides [128, 1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<16x64xf16, "lx">
  return
}

// A marked argument may be any other; literal addresses may be anywhere.
// CHECK-LABEL: func.func @marked
// CHECK-NEXT: dataflow.channel @x_stored from @store to @load
// CHECK-NOT: dataflow.channel
func.func @marked(%x: index, %y: index {spyrec.may_alias}) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %a = dataflow.alloc {address = 0, slot_bytes = 128} : memref<64xf16, "lx">
  %b = dataflow.alloc {address = 128, slot_bytes = 128} : memref<64xf16, "lx">
  dataflow.data_transfer from %a to @device[%c0 from %x] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
  dataflow.data_transfer from @device[%c0 from %y] strides [1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
  return
}

// CHECK-LABEL: func.func @unmarked
// CHECK-NOT: dataflow.channel
// CHECK: return
func.func @unmarked(%x: index, %y: index) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %a = dataflow.alloc {address = 0, slot_bytes = 128} : memref<64xf16, "lx">
  %b = dataflow.alloc {address = 128, slot_bytes = 128} : memref<64xf16, "lx">
  dataflow.data_transfer from %a to @device[%c0 from %x] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
  dataflow.data_transfer from @device[%c0 from %y] strides [1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
  return
}

// Literal addresses are told apart by their bytes: byte 0 to 127, 128 to 255 and 254 to 381.
// CHECK-LABEL: func.func @literals
// CHECK-NEXT: dataflow.channel @memory_stored from @store to @load
// CHECK-NOT: dataflow.channel
func.func @literals() attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c127 = arith.constant 127 : index
  %a = dataflow.alloc {address = 0, slot_bytes = 128} : memref<64xf16, "lx">
  %b = dataflow.alloc {address = 128, slot_bytes = 128} : memref<64xf16, "lx">
  dataflow.data_transfer from %a to @device[%c64] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
  dataflow.data_transfer from @device[%c0] strides [1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
  // CHECK: dataflow.wait @memory_stored {unit = @load}
  // CHECK-NEXT: dataflow.data_transfer from @device[%c127]
  dataflow.data_transfer from @device[%c127] strides [1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
  return
}
