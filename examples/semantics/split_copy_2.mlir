// A view of 24 x 64 in two parts of device memory, the second column-major; tiles of 6 rows, one of which straddles the
// border between rows 0..14 and 15..23.

#top = affine_set<(r, c) : (r >= 0, -r + 14 >= 0, c >= 0, -c + 63 >= 0)>
#bottom = affine_set<(r, c) : (r - 15 >= 0, -r + 23 >= 0, c >= 0, -c + 63 >= 0)>
#all = affine_set<(r, c) : (r >= 0, -r + 23 >= 0, c >= 0, -c + 63 >= 0)>
#tile = affine_set<(r, c) : (r >= 0, -r + 5 >= 0, c >= 0, -c + 63 >= 0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>

func.func @split_copy_2(%a_ptr: index, %b_ptr: index, %out_ptr: index) attributes {grid = [4]} {
  %core = ktdp.get_compute_tile_id : index
  %a = ktdp.construct_memory_view %a_ptr, sizes: [15, 64], strides: [64, 1] {coordinate_set = #top, memory_space = #ktdp.memory_space<global>} : memref<15x64xf16>
  %b = ktdp.construct_memory_view %b_ptr, sizes: [9, 64], strides: [1, 9] {coordinate_set = #bottom, memory_space = #ktdp.memory_space<global>} : memref<9x64xf16>
  %whole = ktdp.construct_distributed_memory_view (%a, %b : memref<15x64xf16>, memref<9x64xf16>) : memref<24x64xf16>
  %out = ktdp.construct_memory_view %out_ptr, sizes: [24, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<24x64xf16>
  %from = ktdp.construct_access_tile %whole[%core * 6, 0] {access_tile_order = #id2, access_tile_set = #tile} : memref<24x64xf16> -> !ktdp.access_tile<6x64xindex>
  %to = ktdp.construct_access_tile %out[%core * 6, 0] {access_tile_order = #id2, access_tile_set = #tile} : memref<24x64xf16> -> !ktdp.access_tile<6x64xindex>
  %v = ktdp.load %from : <6x64xindex> -> tensor<6x64xf16>
  ktdp.store %v, %to : tensor<6x64xf16>, <6x64xindex>
  return
}
