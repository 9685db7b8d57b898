// What is never alive together may share bytes, and does when it must or when it is told to.
//
// RUN: spyrec opt %s --assign-addresses | filecheck %s
// RUN: spyrec opt %s --assign-addresses=share=always | filecheck %s --check-prefix=ALWAYS
// RUN: spyrec opt %s --assign-addresses --set device.lx.size=640 | filecheck %s --check-prefix=ALWAYS
// RUN: not 1 spyrec opt %s --assign-addresses=share=never --set device.lx.size=640 2>&1 | filecheck %s --check-prefix=NEVER
// RUN: not 2 spyrec opt %s --assign-addresses=share=perhaps 2>&1 | filecheck %s --check-prefix=OPTION

// NEVER: error: the buffers of 'two_loops' need 1024 bytes of LX, and device 'spyre' has 640 [lx-overflow]
// OPTION: option 'share' of pass 'assign-addresses': expected 'auto' or 'always' or 'never', got 'perhaps'

// The first loop's buffers are dead when the second begins; what is used on both sides stays apart from all.
// CHECK-LABEL: func.func @two_loops
// ALWAYS-LABEL: func.func @two_loops
func.func @two_loops(%p: index, %n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: address = 0 : i64, name = "kept"
  // ALWAYS: address = 0 : i64, name = "kept"
  %k = dataflow.alloc {name = "kept"} : memref<64xf16, "lx">
  dataflow.data_transfer from @device[%c0 from %p] strides [1] to %k {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: address = 128 : i64, depth = 2 : i64, name = "a"
    // ALWAYS: address = 128 : i64, depth = 2 : i64, name = "a"
    %a = dataflow.alloc {depth = 2, name = "a"} : memref<64xf16, "lx">
    dataflow.data_transfer from @device[%c0 from %p] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
  }
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: address = 384 : i64, depth = 2 : i64, name = "b"
    // ALWAYS: address = 128 : i64, depth = 2 : i64, name = "b"
    %b = dataflow.alloc {depth = 2, name = "b"} : memref<65xf16, "lx">
    dataflow.data_transfer from @device[%c0 from %p] strides [1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<65xf16, "lx">
  }
  // CHECK: address = 896 : i64, name = "c"
  // ALWAYS: address = 128 : i64, name = "c"
  %c = dataflow.alloc {name = "c"} : memref<64xf16, "lx">
  dataflow.data_transfer from @device[%c0 from %p] strides [1] to %c {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
  dataflow.data_transfer from %k to @device[%c0 from %p] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
  return
}

// In one loop everything is alive at once: units are at different iterations.
// CHECK-LABEL: func.func @one_loop
// ALWAYS-LABEL: func.func @one_loop
func.func @one_loop(%p: index, %n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // ALWAYS: address = 0 : i64, name = "first"
    %a = dataflow.alloc {name = "first"} : memref<64xf16, "lx">
    dataflow.data_transfer from @device[%c0 from %p] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
    // ALWAYS: address = 128 : i64, name = "second"
    %b = dataflow.alloc {name = "second"} : memref<64xf16, "lx">
    dataflow.data_transfer from @device[%c0 from %p] strides [1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
  }
  return
}
