// What does not fit into a stage of 8 KiB passes it in equal pieces, of which two have room.
//
// RUN: spyrec opt %s --device=%S/../../Devices/Inputs/staged.mlir --set device.l1.size=8192 --narrow-stages | filecheck %s
// RUN: spyrec opt %s --device=%S/../../Devices/Inputs/staged.mlir --set device.l1.size=8192 --narrow-stages --narrow-stages | filecheck %s
// RUN: spyrec opt %s --device=%S/../../Devices/Inputs/staged.mlir --narrow-stages | filecheck %s --check-prefix=ROOM

// ROOM-NOT: scf.for

// 16 KiB in four pieces of 16 rows.
// CHECK-LABEL: func.func @load
// CHECK: %[[B:.*]] = dataflow.alloc {name = "x"} : memref<64x128xf16, "lx">
// CHECK-NOT: dataflow.alloc
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %[[N:.*]] step
// CHECK: %[[R:.*]] = affine.apply #[[ROWS:.*]](%[[K]])
// CHECK: %[[S:.*]] = dataflow.alloc {name = "x_l1"} : memref<16x128xf16, "l1">
// CHECK: %[[D:.*]] = affine.apply #{{.*}}(%[[R]])
// CHECK: %[[P:.*]] = affine.apply #{{.*}}(%o, %[[D]])
// CHECK: dataflow.data_transfer from @device[%[[P]] from %x] strides [200, 1] to %[[S]] {route = ["ddr", "fetch", "l1"], unit = @fetch} : memref<16x128xf16, "l1">
// CHECK: %[[V:.*]] = memref.subview %[[B]][%[[R]], 0] [16, 128] [1, 1]
// CHECK: dataflow.data_transfer from %[[S]] to %[[V]] {route = ["l1", "fill", "lx"], unit = @fill}
// CHECK: }
// CHECK-NOT: dataflow.data_transfer
func.func @load(%x: index, %o: index) attributes {grid = [1]} {
  %b = dataflow.alloc {name = "x"} : memref<64x128xf16, "lx">
  %s = dataflow.alloc {name = "x_l1"} : memref<64x128xf16, "l1">
  dataflow.data_transfer from @device[%o from %x] strides [200, 1] to %s {route = ["ddr", "fetch", "l1"], unit = @fetch} : memref<64x128xf16, "l1">
  dataflow.data_transfer from %s to %b {route = ["l1", "fill", "lx"], unit = @fill} : memref<64x128xf16, "l1">, memref<64x128xf16, "lx">
  return
}

// Bounds count from the piece. Rows are 6 KiB long, so they are moved one by one, each in halves.
// CHECK-LABEL: func.func @clipped
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step
// CHECK-DAG: %[[R:.*]] = affine.apply #{{.*}}(%[[J]])
// CHECK-DAG: dataflow.alloc {name = "y_l1"} : memref<1x1536xf16, "l1">
// CHECK: %[[V:.*]] = memref.subview %{{.*}}[%[[I]], %[[R]]] [1, 1536] [1, 1]
// CHECK: %[[LOW:.*]] = affine.apply #{{.*}}(%{{.*}}, %[[I]])
// CHECK: dataflow.data_transfer from %[[V]] to %[[S:.*]] clip [%[[LOW]], %{{.*}}] to [%{{.*}}, %{{.*}}] {route = ["lx", "spill", "l1"]
// CHECK: dataflow.data_transfer from %[[S]] to @device[%{{.*}} from %y] strides [%n, 1] clip
func.func @clipped(%y: index, %o: index, %n: index) attributes {grid = [1]} {
  %b = dataflow.alloc {name = "y"} : memref<3x3072xf16, "lx">
  %s = dataflow.alloc {name = "y_l1"} : memref<3x3072xf16, "l1">
  dataflow.data_transfer from %b to %s clip [0, 1] to [%n, 3072] {route = ["lx", "spill", "l1"], unit = @spill} : memref<3x3072xf16, "lx">, memref<3x3072xf16, "l1">
  dataflow.data_transfer from %s to @device[%o from %y] strides [%n, 1] clip [0, 1] to [%n, 3072] {route = ["l1", "drain", "ddr"], unit = @drain} : memref<3x3072xf16, "l1">
  return
}

// A list is that of the points of the piece.
// CHECK-LABEL: func.func @listed
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step
// CHECK: %[[R:.*]] = affine.apply #{{.*}}(%[[K]])
// CHECK: %[[L:.*]] = memref.subview %{{.*}}[%[[R]]] [16] [1] : memref<64xi32, "lx">
// CHECK: dataflow.data_transfer from @device[%{{.*}} from %x] strides [0, 1] to %{{.*}} index(%[[L]] : memref<16xi32, {{.*}}"lx">) below [100]
func.func @listed(%x: index, %o: index) attributes {grid = [1]} {
  %l = dataflow.alloc {name = "l"} : memref<64xi32, "lx">
  %b = dataflow.alloc {name = "x"} : memref<64x128xf16, "lx">
  %s = dataflow.alloc {name = "x_l1"} : memref<64x128xf16, "l1">
  dataflow.data_transfer from @device[%o from %x] strides [0, 1] to %s index (%l : memref<64xi32, "lx">) below [100]
    {index_maps = [affine_map<(r, c) -> (r)>], index_scales = array<i64: 128>, index_sides = ["source"], route = ["ddr", "fetch", "l1"], unit = @fetch} : memref<64x128xf16, "l1">
  dataflow.data_transfer from %s to %b {route = ["l1", "fill", "lx"], unit = @fill} : memref<64x128xf16, "l1">, memref<64x128xf16, "lx">
  return
}
