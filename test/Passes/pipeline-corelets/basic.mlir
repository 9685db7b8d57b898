// The maximum so far is the first corelet's, the sum the second one's, which gets a copy of the maximum.
//
// RUN: spyrec opt %s --pipeline-corelets | filecheck %s
// RUN: spyrec opt %s --pipeline-corelets > %t && spyrec opt %t --pipeline-corelets | cmp - %t
// RUN: spyrec opt %s > %t.as-is
// RUN: spyrec opt %s --pipeline-corelets=gain=90 | cmp - %t.as-is
// RUN: spyrec opt %s --device=small_cores --pipeline-corelets | cmp - %t.as-is

// CHECK: %[[TOP:.*]] = dataflow.alloc {name = "top"}
// CHECK: scf.for
// CHECK: %[[A:.*]] = dataflow.alloc {depth = 2 : i64, name = "a"}
// CHECK: linalg.generic {{.*}} ins(%[[A]] : {{.*}}) outs(%[[TOP]] : {{.*}} {dataflow.corelet = 0 : i64, dataflow.unit = @sfu}
// CHECK: %[[KEPT:.*]] = dataflow.alloc {depth = 2 : i64, name = "top_kept"} : memref<1xf32, "lx">
// CHECK: linalg.generic {{.*}} ins(%[[TOP]] : {{.*}}) outs(%[[KEPT]] : {{.*}} {dataflow.corelet = 0 : i64, dataflow.unit = @sfu}
// CHECK: linalg.generic {{.*}} ins(%[[A]], %[[KEPT]] : {{.*}} {dataflow.corelet = 1 : i64, dataflow.unit = @sfu}

#id = affine_map<(a, b) -> (a, b)>
#row = affine_map<(a, b) -> (a)>
func.func @rows(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  %top = dataflow.alloc {name = "top"} : memref<1xf32, "lx">
  %sum = dataflow.alloc {name = "sum"} : memref<1xf32, "lx">
  scf.for %i = %c0 to %c9 step %c1 {
    %a = dataflow.alloc {depth = 2 : i64, name = "a"} : memref<1x2048xf32, "lx">
    dataflow.data_transfer from @device[%i from %x] strides [2048, 1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<1x2048xf32, "lx">
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%a : memref<1x2048xf32, "lx">) outs(%top : memref<1xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.maximumf %o, %p : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%a, %top : memref<1x2048xf32, "lx">, memref<1xf32, "lx">) outs(%sum : memref<1xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.subf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  }
  }
  return
}
