// Where no unit links device memory and LX, bytes rest in a stage: a transfer per leg, a buffer of the stage between two.
//
// RUN: spyrec opt %s --device=%S/../../Devices/Inputs/staged.mlir --materialize-tiles | filecheck %s
// RUN: spyrec opt %s --device=%S/../../Devices/Inputs/shared_stage.mlir --materialize-tiles | filecheck %s --check-prefix=SHARED

// CHECK-LABEL: func.func @copy
// CHECK: %[[B:.*]] = dataflow.alloc {name = "x"} : memref<2x64xf16, "lx">
// CHECK: %[[S:.*]] = dataflow.alloc {name = "x_l1"} : memref<2x64xf16, "l1">
// CHECK: dataflow.data_transfer from @device[%{{.*}} from %x] strides [128, 1] to %[[S]] {route = ["ddr", "fetch", "l1"], unit = @fetch}
// CHECK: dataflow.data_transfer from %[[S]] to %[[B]] {route = ["l1", "fill", "lx"], unit = @fill}
// CHECK: %[[M:.*]] = bufferization.to_buffer
// CHECK: %[[T:.*]] = dataflow.alloc {name = "y_l1"} : memref<2x64xf16, "l1">
// CHECK: dataflow.data_transfer from %[[M]] to %[[T]] {route = ["lx", "spill", "l1"], unit = @spill}
// CHECK: dataflow.data_transfer from %[[T]] to @device[%{{.*}} from %y] strides [64, 1] {route = ["l1", "drain", "ddr"], unit = @drain}
// Results go straight back where a unit does it.
// SHARED-LABEL: func.func @copy
// SHARED: {route = ["ddr", "fetch", "l2"], unit = @fetch} : memref<2x64xf16, "l2">
// SHARED: {route = ["l2", "fill", "lx"], unit = @fill} : memref<2x64xf16, "l2">, memref<2x64xf16, "lx">
// SHARED-NOT: dataflow.alloc
// SHARED: {route = ["lx", "store", "ddr"], unit = @store}
func.func @copy(%x: index, %y: index) attributes {grid = [1]} {
  %o = arith.constant 0 : index
  %a = dataflow.read @device[%o from %x] strides [128, 1] : tensor<2x64xf16>
  dataflow.write %a, @device[%o from %y] strides [64, 1] : tensor<2x64xf16>
  return
}

// The first leg fills what it leaves out, so the second one moves everything. What begins with another tensor, or goes
// to memory, is moved where it has contents, on each leg.
// CHECK-LABEL: func.func @clips
// CHECK: from @device[{{.*}}] strides [64, 1] to %[[A:.*]] clip [0, 0] to [%n, 64] fill 0 {route = ["ddr", "fetch", "l1"]
// CHECK: from %[[A]] to %[[B:[^ ]*]] {route = ["l1", "fill", "lx"]
// CHECK: from @device[{{.*}}] strides [64, 1] to %[[C:.*]] clip [%n, 0] to [8, 64] {route = ["ddr", "fetch", "l1"]
// CHECK: from %[[C]] to %[[B]] clip [%n, 0] to [8, 64] {route = ["l1", "fill", "lx"]
// CHECK: from %{{.*}} to %[[D:.*]] clip [0, 0] to [%n, 64] {route = ["lx", "spill", "l1"]
// CHECK: from %[[D]] to @device[{{.*}}] strides [64, 1] clip [0, 0] to [%n, 64] {route = ["l1", "drain", "ddr"]
func.func @clips(%x: index, %y: index, %n: index) attributes {grid = [1]} {
  %o = arith.constant 0 : index
  %a = dataflow.read @device[%o from %x] strides [64, 1] clip [0, 0] to [%n, 64] : tensor<8x64xf16>
  %b = dataflow.read @device[%o from %y] strides [64, 1] clip [%n, 0] to [8, 64] into %a : tensor<8x64xf16>
  dataflow.write %b, @device[%o from %x] strides [64, 1] clip [0, 0] to [%n, 64] : tensor<8x64xf16>
  return
}

// Lists are looked up by the leg that touches device memory; they lie in LX themselves.
// CHECK-LABEL: func.func @lists
// CHECK: from @device[{{.*}}] strides [0, 1] to %[[A:.*]] index(%[[L:.*]] : memref<8xi32, "lx">) below [100] {{.*}}unit = @fetch
// CHECK: from %[[A]] to %{{.*}} {route = ["l1", "fill", "lx"], unit = @fill}
// CHECK: from %{{.*}} to %[[B:.*]] {route = ["lx", "spill", "l1"], unit = @spill}
// CHECK: from %[[B]] to @device[{{.*}}] strides [0, 1] index(%{{.*}} : memref<8xi32, "lx">) below [100] {{.*}}unit = @drain
func.func @lists(%x: index, %l: index) attributes {grid = [1]} {
  %o = arith.constant 0 : index
  %list = dataflow.read @device[%o from %l] strides [1] : tensor<8xi32>
  %a = dataflow.read @device[%o from %x] strides [0, 1] index(%list : tensor<8xi32>) below [100]
    {index_maps = [affine_map<(r, c) -> (r)>], index_scales = array<i64: 64>} : tensor<8x64xf16>
  dataflow.write %a, @device[%o from %x] strides [0, 1] index(%list : tensor<8xi32>) below [100]
    {index_maps = [affine_map<(r, c) -> (r)>], index_scales = array<i64: 64>} : tensor<8x64xf16>
  return
}

// A set is moved row by row, on each leg, but for the second one behind a fill.
#lower = affine_set<(r, c) : (r - c >= 0)>
// CHECK-LABEL: func.func @rows
// CHECK: to %[[A:.*]] clip [0, 0] to [0, 0] fill 0 {{.*}}unit = @fetch
// CHECK: scf.for
// CHECK: to %[[A]] clip {{.*}}unit = @fetch
// CHECK: from %[[A]] to %{{[^ ]*}} {route = ["l1", "fill", "lx"]
// CHECK: scf.for
// CHECK: to %[[B:.*]] clip {{.*}}unit = @spill
// CHECK: scf.for
// CHECK: from %[[B]] to @device{{.*}} clip {{.*}}unit = @drain
func.func @rows(%x: index) attributes {grid = [1]} {
  %o = arith.constant 0 : index
  %a = dataflow.read @device[%o from %x] strides [8, 1] set #lower : tensor<8x8xf16>
  dataflow.write %a, @device[%o from %x] strides [8, 1] set #lower : tensor<8x8xf16>
  return
}
