// RUN: spyrec opt --verify-roundtrip %s | filecheck %s

// All published spellings are read; the newest is printed.

#box = affine_set<(r, c) : (r >= 0, -r + 15 >= 0, c >= 0, -c + 127 >= 0)>
#dyn = affine_set<(r, c)[s] : (r >= 0, -r + s - 1 >= 0, c >= 0, -c + 127 >= 0)>
#tile = affine_set<(a, b)[m] : (a >= 0, -a + m - 1 >= 0, b >= 0, -b + 63 >= 0)>
#id2 = affine_map<(a, b) -> (a, b)>

// CHECK-LABEL: func.func @views
func.func @views(%base: index, %n: index) {
  // CHECK: ktdp.construct_memory_view %base, sizes: [16, 128], strides: [128, 1]
  // CHECK-SAME: memory_space = #ktdp.memory_space<global>} : memref<16x128xf16>
  %a = ktdp.construct_memory_view %base, sizes: [16, 128], strides: [128, 1]
    {memory_space = #ktdp.spyre_memory_space<HBM>, coordinate_set = #box} : memref<16x128xf16>
  // CHECK: sizes: [%n, 128], strides: [128, %n]
  // CHECK-SAME: memory_space = #ktdp.memory_space<ct_local, ct_id = 7>} : memref<?x128xf16>
  %b = ktdp.construct_memory_view %base, sizes: [%n, 128], strides: [128, %n]
    {coordinate_set = #dyn, memory_space = #ktdp.spyre_memory_space<LX, core = 7>} : memref<?x128xf16>
  // CHECK: memory_space = #ktdp.memory_space<ct_local>}
  %c = ktdp.construct_memory_view %base, sizes: [16, 128], strides: [128, 1]
    {coordinate_set = #box, memory_space = #ktdp.memory_space<ct_local>} : memref<16x128xf16>
  // CHECK: memory_space = #ktdp.spyre_memory_space<L0, core = 1>}
  %d = ktdp.construct_memory_view %base, sizes: [16, 128], strides: [128, 1]
    {coordinate_set = #box, memory_space = #ktdp.spyre_memory_space<L0, core = 1>} : memref<16x128xf16>
  // CHECK: ktdp.construct_memory_view %base, sizes: [], strides: []
  // CHECK-SAME: memref<f32>
  %e = ktdp.construct_memory_view %base, sizes: [], strides: []
    {coordinate_set = affine_set<() : (0 == 0)>, memory_space = #ktdp.memory_space<global>} : memref<f32>
  return
}

// CHECK-LABEL: func.func @tiles
func.func @tiles(%v: memref<16x128xf16>, %z: memref<f32>, %i: index, %s: index, %m: index) {
  // CHECK: ktdp.construct_access_tile %v[%i * 4, symbol(%s) + 64] symbols(%m)
  // CHECK-SAME: memref<16x128xf16> -> !ktdp.access_tile<?x64xindex>
  %t = ktdp.construct_access_tile %v[%i * 4, symbol(%s) + 64] symbols(%m)
    {access_tile_set = #tile, access_tile_order = #id2} : memref<16x128xf16> -> !ktdp.access_tile<?x64xindex>
  // CHECK: ktdp.load {{.*}} : <?x64xindex> -> tensor<?x64xf16>
  %a = ktdp.load %t : !ktdp.access_tile<?x64xindex> -> tensor<?x64xf16>
  // CHECK: ktdp.store {{.*}} : tensor<?x64xf16>, <?x64xindex>
  ktdp.store %a, %t : tensor<?x64xf16>, !ktdp.access_tile<?x64xindex>
  // CHECK: ktdp.construct_access_tile %z[]
  // CHECK-SAME: memref<f32> -> !ktdp.access_tile<index>
  %u = ktdp.construct_access_tile %z[]
    {access_tile_set = affine_set<() : (0 == 0)>, access_tile_order = affine_map<() -> ()>}
    : memref<f32> -> !ktdp.access_tile<index>
  // CHECK: ktdp.load {{.*}} {my.note = 1 : i64} : <index> -> tensor<f32>
  %b = ktdp.load %u {my.note = 1} : <index> -> tensor<f32>
  return
}

// CHECK-LABEL: func.func @ids
func.func @ids() attributes {grid = [4, 2]} {
  // CHECK: ktdp.get_compute_tile_id : index, index
  %row, %col = ktdp.get_compute_tile_id : index, index
  // CHECK: ktdp.get_compute_tile_id : index{{$}}
  %flat = "ktdp.get_compute_tile_id"() : () -> index
  return
}

// MLIR's longer spelling of any type or attribute: the name stands inside of the bracket.
//
// CHECK-LABEL: func.func @longer
// CHECK-SAME: %t: !ktdp.access_tile<4x64xindex>, %n: !ktdp.runtime_arg<index, granularity=8>
// CHECK-SAME: %d: memref<64x!spyreop.df16>, %e: tensor<4x!spyreop.df16>
func.func @longer(%t: !ktdp<access_tile<4x64xindex>>, %n: !ktdp<runtime_arg<index, granularity = 8>>,
                  %d: memref<64x!spyreop<df16>>, %e: tensor<4x!spyreop<df16>>, %base: index) {
  // CHECK: memory_space = #ktdp.memory_space<ct_local, ct_id = 7>} : memref<16x128xf16>
  %a = ktdp.construct_memory_view %base, sizes: [16, 128], strides: [128, 1]
    {coordinate_set = #box, memory_space = #ktdp<spyre_memory_space<LX, core = 7>>} : memref<16x128xf16>
  // CHECK: ktdp.load %t : <4x64xindex> -> tensor<4x64xf16>
  %l = ktdp.load %t : !ktdp<access_tile<4x64xindex>> -> tensor<4x64xf16>
  return
}
