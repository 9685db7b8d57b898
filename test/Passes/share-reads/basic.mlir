// What all 32 tiles read comes from device memory once, in loops one iteration ahead; tiles of a grid share rows with one
// another and columns with others. What they compute stays the same: test_share_reads.py.
//
// RUN: spyrec opt %s --share-reads --verify-roundtrip | filecheck %s
// RUN: spyrec opt %s --share-reads > %t && spyrec opt %t --share-reads | cmp - %t

// In a loop: a buffer that the owner fills, and room for the iteration after. A post comes after all that stands before
// it, but for what says only that the boxes are there.
// CHECK-LABEL: func.func @weights
// CHECK: dataflow.channel @w_ready from @ring to @ring {init = 0 : i64, peers}
// CHECK: dataflow.channel @w_room from @ring to @ring {init = 1 : i64, peers}
// CHECK: %[[TILE:.*]] = dataflow.tile_id
// CHECK: %[[FIRST:.*]] = affine.apply {{.*}}(%[[TILE]])
// CHECK-NEXT: %[[TARGET:.*]] = affine.apply {{.*}}(%[[TILE]])
// CHECK-NEXT: %[[OWNER:.*]] = affine.apply {{.*}}(%[[TILE]])
// CHECK: %[[OWNS:.*]] = arith.cmpi eq, %[[TILE]], %[[OWNER]] : index
// CHECK: scf.for %[[I:.*]] =
// CHECK: %[[W:.*]] = dataflow.alloc {depth = 2 : i64, name = "w"} : memref<64x128xf16, "lx">
// CHECK-NEXT: %[[OWN:.*]] = dataflow.alloc {name = "w_own"} : memref<64x128xf16, "lx">
// CHECK-NEXT: scf.if %[[OWNS]] {
// CHECK-NEXT: dataflow.data_transfer from @device[%{{.*}} from %w] strides [128, 1] to %[[OWN]]
// CHECK-NEXT: scf.for
// CHECK-NEXT: %[[MEMBER:.*]] = affine.apply {{.*}}(%[[FIRST]], %
// CHECK-NEXT: dataflow.wait @w_room from %[[MEMBER]] {alone, unit = @ring}
// CHECK-NEXT: }
// CHECK-NEXT: dataflow.data_transfer from %[[OWN]] to %[[W]] put %[[TARGET]] times 32 by 1 {route = ["lx", "ring", "lx"], unit = @ring}
// CHECK-NEXT: scf.for
// CHECK-NEXT: %[[MEMBER:.*]] = affine.apply {{.*}}(%[[FIRST]], %
// CHECK-NEXT: dataflow.post @w_ready to %[[MEMBER]] {alone, unit = @ring}
// CHECK: dataflow.wait @w_ready from %[[OWNER]] about(%[[W]] : memref<64x128xf16, "lx">) {unit = @ring}
// CHECK-NEXT: dataflow.post @w_room to %[[OWNER]] about(%[[W]] : memref<64x128xf16, "lx">) {unit = @ring}
// CHECK-NEXT: dataflow.data_transfer from %[[W]] to @device
func.func @weights(%w: index, %y: index) attributes {grid = [32]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %t = dataflow.tile_id
  scf.for %i = %c0 to %c4 step %c1 {
    %at = affine.apply affine_map<(i) -> (i * 8192)>(%i)
    %to = affine.apply affine_map<(i)[t] -> (i * 8192 + t * 32768)>(%i)[%t]
    %b = dataflow.alloc {name = "w"} : memref<64x128xf16, "lx">
    dataflow.data_transfer from @device[%at from %w] strides [128, 1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<64x128xf16, "lx">
    dataflow.data_transfer from %b to @device[%to from %y] strides [128, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64x128xf16, "lx">
  }
  return
}

// Two reads of the same groups go around together, where the first of them stands, in pieces unless they are clipped.
// Nobody has to say that there is room: there is one instance. What each tile reads for itself stays.
// CHECK-LABEL: func.func @once
// CHECK-NOT: room
// CHECK: dataflow.data_transfer from @device[%{{.*}} from %x] strides [1] to %[[X:.*]] {
// CHECK: %[[W:.*]] = dataflow.alloc {name = "w"}
// CHECK-NEXT: affine.apply
// CHECK-NEXT: %[[V:.*]] = dataflow.alloc {name = "v"}
// CHECK-NEXT: scf.if
// CHECK-NEXT: %[[PIECE:.*]] = memref.subview %[[W]][0, 0] [16, 128]
// CHECK-NEXT: dataflow.data_transfer from @device[%{{.*}} from %w] {{.*}} to %[[PIECE]] {
// CHECK: %[[LAST:.*]] = memref.subview %[[W]][48, 0] [16, 128]
// CHECK: dataflow.data_transfer from @device[%{{.*}} from %w] {{.*}} to %[[LAST]] {
// CHECK-NEXT: dataflow.data_transfer from @device[%{{.*}} from %v] {{.*}} to %[[V]] clip [0, 0] to [60, 128] fill 0 {
// CHECK-NEXT: dataflow.data_transfer from %[[PIECE]] to %[[PIECE]] put %{{.*}} times 31 by 1
// CHECK: dataflow.data_transfer from %[[LAST]] to %[[LAST]] put
// CHECK-NEXT: dataflow.data_transfer from %[[V]] to %[[V]] put
// CHECK: dataflow.wait @w_ready
// CHECK-NEXT: dataflow.data_transfer from %[[X]]
// CHECK: dataflow.data_transfer from %[[W]] to @device
// CHECK: dataflow.data_transfer from %[[V]] to @device
func.func @once(%x: index, %w: index, %v: index, %y: index) attributes {grid = [32]} {
  %c0 = arith.constant 0 : index
  %t = dataflow.tile_id
  %to = affine.apply affine_map<(t) -> (t * 20480)>(%t)
  %0 = dataflow.alloc {name = "x"} : memref<64xf16, "lx">
  dataflow.data_transfer from @device[%to from %x] strides [1] to %0 {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
  %1 = dataflow.alloc {name = "w"} : memref<64x128xf16, "lx">
  dataflow.data_transfer from @device[%c0 from %w] strides [128, 1] to %1 {route = ["ddr", "load", "lx"], unit = @load} : memref<64x128xf16, "lx">
  dataflow.data_transfer from %0 to @device[%to from %y] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
  %to1 = affine.apply affine_map<(t) -> (t * 20480 + 64)>(%t)
  dataflow.data_transfer from %1 to @device[%to1 from %y] strides [128, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64x128xf16, "lx">
  %at = affine.apply affine_map<(c) -> (c + 256)>(%c0)
  %2 = dataflow.alloc {name = "v"} : memref<64x128xf16, "lx">
  dataflow.data_transfer from @device[%at from %v] strides [128, 1] to %2 clip [0, 0] to [60, 128] fill 0 {route = ["ddr", "load", "lx"], unit = @load} : memref<64x128xf16, "lx">
  %to2 = affine.apply affine_map<(t) -> (t * 20480 + 8256)>(%t)
  dataflow.data_transfer from %2 to @device[%to2 from %y] strides [128, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64x128xf16, "lx">
  return
}

// Tiles of one row of a 4 x 8 grid read the same rows of one matrix, those of one column the same columns of the other.
// All puts of a core come before all that it waits for.
// CHECK-LABEL: func.func @grid
// CHECK: dataflow.data_transfer {{.*}} put %{{.*}} times 8 by 4
// CHECK: dataflow.data_transfer {{.*}} put %{{.*}} times 4 by 1
// CHECK: dataflow.wait @a_ready
// CHECK-NEXT: dataflow.wait @b_ready
// CHECK-NEXT: dataflow.post @a_room
// CHECK-NEXT: dataflow.post @b_room
func.func @grid(%a: index, %b: index, %y: index, %n: index) attributes {grid = [32]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = dataflow.tile_id
  scf.for %k = %c0 to %n step %c1 {
    %from = affine.apply affine_map<(k)[t] -> ((t mod 4) * 32768 + k * 64)>(%k)[%t]
    %0 = dataflow.alloc {name = "a"} : memref<64x64xf16, "lx">
    dataflow.data_transfer from @device[%from from %a] strides [512, 1] to %0 {route = ["ddr", "load", "lx"], unit = @load} : memref<64x64xf16, "lx">
    %across = affine.apply affine_map<(k)[t] -> ((t floordiv 4) * 64 + k * 32768)>(%k)[%t]
    %1 = dataflow.alloc {name = "b"} : memref<64x64xf16, "lx">
    dataflow.data_transfer from @device[%across from %b] strides [512, 1] to %1 {route = ["ddr", "load", "lx"], unit = @load} : memref<64x64xf16, "lx">
    %to = affine.apply affine_map<(k)[t] -> (t * 65536 + k * 8192)>(%k)[%t]
    %to1 = affine.apply affine_map<(k)[t] -> (t * 65536 + k * 8192 + 4096)>(%k)[%t]
    dataflow.data_transfer from %0 to @device[%to from %y] strides [64, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64x64xf16, "lx">
    dataflow.data_transfer from %1 to @device[%to1 from %y] strides [64, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64x64xf16, "lx">
  }
  return
}

// LX has no room for what is on its way beside what a core works on: one slot, into which owners load, too. Members say
// that it is free before anybody waits for what comes.
// CHECK-LABEL: func.func @tight
// CHECK: dataflow.channel @w_room from @ring to @ring {init = 0 : i64, peers}
// CHECK: scf.for
// CHECK: %[[W:.*]] = dataflow.alloc {depth = 1 : i64, name = "w"}
// CHECK-NEXT: %[[V:.*]] = dataflow.alloc {depth = 1 : i64, name = "v"}
// CHECK-NEXT: dataflow.post @w_room to %{{.*}} about(%[[W]], %[[V]] :
// CHECK-NEXT: scf.if
// CHECK: dataflow.wait @w_room
// CHECK: dataflow.data_transfer from %{{.*}} to %{{.*}} put %{{.*}} times 31 by 1
// CHECK: dataflow.wait @w_ready from %{{.*}} about(%[[W]], %[[V]] :
// CHECK-NOT: dataflow.post
func.func @tight(%w: index, %v: index, %y: index, %n: index) attributes {grid = [32]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = dataflow.tile_id
  scf.for %k = %c0 to %n step %c1 {
    %0 = dataflow.alloc {name = "w"} : memref<512x600xf16, "lx">
    %1 = dataflow.alloc {name = "v"} : memref<512x600xf16, "lx">
    dataflow.data_transfer from @device[%k from %w] strides [600, 1] to %0 {route = ["ddr", "load", "lx"], unit = @load} : memref<512x600xf16, "lx">
    dataflow.data_transfer from @device[%k from %v] strides [600, 1] to %1 {route = ["ddr", "load", "lx"], unit = @load} : memref<512x600xf16, "lx">
    %to = affine.apply affine_map<(k)[t] -> (t * 614400 + k * 19660800)>(%k)[%t]
    %to1 = affine.apply affine_map<(k)[t] -> (t * 614400 + 307200 + k * 19660800)>(%k)[%t]
    dataflow.data_transfer from %0 to @device[%to from %y] strides [600, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<512x600xf16, "lx">
    dataflow.data_transfer from %1 to @device[%to1 from %y] strides [600, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<512x600xf16, "lx">
  }
  return
}

// What a kernel changes in place is each tile's own: the weights are shared all the same.
// CHECK-LABEL: func.func @in_place
// CHECK: dataflow.data_transfer from @device[%{{.*}} from %y] strides [128, 1] to %{{.*}} {route
// CHECK: put
// CHECK: dataflow.wait @w_ready
func.func @in_place(%w: index, %y: index) attributes {grid = [32]} {
  %c0 = arith.constant 0 : index
  %t = dataflow.tile_id
  %at = affine.apply affine_map<(t) -> (t * 16384)>(%t)
  %to = affine.apply affine_map<(t) -> (t * 16384 + 8192)>(%t)
  %0 = dataflow.alloc {name = "y"} : memref<64x128xf16, "lx">
  dataflow.data_transfer from @device[%at from %y] strides [128, 1] to %0 {route = ["ddr", "load", "lx"], unit = @load} : memref<64x128xf16, "lx">
  %1 = dataflow.alloc {name = "w"} : memref<64x128xf16, "lx">
  dataflow.data_transfer from @device[%c0 from %w] strides [128, 1] to %1 {route = ["ddr", "load", "lx"], unit = @load} : memref<64x128xf16, "lx">
  dataflow.data_transfer from %0 to @device[%to from %y] strides [128, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64x128xf16, "lx">
  dataflow.data_transfer from %1 to @device[%at from %y] strides [128, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64x128xf16, "lx">
  return
}
