// RUN: spyrec opt %s --split-units | filecheck %s

// What reduces becomes a stream that folds, or on a matrix unit a contraction; counts that are folded merge with one another only.

#all = affine_map<(r, a, b) -> (r, a, b)>
#row = affine_map<(r, a, b) -> (r)>
#m = affine_map<(m, n, k) -> (m, k)>
#n = affine_map<(m, n, k) -> (k, n)>
#o = affine_map<(m, n, k) -> (m, n)>
#rc = affine_map<(r, c) -> (r, c)>
#r = affine_map<(r, c) -> (r)>

func.func @sums() attributes {grid = [1]} {
  %a = dataflow.alloc {address = 0, name = "a", slot_bytes = 512} : memref<4x8x8xf16, "lx">
  %b = dataflow.alloc {address = 512, name = "b", slot_bytes = 128} : memref<4xf32, "lx">
  %c = dataflow.alloc {address = 640, name = "c", slot_bytes = 128} : memref<4x8xf16, "lx">
  %d = dataflow.alloc {address = 768, name = "d", slot_bytes = 256} : memref<8x16xf16, "lx">
  %e = dataflow.alloc {address = 1024, name = "e", slot_bytes = 256} : memref<4x16xf32, "lx">
  // CHECK: dataflow.program_unit @sfu
  // CHECK: dataflow.stream counts [4, 64] reduce [1] ins(@a[{{.*}}] strides [128, 2] : f16) outs(@b[{{.*}}] strides [4, 0] : f32)
  // CHECK: arith.addf
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction", "reduction"]} ins(%a : memref<4x8x8xf16, "lx">) outs(%b : memref<4xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f16, %q: f32):
    %w = arith.extf %p : f16 to f32
    %s = arith.addf %q, %w : f32
    linalg.yield %s : f32
  }
  // CHECK: dataflow.program_unit @pt
  // CHECK: dataflow.contract counts [4, 16, 8] lhs @c[{{.*}}] strides [16, 0, 2] : f16 rhs @d[{{.*}}] strides [0, 2, 32] : f16 acc @e[{{.*}}] strides [64, 4, 0] : f32 {start = "lx"}
  linalg.generic {indexing_maps = [#m, #n, #o], iterator_types = ["parallel", "parallel", "reduction"]} ins(%c, %d : memref<4x8xf16, "lx">, memref<8x16xf16, "lx">) outs(%e : memref<4x16xf32, "lx">) attrs = {dataflow.unit = @pt} {
  ^bb0(%p: f16, %q: f16, %r: f32):
    %w = arith.extf %p : f16 to f32
    %v = arith.extf %q : f16 to f32
    %t = arith.mulf %w, %v : f32
    %s = arith.addf %r, %t : f32
    linalg.yield %s : f32
  }
  return
}

// CHECK-LABEL: func.func @one
// Over one element, too; what is written at every point has a stride there, and so is no sum.
// CHECK: dataflow.stream counts [4, 1] reduce [1] ins(@x[{{.*}}] strides [4, 0] : f32) outs(@y[{{.*}}] strides [4, 4] : f32, @z[{{.*}}] strides [4, 0] : f32)
// CHECK: dataflow.stream counts [1] reduce [0] ins(@x[{{.*}}] strides [0] : f32) outs(@y[{{.*}}] strides [4] : f32, @z[{{.*}}] strides [0] : f32)
func.func @one() attributes {grid = [1]} {
  %x = dataflow.alloc {address = 0, name = "x", slot_bytes = 128} : memref<4x1xf32, "lx">
  %y = dataflow.alloc {address = 128, name = "y", slot_bytes = 128} : memref<4x1xf32, "lx">
  %z = dataflow.alloc {address = 256, name = "z", slot_bytes = 128} : memref<4xf32, "lx">
  linalg.generic {indexing_maps = [#rc, #rc, #r], iterator_types = ["parallel", "reduction"]} ins(%x : memref<4x1xf32, "lx">) outs(%y, %z : memref<4x1xf32, "lx">, memref<4xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %e = math.exp %p : f32
    %s = arith.addf %o, %e : f32
    linalg.yield %e, %s : f32, f32
  }
  %x1 = memref.subview %x[0, 0] [1, 1] [1, 1] : memref<4x1xf32, "lx"> to memref<1x1xf32, strided<[1, 1]>, "lx">
  %y1 = memref.subview %y[0, 0] [1, 1] [1, 1] : memref<4x1xf32, "lx"> to memref<1x1xf32, strided<[1, 1]>, "lx">
  %z1 = memref.subview %z[0] [1] [1] : memref<4xf32, "lx"> to memref<1xf32, strided<[1]>, "lx">
  linalg.generic {indexing_maps = [#rc, #rc, #r], iterator_types = ["parallel", "reduction"]} ins(%x1 : memref<1x1xf32, strided<[1, 1]>, "lx">) outs(%y1, %z1 : memref<1x1xf32, strided<[1, 1]>, "lx">, memref<1xf32, strided<[1]>, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %e = math.exp %p : f32
    %s = arith.addf %o, %e : f32
    linalg.yield %e, %s : f32, f32
  }
  return
}
