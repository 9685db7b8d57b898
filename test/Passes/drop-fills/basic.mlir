// What a fold starts from anyway is not written: of sums, maxima and sums of products, in one op or cut for corelets.
//
// RUN: spyrec opt %s --drop-fills | filecheck %s
// RUN: spyrec opt %s --drop-fills > %t && spyrec opt %t --drop-fills | cmp - %t

#id = affine_map<(a, b) -> (a, b)>
#one = affine_map<(a) -> (a)>
#row = affine_map<(a, b) -> (a)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func.func @sum
// CHECK-NOT: linalg.yield %{{zero|low}}
// CHECK: attrs = {dataflow.fresh, dataflow.unit = @sfu}
// CHECK: return
func.func @sum() {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %x = dataflow.alloc {name = "x"} : memref<64x64xf32, "lx">
  %m = dataflow.alloc {name = "m"} : memref<64xf32, "lx">
  linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]} outs(%m : memref<64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%o: f32):
    linalg.yield %zero : f32
  }
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<64x64xf32, "lx">) outs(%m : memref<64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  }
  return
}

// CHECK-LABEL: func.func @most
// CHECK-NOT: linalg.yield %{{zero|low}}
// CHECK: attrs = {dataflow.fresh, dataflow.unit = @sfu}
// CHECK: return
func.func @most() {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %x = dataflow.alloc {name = "x"} : memref<64x64xf32, "lx">
  %y = dataflow.alloc {name = "y"} : memref<64x64xf32, "lx">
  %m = dataflow.alloc {name = "m"} : memref<64xf32, "lx">
  linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]} outs(%m : memref<64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%o: f32):
    linalg.yield %low : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x64xf32, "lx">) outs(%y : memref<64x64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = math.exp %p : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%y : memref<64x64xf32, "lx">) outs(%m : memref<64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.maximumf %o, %p : f32
    linalg.yield %0 : f32
  }
  return
}

// CHECK-LABEL: func.func @products
// CHECK-NOT: linalg.yield %{{zero|low}}
// CHECK: attrs = {dataflow.fresh, dataflow.unit = @pt}
// CHECK: return
func.func @products() {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %g = dataflow.alloc {name = "g"} : memref<64x64xf16, "lx">
  %h = dataflow.alloc {name = "h"} : memref<64x64xf16, "lx">
  %z = dataflow.alloc {name = "z"} : memref<64x64xf32, "lx">
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%z : memref<64x64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%o: f32):
    linalg.yield %zero : f32
  }
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%g, %h : memref<64x64xf16, "lx">, memref<64x64xf16, "lx">) outs(%z : memref<64x64xf32, "lx">) attrs = {dataflow.unit = @pt} {
  ^bb0(%p: f16, %q: f16, %o: f32):
    %0 = arith.extf %p : f16 to f32
    %1 = arith.extf %q : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  }
  return
}
