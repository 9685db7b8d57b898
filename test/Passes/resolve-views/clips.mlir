// What is not proven to be inside its view is clipped; what is, is not.
//
// RUN: spyrec opt %s --resolve-views 2>/dev/null | filecheck %s
// RUN: spyrec opt %s --resolve-views --canonicalize --cse 2>/dev/null | filecheck %s --check-prefix=ONCE

#all = affine_set<(r, c) : (r >= 0, -r + 29 >= 0, c >= 0, -c + 47 >= 0)>
#six = affine_set<(r, c) : (r >= 0, -r + 5 >= 0, c >= 0, -c + 47 >= 0)>
#tile = affine_set<(r, c) : (r >= 0, -r + 7 >= 0, c >= 0, -c + 63 >= 0)>
#late = affine_set<(r, c) : (r - 1 >= 0, -r + 2 >= 0, c - 8 >= 0, -c + 15 >= 0)>
#some = affine_set<(r, c)[n] : (r >= 0, -r + n - 1 >= 0, c >= 0, -c + 63 >= 0)>
#upper = affine_set<(r, c) : (r >= 0, -r + 7 >= 0, c >= 0, -c + 47 >= 0, c - r >= 0)>
#sieve = affine_set<(r, c) : (r >= 0, -r + 7 >= 0, c >= 0, -c + 47 >= 0, (r + c) mod 2 == 0)>
#near = affine_set<(r, c) : (r >= 0, -r + 29 >= 0, c >= 0, -c + 47 >= 0, r * 2 - c >= 0)>
#id = affine_map<(r, c) -> (r, c)>
#swap = affine_map<(r, c) -> (c, r)>

// CHECK-DAG: #[[LEFT:.*]] = affine_map<(d0) -> (d0 * -8 + 30)>
// CHECK-DAG: #[[UPPER:.*]] = affine_set<(d0, d1) : (-d0 + d1 >= 0)>
// CHECK-DAG: #[[SIEVE:.*]] = affine_set<(d0, d1) : ((d0 + d1) mod 2 == 0)>
// CHECK-DAG: #[[NEAR:.*]] = affine_set<(d0, d1)[s0] : (d0 * 2 + s0 - d1 >= 0)>

// Rows of the last tile and columns of all; the signature asks for the view, not for the tiles.
// CHECK-LABEL: func.func @ragged
// CHECK-SAME: end = 1440 : i64
// CHECK: %[[ROWS:.*]] = affine.apply #[[LEFT]](%{{.*}})
// CHECK: dataflow.read @device[%{{.*}} from %x] strides [48, 1] clip [0, 0] to [%[[ROWS]], 48] : tensor<8x64xf32>
// CHECK: dataflow.write %{{.*}}, @device[%{{.*}} from %x] strides [48, 1] clip [0, 0] to [%{{.*}}, 48] : tensor<8x64xf32>
func.func @ragged(%x: index) attributes {grid = [4]} {
  %t = dataflow.tile_id
  %v = ktdp.construct_memory_view %x, sizes: [30, 48], strides: [48, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<30x48xf32>
  %a = ktdp.construct_access_tile %v[%t * 8, 0] {access_tile_set = #tile, access_tile_order = #id} : memref<30x48xf32> -> !ktdp.access_tile<8x64xindex>
  %b = ktdp.load %a : <8x64xindex> -> tensor<8x64xf32>
  ktdp.store %b, %a : tensor<8x64xf32>, <8x64xindex>
  return
}

// Inside: nothing is clipped, in whatever order.
// CHECK-LABEL: func.func @inside
// CHECK: dataflow.read @device[%{{.*}} from %x] strides [1, 48] : tensor<48x6xf32>
// CHECK-NOT: clip
func.func @inside(%x: index) attributes {grid = [4]} {
  %t = dataflow.tile_id
  %v = ktdp.construct_memory_view %x, sizes: [30, 48], strides: [48, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<30x48xf32>
  %a = ktdp.construct_access_tile %v[%t * 8, 0] {access_tile_set = #six, access_tile_order = #swap} : memref<30x48xf32> -> !ktdp.access_tile<48x6xindex>
  %b = ktdp.load %a : <48x6xindex> -> tensor<48x6xf32>
  return
}

// A set that starts late moves the box, and one that is smaller than its tile clips it, in the order of the tensor.
// CHECK-LABEL: func.func @late
// CHECK: %[[AT:.*]] = arith.constant 56 : index
// CHECK: dataflow.read @device[%[[AT]] from %x] strides [1, 48] clip [0, 0] to [8, 2] : tensor<64x8xf32>
func.func @late(%x: index) attributes {grid = [1]} {
  %v = ktdp.construct_memory_view %x, sizes: [30, 48], strides: [48, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<30x48xf32>
  %a = ktdp.construct_access_tile %v[0, 0] {access_tile_set = #late, access_tile_order = #swap} : memref<30x48xf32> -> !ktdp.access_tile<64x8xindex>
  %b = ktdp.load %a : <64x8xindex> -> tensor<64x8xf32>
  return
}

// How many points there are may be a number of the run: the lesser of two bounds.
// CHECK-LABEL: func.func @symbols(%x: index, %n: index)
// CHECK: %[[LESS:.*]] = arith.minsi
// CHECK: dataflow.read @device[%{{.*}} from %x] strides [48, 1] clip [0, 0] to [%[[LESS]], 48] : tensor<8x64xf32>
func.func @symbols(%x: index, %n: index) attributes {grid = [4]} {
  %t = dataflow.tile_id
  %v = ktdp.construct_memory_view %x, sizes: [30, 48], strides: [48, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<30x48xf32>
  %a = ktdp.construct_access_tile %v[%t * 8, 0] symbols(%n) {access_tile_set = #some, access_tile_order = #id} : memref<30x48xf32> -> !ktdp.access_tile<8x64xindex>
  %b = ktdp.load %a : <8x64xindex> -> tensor<8x64xf32>
  return
}

// Triangles, sieves, and views that are no boxes.
// CHECK-LABEL: func.func @sets
// CHECK: dataflow.read @device[%{{.*}} from %x] strides [48, 1] set #[[UPPER]] : tensor<8x48xf32>
// CHECK: dataflow.write %{{.*}}, @device[%{{.*}} from %x] strides [48, 1] set #[[SIEVE]] : tensor<8x48xf32>
// CHECK: dataflow.read @device[%{{.*}} from %x] strides [48, 1] set #[[NEAR]] symbols(%{{.*}}) : tensor<6x48xf32>
func.func @sets(%x: index) attributes {grid = [4]} {
  %t = dataflow.tile_id
  %v = ktdp.construct_memory_view %x, sizes: [30, 48], strides: [48, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<30x48xf32>
  %a = ktdp.construct_access_tile %v[0, 0] {access_tile_set = #upper, access_tile_order = #id} : memref<30x48xf32> -> !ktdp.access_tile<8x48xindex>
  %b = ktdp.load %a : <8x48xindex> -> tensor<8x48xf32>
  %c = ktdp.construct_access_tile %v[8, 0] {access_tile_set = #sieve, access_tile_order = #id} : memref<30x48xf32> -> !ktdp.access_tile<8x48xindex>
  ktdp.store %b, %c : tensor<8x48xf32>, <8x48xindex>
  %w = ktdp.construct_memory_view %x, sizes: [30, 48], strides: [48, 1] {coordinate_set = #near, memory_space = #ktdp.memory_space<global>} : memref<30x48xf32>
  %d = ktdp.construct_access_tile %w[%t * 8, 0] {access_tile_set = #six, access_tile_order = #id} : memref<30x48xf32> -> !ktdp.access_tile<6x48xindex>
  %e = ktdp.load %d : <6x48xindex> -> tensor<6x48xf32>
  return
}

// Sizes and strides of the run; a bound that is computed for the load serves the store too.
// CHECK-LABEL: func.func @dynamic(%x: index, %n: index, %pitch: index)
// CHECK-SAME: sizes = array<i64: 0, 48>, strides = array<i64: 0, 1>
// CHECK: dataflow.read @device[%{{.*}} from %x] strides [%pitch, 1] clip [0, 0] to [%{{.*}}, 8] : tensor<8x8xf32>
// ONCE-LABEL: func.func @dynamic
// ONCE: dataflow.read
// ONCE-NOT: affine.apply
// ONCE: dataflow.write
#rows = affine_set<(r, c)[n] : (r >= 0, -r + n - 1 >= 0, c >= 0, -c + 47 >= 0)>
#eight = affine_set<(r, c) : (r >= 0, -r + 7 >= 0, c >= 0, -c + 7 >= 0)>
func.func @dynamic(%x: index, %n: index, %pitch: index) attributes {grid = [4]} {
  %t = dataflow.tile_id
  %v = ktdp.construct_memory_view %x, sizes: [%n, 48], strides: [%pitch, 1] {coordinate_set = #rows, memory_space = #ktdp.memory_space<global>} : memref<?x48xf32>
  %a = ktdp.construct_access_tile %v[%t * 8, %t * 8] {access_tile_set = #eight, access_tile_order = #id} : memref<?x48xf32> -> !ktdp.access_tile<8x8xindex>
  %b = ktdp.load %a : <8x8xindex> -> tensor<8x8xf32>
  ktdp.store %b, %a : tensor<8x8xf32>, <8x8xindex>
  return
}

// A scratchpad is a memory of its own, that of this core or of another, and nothing that a launch has to give.
// CHECK-LABEL: func.func @scratchpads
// CHECK-SAME: dataflow.signature = []
// CHECK: %[[V:.*]] = dataflow.read @lx[%{{.*}}] strides [48, 1] : tensor<6x48xf32>
// CHECK: %[[P:.*]] = arith.constant 3 : index
// CHECK: dataflow.write %[[V]], @lx[%{{.*}}] strides [48, 1] put %[[P]] : tensor<6x48xf32>
func.func @scratchpads() attributes {grid = [4]} {
  %at = arith.constant 64 : index
  %v = ktdp.construct_memory_view %at, sizes: [6, 48], strides: [48, 1] {coordinate_set = #six, memory_space = #ktdp.memory_space<ct_local>} : memref<6x48xf32>
  %w = ktdp.construct_memory_view %at, sizes: [6, 48], strides: [48, 1] {coordinate_set = #six, memory_space = #ktdp.memory_space<ct_local, ct_id = 3>} : memref<6x48xf32>
  %a = ktdp.construct_access_tile %v[0, 0] {access_tile_set = #six, access_tile_order = #id} : memref<6x48xf32> -> !ktdp.access_tile<6x48xindex>
  %c = ktdp.construct_access_tile %w[0, 0] {access_tile_set = #six, access_tile_order = #id} : memref<6x48xf32> -> !ktdp.access_tile<6x48xindex>
  %b = ktdp.load %a : <6x48xindex> -> tensor<6x48xf32>
  ktdp.store %b, %c : tensor<6x48xf32>, <6x48xindex>
  return
}
