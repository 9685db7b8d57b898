// What fits, if only one after the other, and what is no way of transfers one behind the other, stays as it is.
//
// RUN: spyrec opt %s --device=%S/../../Devices/Inputs/staged.mlir --set device.l1.size=8192 --narrow-stages --split-input-file | filecheck %s

// CHECK-NOT: memref.subview
// CHECK-NOT: x8x128xf16

// 8 KiB, and then 8 KiB again.
func.func @in_turn(%x: index, %o: index) attributes {grid = [1]} {
  %b = dataflow.alloc : memref<32x128xf16, "lx">
  %s = dataflow.alloc : memref<32x128xf16, "l1">
  dataflow.data_transfer from @device[%o from %x] strides [128, 1] to %s {route = ["ddr", "fetch", "l1"], unit = @fetch} : memref<32x128xf16, "l1">
  dataflow.data_transfer from %s to %b {route = ["l1", "fill", "lx"], unit = @fill} : memref<32x128xf16, "l1">, memref<32x128xf16, "lx">
  %c = dataflow.alloc : memref<32x128xf16, "lx">
  %t = dataflow.alloc : memref<32x128xf16, "l1">
  dataflow.data_transfer from @device[%o from %x] strides [128, 1] to %t {route = ["ddr", "fetch", "l1"], unit = @fetch} : memref<32x128xf16, "l1">
  dataflow.data_transfer from %t to %c {route = ["l1", "fill", "lx"], unit = @fill} : memref<32x128xf16, "l1">, memref<32x128xf16, "lx">
  return
}

// -----

// Rows of a set: the buffer is used in loops.
func.func @rows(%x: index, %o: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %b = dataflow.alloc : memref<64x128xf16, "lx">
  %s = dataflow.alloc : memref<64x128xf16, "l1">
  scf.for %r = %c0 to %c64 step %c1 {
    %e = arith.addi %r, %c1 : index
    dataflow.data_transfer from @device[%o from %x] strides [128, 1] to %s clip [%r, 0] to [%e, %r] {route = ["ddr", "fetch", "l1"], unit = @fetch} : memref<64x128xf16, "l1">
  }
  scf.for %r = %c0 to %c64 step %c1 {
    %e = arith.addi %r, %c1 : index
    dataflow.data_transfer from %s to %b clip [%r, 0] to [%e, %r] {route = ["l1", "fill", "lx"], unit = @fill} : memref<64x128xf16, "l1">, memref<64x128xf16, "lx">
  }
  return
}

// -----

// A list that is looked up at a sum; what is done between the legs touches memory.
func.func @others(%x: index, %o: index) attributes {grid = [1]} {
  %l = dataflow.alloc : memref<191xi32, "lx">
  %b = dataflow.alloc : memref<64x128xf16, "lx">
  %s = dataflow.alloc : memref<64x128xf16, "l1">
  dataflow.data_transfer from @device[%o from %x] strides [0, 0] to %s index (%l : memref<191xi32, "lx">) below [100]
    {index_maps = [affine_map<(r, c) -> (r + c)>], index_scales = array<i64: 1>, index_sides = ["source"], route = ["ddr", "fetch", "l1"], unit = @fetch} : memref<64x128xf16, "l1">
  dataflow.data_transfer from %s to %b {route = ["l1", "fill", "lx"], unit = @fill} : memref<64x128xf16, "l1">, memref<64x128xf16, "lx">
  %t = dataflow.alloc : memref<64x128xf16, "l1">
  dataflow.data_transfer from @device[%o from %x] strides [128, 1] to %t {route = ["ddr", "fetch", "l1"], unit = @fetch} : memref<64x128xf16, "l1">
  linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>], iterator_types = ["parallel", "parallel"]} outs(%b : memref<64x128xf16, "lx">) attrs = {dataflow.unit = @vec} {
  ^bb0(%v: f16):
    %w = arith.addf %v, %v : f16
    linalg.yield %w : f16
  }
  dataflow.data_transfer from %t to %b {route = ["l1", "fill", "lx"], unit = @fill} : memref<64x128xf16, "l1">, memref<64x128xf16, "lx">
  return
}

// -----

// A box without points, beside one that is too large and cannot be cut.
func.func @empty(%x: index, %o: index) attributes {grid = [1]} {
  %b = dataflow.alloc : memref<64x128xf16, "lx">
  %s = dataflow.alloc : memref<64x128xf16, "l1">
  dataflow.data_transfer from @device[%o from %x] strides [128, 1] to %s {route = ["ddr", "fetch", "l1"], unit = @fetch} : memref<64x128xf16, "l1">
  %c = dataflow.alloc : memref<0x128xf16, "lx">
  %t = dataflow.alloc : memref<0x128xf16, "l1">
  dataflow.data_transfer from @device[%o from %x] strides [128, 1] to %t {route = ["ddr", "fetch", "l1"], unit = @fetch} : memref<0x128xf16, "l1">
  dataflow.data_transfer from %t to %c {route = ["l1", "fill", "lx"], unit = @fill} : memref<0x128xf16, "l1">, memref<0x128xf16, "lx">
  return
}
