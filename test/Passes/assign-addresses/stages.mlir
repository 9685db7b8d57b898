// Each memory is filled from its first byte on, with its own alignment; of a memory that cores share each has a part.
//
// RUN: spyrec opt %s --split-input-file --device=%S/../../Devices/Inputs/staged.mlir --assign-addresses --verify-diagnostics
// RUN: not 1 spyrec opt %s --split-input-file --device=%S/../../Devices/Inputs/staged.mlir --assign-addresses 2>&1 | filecheck %s
// RUN: not 1 spyrec opt %s --split-input-file --device=%S/../../Devices/Inputs/staged.mlir --assign-addresses 2>&1 | filecheck %s --check-prefix=ERRORS
// RUN: not 1 spyrec opt %s --split-input-file --device=%S/../../Devices/Inputs/shared_stage.mlir --assign-addresses 2>&1 | filecheck %s --check-prefix=SHARED

// CHECK-LABEL: func.func @both
// CHECK: dataflow.alloc {address = 0 : i64, depth = 2 : i64, name = "x", slot_bytes = 160 : i64} : memref<65xf16, "lx">
// CHECK: dataflow.alloc {address = 0 : i64, depth = 3 : i64, name = "x_l1", slot_bytes = 192 : i64} : memref<65xf16, "l1">
// CHECK: dataflow.alloc {address = 320 : i64, name = "y", slot_bytes = 160 : i64} : memref<65xf16, "lx">
// CHECK: dataflow.alloc {address = 576 : i64, name = "y_l1", slot_bytes = 192 : i64} : memref<65xf16, "l1">
// CHECK: dataflow.alloc {depth = 2 : i64, name = "elsewhere"} : memref<65xf16, "l7">
func.func @both(%n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = dataflow.alloc {depth = 2, name = "x"} : memref<65xf16, "lx">
    %b = dataflow.alloc {depth = 3, name = "x_l1"} : memref<65xf16, "l1">
    %c = dataflow.alloc {name = "y"} : memref<65xf16, "lx">
    %d = dataflow.alloc {name = "y_l1"} : memref<65xf16, "l1">
    %e = dataflow.alloc {depth = 2, name = "elsewhere"} : memref<65xf16, "l7">
  }
  return
}

// -----

// ERRORS: error: the buffers of 'too_much' need 65792 bytes of 'l1', and device 'staged' has 65536
// ERRORS: note: when most of them are alive they take 65792 bytes:
// ERRORS: note: bytes rest there on their way between device memory and LX, which no unit links
// ERRORS: note: smaller tiles, fewer of them at once, or a smaller buffer depth would fit
func.func @too_much(%n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %fits = dataflow.alloc {name = "fits"} : memref<65536xf16, "lx">
    // expected-error@+2 {{the buffers of 'too_much' need 65792 bytes of 'l1', and device 'staged' has 65536}}
    // expected-note@+1 {{'big' takes 65536 bytes (2 slots of 32768)}}
    %big = dataflow.alloc {depth = 2, name = "big"} : memref<16384xf16, "l1">
    // expected-note@+1 {{'small' takes 256 bytes}}
    %small = dataflow.alloc {name = "small"} : memref<128xf16, "l1">
  }
  return
}

// -----

// What is not alive together shares bytes of a stage, too.
// CHECK-LABEL: func.func @one_after_the_other
// CHECK: address = 0 : i64, name = "a"
// CHECK: address = 0 : i64, name = "b"
// SHARED: error: the buffers of 'one_after_the_other' need 98304 bytes of 'l2', and device 'shared_stage' has 65536 for each core
func.func @one_after_the_other(%x: index) attributes {grid = [1]} {
  %o = arith.constant 0 : index
  %a = dataflow.alloc {name = "a"} : memref<32768xf16, "l1">
  dataflow.data_transfer from @device[%o from %x] strides [1] to %a {route = ["ddr", "fetch", "l1"], unit = @fetch} : memref<32768xf16, "l1">
  %b = dataflow.alloc {name = "b"} : memref<32768xf16, "l1">
  dataflow.data_transfer from @device[%o from %x] strides [1] to %b {route = ["ddr", "fetch", "l1"], unit = @fetch} : memref<32768xf16, "l1">
  %c = dataflow.alloc {name = "c"} : memref<49152xf16, "l2">
  return
}
