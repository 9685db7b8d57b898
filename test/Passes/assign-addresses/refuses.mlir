// The place is that of the largest buffer; the notes are the map of what is alive.
//
// RUN: spyrec opt %s --assign-addresses --split-input-file --verify-diagnostics
// RUN: not 1 spyrec opt %s --assign-addresses --split-input-file 2>&1 | filecheck %s

// CHECK: error: the buffers of 'too_much' need 2359296 bytes of LX
// CHECK: note: when most of them are alive they take 2359296 bytes:
// CHECK: note: smaller tiles, fewer of them at once, or a smaller buffer depth would fit
// CHECK: error: the buffers of 'beside_the_kernels'
// CHECK: note: bytes 0 to 1048576 are the kernel's: views of LX lie there

func.func @too_much(%n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error@+2 {{the buffers of 'too_much' need 2359296 bytes of LX, and device 'spyre' has 2097152}}
    // expected-note@+1 {{'big' takes 2097152 bytes (2 slots of 1048576)}}
    %big = dataflow.alloc {depth = 2, name = "big"} : memref<4096x128xf16, "lx">
    // expected-note@+1 {{'small' takes 262144 bytes}}
    %small = dataflow.alloc {name = "small"} : memref<1024x128xf16, "lx">
  }
  return
}

// -----

func.func @strange(%n: index) attributes {grid = [1]} {
  %a = dataflow.alloc : memref<4x64xf16, "lx">
  // expected-error@+1 {{'memref.cast' cannot be part of a schedule}}
  %b = memref.cast %a : memref<4x64xf16, "lx"> to memref<?x64xf16, "lx">
  return
}

// -----

// What the kernel has of LX is on the map.
func.func @beside_the_kernels() attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  // expected-error@+2 {{the buffers of 'beside_the_kernels' need 2097280 bytes of LX, and device 'spyre' has 2097152}}
  // expected-note@+1 {{'a' takes 1048704 bytes}}
  %a = dataflow.alloc {name = "a"} : memref<524289xf16, "lx">
  %half = memref.subview %a[0] [524288] [1] : memref<524289xf16, "lx"> to memref<524288xf16, strided<[1]>, "lx">
  dataflow.data_transfer from @lx[%c0] strides [1] to %half {route = ["lx", "ring", "lx"], unit = @ring} : memref<524288xf16, strided<[1]>, "lx">
  return
}
