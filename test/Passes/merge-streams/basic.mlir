// A cast goes on as the maximum of what it gives, past a copy that has nothing to do with it; an exponential as its sum.
//
// RUN: spyrec opt %s --merge-streams | filecheck %s
// RUN: spyrec opt %s --merge-streams > %t && spyrec opt %t --merge-streams | cmp - %t
// RUN: spyrec opt %s > %t.as-is
// RUN: spyrec opt %s --merge-streams=longest=6 | cmp - %t.as-is

#id = affine_map<(a, b) -> (a, b)>
#row = affine_map<(a, b) -> (a)>
#one = affine_map<(a) -> (a)>

// CHECK-LABEL: func.func @row
// CHECK: linalg.generic {{.*}}ins(%[[OLD:.*]] : memref<1xf32, "lx">) outs(%[[KEPT:.*]] : memref<1xf32, "lx">)
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%[[X:.*]] : memref<1x64xf16, "lx">) outs(%[[T:.*]], %[[OLD]] : memref<1x64xf32, "lx">, memref<1xf32, "lx">) attrs = {dataflow.unit = @sfu}
// CHECK: ^bb0(%[[P:.*]]: f16, %{{.*}}: f32, %[[O:.*]]: f32):
// CHECK-NEXT: %[[W:.*]] = arith.extf %[[P]]
// CHECK-NEXT: %[[M:.*]] = arith.maximumf %[[O]], %[[W]]
// CHECK-NEXT: linalg.yield %[[W]], %[[M]]
// CHECK: linalg.generic {{.*}}ins(%[[T]], %[[OLD]] : {{.*}} outs(%[[E:.*]], %[[S:.*]] : {{.*}} attrs = {dataflow.fresh, dataflow.unit = @sfu}
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @row() {
  %x = dataflow.alloc {name = "x"} : memref<1x64xf16, "lx">
  %t = dataflow.alloc {name = "t"} : memref<1x64xf32, "lx">
  %old = dataflow.alloc {name = "old"} : memref<1xf32, "lx">
  %kept = dataflow.alloc {name = "kept"} : memref<1xf32, "lx">
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<1x64xf16, "lx">) outs(%t : memref<1x64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f16, %o: f32):
    %0 = arith.extf %p : f16 to f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%old : memref<1xf32, "lx">) outs(%kept : memref<1xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  }
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%t : memref<1x64xf32, "lx">) outs(%old : memref<1xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.maximumf %o, %p : f32
    linalg.yield %0 : f32
  }
  %e = dataflow.alloc {name = "e"} : memref<1x64xf32, "lx">
  %s = dataflow.alloc {name = "s"} : memref<1xf32, "lx">
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%t, %old : memref<1x64xf32, "lx">, memref<1xf32, "lx">) outs(%e : memref<1x64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.subf %p, %q : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%e : memref<1x64xf32, "lx">) outs(%s : memref<1xf32, "lx">) attrs = {dataflow.fresh, dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  }
  return
}

// Halves for corelets, each with its own: the other one's half is no obstacle.
//
// CHECK-LABEL: func.func @halves
// CHECK-COUNT-2: outs(%{{.*}}, %{{.*}} : {{.*}} attrs = {dataflow.corelet = {{[01]}} : i64, dataflow.unit = @sfu}
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @halves(%x: memref<2x64xf32, "lx">) {
  %t = dataflow.alloc {name = "t"} : memref<2x64xf32, "lx">
  %y = dataflow.alloc {name = "y"} : memref<2x64xf32, "lx">
  %z = dataflow.alloc {name = "z"} : memref<2x64xf32, "lx">
  %y0 = memref.subview %y[0, 0] [1, 64] [1, 1] : memref<2x64xf32, "lx"> to memref<1x64xf32, strided<[64, 1]>, "lx">
  %y1 = memref.subview %y[1, 0] [1, 64] [1, 1] : memref<2x64xf32, "lx"> to memref<1x64xf32, strided<[64, 1], offset: 64>, "lx">
  %t0 = memref.subview %t[0, 0] [1, 64] [1, 1] : memref<2x64xf32, "lx"> to memref<1x64xf32, strided<[64, 1]>, "lx">
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%y0 : memref<1x64xf32, strided<[64, 1]>, "lx">) outs(%t0 : memref<1x64xf32, strided<[64, 1]>, "lx">) attrs = {dataflow.corelet = 0 : i64, dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = math.exp %p : f32
    linalg.yield %0 : f32
  }
  %t1 = memref.subview %t[1, 0] [1, 64] [1, 1] : memref<2x64xf32, "lx"> to memref<1x64xf32, strided<[64, 1], offset: 64>, "lx">
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%y1 : memref<1x64xf32, strided<[64, 1], offset: 64>, "lx">) outs(%t1 : memref<1x64xf32, strided<[64, 1], offset: 64>, "lx">) attrs = {dataflow.corelet = 1 : i64, dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = math.exp %p : f32
    linalg.yield %0 : f32
  }
  %t2 = memref.subview %t[0, 0] [1, 64] [1, 1] : memref<2x64xf32, "lx"> to memref<1x64xf32, strided<[64, 1]>, "lx">
  %z0 = memref.subview %z[0, 0] [1, 64] [1, 1] : memref<2x64xf32, "lx"> to memref<1x64xf32, strided<[64, 1]>, "lx">
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%t2 : memref<1x64xf32, strided<[64, 1]>, "lx">) outs(%z0 : memref<1x64xf32, strided<[64, 1]>, "lx">) attrs = {dataflow.corelet = 0 : i64, dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.negf %p : f32
    linalg.yield %0 : f32
  }
  %t3 = memref.subview %t[1, 0] [1, 64] [1, 1] : memref<2x64xf32, "lx"> to memref<1x64xf32, strided<[64, 1], offset: 64>, "lx">
  %z1 = memref.subview %z[1, 0] [1, 64] [1, 1] : memref<2x64xf32, "lx"> to memref<1x64xf32, strided<[64, 1], offset: 64>, "lx">
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%t3 : memref<1x64xf32, strided<[64, 1], offset: 64>, "lx">) outs(%z1 : memref<1x64xf32, strided<[64, 1], offset: 64>, "lx">) attrs = {dataflow.corelet = 1 : i64, dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.negf %p : f32
    linalg.yield %0 : f32
  }
  return
}
