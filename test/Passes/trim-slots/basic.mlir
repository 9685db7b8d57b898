// What one unit has for itself has one slot; what a transfer fills, or the other corelet reads, keeps two.
//
// RUN: spyrec opt %s --trim-slots | filecheck %s
// RUN: spyrec opt %s --trim-slots > %t && spyrec opt %t --trim-slots | cmp - %t

#id = affine_map<(a, b) -> (a, b)>

// CHECK-LABEL: func.func @alone
// CHECK: depth = 2 : i64, name = "a"
// CHECK: depth = 1 : i64, name = "t"
// CHECK: depth = 1 : i64, name = "u"
func.func @alone(%x: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %c9 step %c1 {
    %a = dataflow.alloc {depth = 2 : i64, name = "a"} : memref<64x64xf32, "lx">
    dataflow.data_transfer from @device[%i from %x] strides [64, 1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<64x64xf32, "lx">
    %t = dataflow.alloc {depth = 2 : i64, name = "t"} : memref<64x64xf32, "lx">
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : memref<64x64xf32, "lx">) outs(%t : memref<64x64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = math.exp %p : f32
    linalg.yield %0 : f32
  }
    %u = dataflow.alloc {depth = 2 : i64, name = "u"} : memref<64x64xf32, "lx">
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%t : memref<64x64xf32, "lx">) outs(%u : memref<64x64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = math.exp %p : f32
    linalg.yield %0 : f32
  }
  }
  return
}

// CHECK-LABEL: func.func @corelets
// CHECK: depth = 2 : i64, name = "a"
// CHECK: depth = 2 : i64, name = "t"
// CHECK: depth = 1 : i64, name = "u"
func.func @corelets(%x: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %c9 step %c1 {
    %a = dataflow.alloc {depth = 2 : i64, name = "a"} : memref<64x64xf32, "lx">
    dataflow.data_transfer from @device[%i from %x] strides [64, 1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<64x64xf32, "lx">
    %t = dataflow.alloc {depth = 2 : i64, name = "t"} : memref<64x64xf32, "lx">
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : memref<64x64xf32, "lx">) outs(%t : memref<64x64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = math.exp %p : f32
    linalg.yield %0 : f32
  }
    %u = dataflow.alloc {depth = 2 : i64, name = "u"} : memref<64x64xf32, "lx">
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%t : memref<64x64xf32, "lx">) outs(%u : memref<64x64xf32, "lx">) attrs = {dataflow.corelet = 1 : i64, dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = math.exp %p : f32
    linalg.yield %0 : f32
  }
  }
  return
}

// CHECK-LABEL: func.func @views
// CHECK: depth = 2 : i64, name = "a"
// CHECK: depth = 2 : i64, name = "t"
func.func @views(%x: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %c9 step %c1 {
    %a = dataflow.alloc {depth = 2 : i64, name = "a"} : memref<64x64xf32, "lx">
    dataflow.data_transfer from @device[%i from %x] strides [64, 1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<64x64xf32, "lx">
    %t = dataflow.alloc {depth = 2 : i64, name = "t"} : memref<64x64xf32, "lx">
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : memref<64x64xf32, "lx">) outs(%t : memref<64x64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = math.exp %p : f32
    linalg.yield %0 : f32
  }
    %v = memref.subview %t[0, 0] [32, 64] [1, 1] : memref<64x64xf32, "lx"> to memref<32x64xf32, strided<[64, 1]>, "lx">
    dataflow.data_transfer from %v to @device[%i from %x] strides [64, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<32x64xf32, strided<[64, 1]>, "lx">
  }
  return
}
