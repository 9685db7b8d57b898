// Boxes as descriptors: what both sides walk as one is joined, what is more than four counts becomes loops.
//
// RUN: spyrec opt %s --split-units --canonicalize --cse | filecheck %s

// CHECK-LABEL: func.func @joined
// CHECK: dataflow.transfer @device[%{{.*}} from %x] strides [256, 2] to @lx[%{{.*}} in @a] strides [128, 2] counts [6, 64] {element_bytes = 2 : i64}
// CHECK: dataflow.transfer @device[%{{.*}} from %x] strides [2] to @lx[%{{.*}} in @a] strides [2] counts [384]
// CHECK: dataflow.transfer @device[%{{.*}} from %x] strides [0] to @lx[%{{.*}} in @b] strides [0] counts [1]
// CHECK-NOT: dataflow.transfer
// CHECK: return
func.func @joined(%x: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %a = dataflow.alloc {address = 0, name = "a", slot_bytes = 768} : memref<2x3x1x64xf16, "lx">
  %b = dataflow.alloc {address = 768, name = "b", slot_bytes = 128} : memref<f16, "lx">
  %c = dataflow.alloc {address = 896, name = "c", slot_bytes = 128} : memref<4x0xf16, "lx">
  dataflow.data_transfer from @device[%c0 from %x] strides [384, 128, 7, 1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<2x3x1x64xf16, "lx">
  dataflow.data_transfer from @device[%c0 from %x] strides [192, 64, 64, 1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<2x3x1x64xf16, "lx">
  dataflow.data_transfer from @device[%c0 from %x] strides [] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<f16, "lx">
  dataflow.data_transfer from @device[%c0 from %x] strides [8, 1] to %c {route = ["ddr", "load", "lx"], unit = @load} : memref<4x0xf16, "lx">
  return
}

// CHECK-LABEL: func.func @six
// CHECK: scf.for %[[I:.*]] = %c0 to %c2 step %c1 {
// CHECK-NEXT: scf.for %[[J:.*]] = %c0 to %c3 step %c1 {
// CHECK: dataflow.transfer @device[%{{.*}} from %x] strides [4000, 400, 40, 4] to @lx[%{{.*}} in @a] strides [240, 60, 12, 2] counts [2, 4, 5, 6]
func.func @six(%x: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %a = dataflow.alloc {address = 0, name = "a", slot_bytes = 2944} : memref<2x3x2x4x5x6xf16, "lx">
  dataflow.data_transfer from @device[%c0 from %x] strides [200000, 20000, 2000, 200, 20, 2] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<2x3x2x4x5x6xf16, "lx">
  return
}

// A stream walks each operand by its map: rows that repeat, a transposed operand, one element for all.
#out = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (c)>
#turned = affine_map<(r, c) -> (c, r)>
#one = affine_map<(r, c) -> (0, 1)>
// CHECK-LABEL: func.func @walks
// CHECK: dataflow.stream counts [4, 64] ins(@row[%c0] strides [0, 2] : f16, @turned[%{{.*}}] strides [2, 8] : f16, @one[%c770] strides [0, 0] : f16) outs(@out[%{{.*}}] strides [256, 4] : f32)
func.func @walks() attributes {grid = [1]} {
  %a = dataflow.alloc {address = 0, name = "row", slot_bytes = 128} : memref<64xf16, "lx">
  %b = dataflow.alloc {address = 128, name = "turned", slot_bytes = 512} : memref<64x4xf16, "lx">
  %c = dataflow.alloc {address = 768, name = "one", slot_bytes = 128} : memref<1x2xf16, "lx">
  %d = dataflow.alloc {address = 1024, name = "out", slot_bytes = 1024} : memref<4x64xf32, "lx">
  linalg.generic {indexing_maps = [#row, #turned, #one, #out], iterator_types = ["parallel", "parallel"]}
    ins(%a, %b, %c : memref<64xf16, "lx">, memref<64x4xf16, "lx">, memref<1x2xf16, "lx">) outs(%d : memref<4x64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f16, %q: f16, %r: f16, %o: f32):
    %s = arith.addf %p, %q : f16
    %t = arith.addf %s, %r : f16
    %u = arith.extf %t : f16 to f32
    linalg.yield %u : f32
  }
  return
}
