// A view in several parts: a clipped read per part, each into what the later ones gave, and a clipped write per part.
//
// RUN: spyrec opt %s --resolve-views 2>/dev/null | filecheck %s

#top = affine_set<(r, c) : (r >= 0, -r + 14 >= 0, c >= 0, -c + 63 >= 0)>
#bottom = affine_set<(r, c) : (r - 15 >= 0, -r + 23 >= 0, c >= 0, -c + 63 >= 0)>
#over = affine_set<(r, c) : (r - 12 >= 0, -r + 23 >= 0, c >= 0, -c + 63 >= 0)>
#tile = affine_set<(r, c) : (r >= 0, -r + 5 >= 0, c >= 0, -c + 63 >= 0)>
#id = affine_map<(r, c) -> (r, c)>

// The last part is read first: of points that two parts hold the first one is right. Its rows count from its own lowest.
// CHECK-LABEL: func.func @straddles(%x: index, %y: index)
// CHECK: %[[B:.*]] = dataflow.read @lx[%{{.*}} from %y] strides [1, 9] clip [%{{.*}}, 0] to [6, 64] get %{{.*}} : tensor<6x64xf16>
// CHECK: %[[A:.*]] = dataflow.read @device[%{{.*}} from %x] strides [64, 1] clip [0, 0] to [%{{.*}}, 64] into %[[B]] : tensor<6x64xf16>
// CHECK: dataflow.write %[[A]], @lx[%{{.*}} from %y] strides [1, 9] clip [%{{.*}}, 0] to [6, 64] put
// CHECK: dataflow.write %[[A]], @device[%{{.*}} from %x] strides [64, 1] clip [0, 0] to [%{{.*}}, 64] :
func.func @straddles(%x: index, %y: index) attributes {grid = [4]} {
  %t = dataflow.tile_id
  %a = ktdp.construct_memory_view %x, sizes: [15, 64], strides: [64, 1] {coordinate_set = #top, memory_space = #ktdp.memory_space<global>} : memref<15x64xf16>
  %b = ktdp.construct_memory_view %y, sizes: [9, 64], strides: [1, 9] {coordinate_set = #bottom, memory_space = #ktdp.memory_space<ct_local, ct_id = 2>} : memref<9x64xf16>
  %v = ktdp.construct_distributed_memory_view (%a, %b : memref<15x64xf16>, memref<9x64xf16>) : memref<24x64xf16>
  %w = ktdp.construct_access_tile %v[%t * 6, 0] {access_tile_set = #tile, access_tile_order = #id} : memref<24x64xf16> -> !ktdp.access_tile<6x64xindex>
  %d = ktdp.load %w : <6x64xindex> -> tensor<6x64xf16>
  ktdp.store %d, %w : tensor<6x64xf16>, <6x64xindex>
  return
}

// One part, where it is certain that there is no other: the second holds none of the rows, or only what the first has too.
// CHECK-LABEL: func.func @one_part(%x: index, %y: index)
// CHECK: dataflow.read @device[%{{.*}} from %x] strides [64, 1] : tensor<6x64xf16>
// CHECK-NOT: from %y
// CHECK: return
func.func @one_part(%x: index, %y: index) attributes {grid = [1]} {
  %a = ktdp.construct_memory_view %x, sizes: [15, 64], strides: [64, 1] {coordinate_set = #top, memory_space = #ktdp.memory_space<global>} : memref<15x64xf16>
  %b = ktdp.construct_memory_view %y, sizes: [12, 64], strides: [64, 1] {coordinate_set = #over, memory_space = #ktdp.memory_space<global>} : memref<12x64xf16>
  %v = ktdp.construct_distributed_memory_view (%a, %b : memref<15x64xf16>, memref<12x64xf16>) : memref<24x64xf16>
  %w = ktdp.construct_access_tile %v[3, 0] {access_tile_set = #tile, access_tile_order = #id} : memref<24x64xf16> -> !ktdp.access_tile<6x64xindex>
  %d = ktdp.load %w : <6x64xindex> -> tensor<6x64xf16>
  %p = ktdp.construct_access_tile %v[9, 0] {access_tile_set = #tile, access_tile_order = #id} : memref<24x64xf16> -> !ktdp.access_tile<6x64xindex>
  %e = ktdp.load %p : <6x64xindex> -> tensor<6x64xf16>
  return
}
