// An element-wise op is cut in its outermost loop, a row sum between its rows, a single row between sticks, a product
// by rows. What folds, or is too small to gain, stays whole.
//
// RUN: spyrec opt %s --split-corelets | filecheck %s
// RUN: spyrec opt %s > %t.as-is
// RUN: spyrec opt %s --split-corelets > %t && spyrec opt %t --split-corelets | cmp - %t
// RUN: spyrec opt %s --split-corelets=gain=100000 | cmp - %t.as-is
// RUN: spyrec opt %s --device=small_cores --split-corelets | cmp - %t.as-is

#id = affine_map<(a, b) -> (a, b)>
#row = affine_map<(a, b) -> (a)>
#column = affine_map<(a, b) -> (b)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func.func @rows
// CHECK: %[[X:.*]] = memref.subview %x[0, 0] [9, 512] [1, 1]
// CHECK: %[[Y:.*]] = memref.subview %y[0, 0] [9, 512] [1, 1]
// CHECK: linalg.generic {{.*}} ins(%[[X]], %w : {{.*}}) outs(%[[Y]] : {{.*}} {dataflow.corelet = 0 : i64, dataflow.unit = @sfu}
// CHECK: %[[X:.*]] = memref.subview %x[9, 0] [8, 512] [1, 1]
// CHECK: %[[Y:.*]] = memref.subview %y[9, 0] [8, 512] [1, 1]
// CHECK: linalg.generic {{.*}} ins(%[[X]], %w : {{.*}}) outs(%[[Y]] : {{.*}} {dataflow.corelet = 1 : i64, dataflow.unit = @sfu}
func.func @rows(%x: memref<17x512xf16, "lx">, %w: memref<512xf16, "lx">, %y: memref<17x512xf16, "lx">) {
  linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %w : memref<17x512xf16, "lx">, memref<512xf16, "lx">) outs(%y : memref<17x512xf16, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f16, %r: f16, %o: f16):
    %0 = math.exp %p : f16
    %1 = arith.mulf %0, %r : f16
    linalg.yield %1 : f16
  }
  return
}

// CHECK-LABEL: func.func @sums
// CHECK: memref.subview %x[0, 0] [32, 512]
// CHECK: memref.subview %y[0] [32] [1]
// CHECK: memref.subview %x[32, 0] [32, 512]
// CHECK: memref.subview %y[32] [32] [1]
func.func @sums(%x: memref<64x512xf32, "lx">, %y: memref<64xf32, "lx">) {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<64x512xf32, "lx">) outs(%y : memref<64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  }
  return
}

// Numbers per row lie in one stick, of which each corelet writes its bytes.
//
// CHECK-LABEL: func.func @few_sums
// CHECK: memref.subview %x[0, 0] [3, 512]
// CHECK: memref.subview %y[0] [3] [1]
// CHECK: memref.subview %x[3, 0] [2, 512]
// CHECK: memref.subview %y[3] [2] [1]
func.func @few_sums(%x: memref<5x512xf32, "lx">, %y: memref<5xf32, "lx">) {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<5x512xf32, "lx">) outs(%y : memref<5xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  }
  return
}

// A row of 4,100 elements of 2 bytes is 65 sticks, the last one short.
//
// CHECK-LABEL: func.func @one_row
// CHECK: memref.subview %x[0, 0] [1, 2112] [1, 1]
// CHECK: memref.subview %x[0, 2112] [1, 1988] [1, 1]
func.func @one_row(%x: memref<1x4100xf16, "lx">, %y: memref<1x4100xf16, "lx">) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<1x4100xf16, "lx">) outs(%y : memref<1x4100xf16, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f16, %o: f16):
    %0 = math.exp %p : f16
    linalg.yield %0 : f16
  }
  return
}

// CHECK-LABEL: func.func @product
// CHECK: memref.subview %x[0, 0] [64, 256] [1, 1]
// CHECK: memref.subview %z[0, 0] [64, 128] [1, 1]
// CHECK: ins(%{{.*}}, %y : {{.*}} {dataflow.corelet = 0 : i64, dataflow.unit = @pt}
// CHECK: memref.subview %x[64, 0] [64, 256] [1, 1]
// CHECK: memref.subview %z[64, 0] [64, 128] [1, 1]
func.func @product(%x: memref<128x256xf16, "lx">, %y: memref<256x128xf16, "lx">, %z: memref<128x128xf32, "lx">) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %y : memref<128x256xf16, "lx">, memref<256x128xf16, "lx">) outs(%z : memref<128x128xf32, "lx">) attrs = {dataflow.unit = @pt} {
  ^bb0(%p: f16, %q: f16, %o: f32):
    %0 = arith.extf %p : f16 to f32
    %1 = arith.extf %q : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  }
  return
}

// CHECK-LABEL: func.func @whole
// CHECK-NOT: memref.subview
// CHECK-NOT: dataflow.corelet
// CHECK: return
func.func @whole(%x: memref<1x512xf32, "lx">, %y: memref<1xf32, "lx">, %s: memref<2x64xf32, "lx">) {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<1x512xf32, "lx">) outs(%y : memref<1xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%s : memref<2x64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%o: f32):
    %0 = arith.negf %o : f32
    linalg.yield %0 : f32
  }
  return
}

// A piece of a buffer that starts where only the run knows: its halves do, too.
//
// CHECK-LABEL: func.func @somewhere
// CHECK: memref.subview %{{.*}}[0, 0] [9, 512] [1, 1] : {{.*}} to memref<9x512xf16, strided<[512, 1], offset: ?>, "lx">
// CHECK: memref.subview %{{.*}}[9, 0] [8, 512] [1, 1] : {{.*}} to memref<8x512xf16, strided<[512, 1], offset: ?>, "lx">
func.func @somewhere(%x: memref<34x512xf16, "lx">, %y: memref<17x512xf16, "lx">, %i: index) {
  %s = memref.subview %x[%i, 0] [17, 512] [1, 1] : memref<34x512xf16, "lx"> to memref<17x512xf16, strided<[512, 1], offset: ?>, "lx">
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%s : memref<17x512xf16, strided<[512, 1], offset: ?>, "lx">) outs(%y : memref<17x512xf16, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f16, %o: f16):
    %0 = math.exp %p : f16
    linalg.yield %0 : f16
  }
  return
}
