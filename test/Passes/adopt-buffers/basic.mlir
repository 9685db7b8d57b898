// Allocations and copies of bufferization become buffers and compute; names come from what is stored, and are unique.
//
// RUN: spyrec opt %s --adopt-buffers | filecheck %s

// CHECK-LABEL: func.func @adopts(%x: index, %z: index)
// CHECK: %[[A:.*]] = dataflow.alloc {name = "x"} : memref<64xf16, "lx">
// CHECK: %[[B:.*]] = dataflow.alloc {name = "z"} : memref<64xf16, "lx">
// CHECK: linalg.generic {{.*}} ins(%[[A]] : memref<64xf16, "lx">) outs(%[[B]] : memref<64xf16, "lx">) {
// CHECK-NEXT: ^bb0(%[[V:.*]]: f16, %{{.*}}: f16):
// CHECK-NEXT: linalg.yield %[[V]] : f16
// CHECK: dataflow.data_transfer from %[[B]] to @device
// CHECK: dataflow.alloc {name = "x_1"}
// CHECK: dataflow.alloc {name = "tile"}
// CHECK-NOT: memref.alloc
func.func @adopts(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %a = dataflow.alloc {name = "x"} : memref<64xf16, "lx">
  dataflow.data_transfer from @device[%c0 from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
  %b = memref.alloc() {alignment = 64 : i64} : memref<64xf16, "lx">
  memref.copy %a, %b : memref<64xf16, "lx"> to memref<64xf16, "lx">
  dataflow.data_transfer from %b to @device[%c0 from %z] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
  %d = dataflow.alloc {name = "x"} : memref<64xf16, "lx">
  %e = memref.alloc() : memref<64xf16, "lx">
  return
}

// A piece of a buffer that is copied onto itself goes, another one is moved by compute; views stay what they are.
// CHECK-LABEL: func.func @pieces
// CHECK: %[[A:.*]] = dataflow.alloc
// CHECK-NEXT: %[[P:.*]] = memref.subview %[[A]][0] [32] [1]
// CHECK-NEXT: %[[Q:.*]] = memref.subview %[[A]][0] [32] [1]
// CHECK-NEXT: %[[R:.*]] = memref.subview %[[A]][32] [32] [1]
// CHECK-NEXT: linalg.generic {{.*}} ins(%[[P]] : {{.*}}) outs(%[[R]] :
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @pieces() {
  %a = memref.alloc() : memref<64xf16, "lx">
  %p = memref.subview %a[0] [32] [1] : memref<64xf16, "lx"> to memref<32xf16, strided<[1]>, "lx">
  %q = memref.subview %a[0] [32] [1] : memref<64xf16, "lx"> to memref<32xf16, strided<[1]>, "lx">
  %r = memref.subview %a[32] [32] [1] : memref<64xf16, "lx"> to memref<32xf16, strided<[1], offset: 32>, "lx">
  memref.copy %p, %q : memref<32xf16, strided<[1]>, "lx"> to memref<32xf16, strided<[1]>, "lx">
  memref.copy %p, %r : memref<32xf16, strided<[1]>, "lx"> to memref<32xf16, strided<[1], offset: 32>, "lx">
  memref.copy %a, %a : memref<64xf16, "lx"> to memref<64xf16, "lx">
  return
}

// A cast that only says that a view is contiguous goes.
// CHECK-LABEL: func.func @contiguous
// CHECK: %[[PIECE:.*]] = memref.subview
// CHECK-NOT: memref.cast
// CHECK: dataflow.data_transfer from %[[PIECE]] to
func.func @contiguous(%x: index, %a: memref<2xf16, "lx">) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %p = memref.subview %a[0] [1] [1] : memref<2xf16, "lx"> to memref<1xf16, strided<[1]>, "lx">
  %q = memref.cast %p : memref<1xf16, strided<[1]>, "lx"> to memref<1xf16, "lx">
  dataflow.data_transfer from %q to @device[%c0 from %x] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<1xf16, "lx">
  return
}
