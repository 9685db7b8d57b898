// New keys go into a paged cache: token t to slot slots[t], which is page * 16 + place. One core; si32 slots.

#cache = affine_set<(p, s, d) : (p >= 0, -p + 7 >= 0, s >= 0, -s + 15 >= 0, d >= 0, -d + 63 >= 0)>
#flat = affine_set<(s, d) : (s >= 0, -s + 127 >= 0, d >= 0, -d + 63 >= 0)>
#new = affine_set<(t, d) : (t >= 0, -t + 9 >= 0, d >= 0, -d + 63 >= 0)>
#slots = affine_set<(t) : (t >= 0, -t + 9 >= 0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>

func.func @scatter_cache(%cache_ptr: index, %slots_ptr: index, %new_ptr: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %cache = ktdp.construct_memory_view %cache_ptr, sizes: [128, 64], strides: [64, 1] {coordinate_set = #flat, memory_space = #ktdp.memory_space<global>} : memref<128x64xf16>
  %slots = ktdp.construct_memory_view %slots_ptr, sizes: [10], strides: [1] {coordinate_set = #slots, memory_space = #ktdp.memory_space<global>} : memref<10xsi32>
  %new = ktdp.construct_memory_view %new_ptr, sizes: [10, 64], strides: [64, 1] {coordinate_set = #new, memory_space = #ktdp.memory_space<global>} : memref<10x64xf16>
  %nt = ktdp.construct_access_tile %new[%c0, %c0] {access_tile_order = #id2, access_tile_set = #new} : memref<10x64xf16> -> !ktdp.access_tile<10x64xindex>
  %v = ktdp.load %nt : <10x64xindex> -> tensor<10x64xf16>
  %to = ktdp.construct_indirect_access_tile intermediate_variables(%t, %d) %cache[ind(%slots[%t]), (%d)]
    {variables_space_set = #new, variables_space_order = #id2} : memref<128x64xf16>, memref<10xsi32> -> !ktdp.access_tile<10x64xindex>
  ktdp.store %v, %to : tensor<10x64xf16>, <10x64xindex>
  return
}
