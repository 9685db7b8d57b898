// Owners change: rows that core i holds go to core 5 i mod 12 (5 and 12 have no common factor, so everyone gets one). The
// sets hold a mod instead of bounds, and one tile id is taken on a grid of two dimensions.

#x_set = affine_set<(r, c) : (r >= 0, -r + 11 >= 0, c >= 0, -c + 9 >= 0)>
#row = affine_set<(r, c) : (r == 0, c >= 0, -c + 9 >= 0)>
#cores = affine_set<(i)[g] : (i >= 0, -i + 11 >= 0)>
#from = affine_set<(p)[c] : (p >= 0, -p + 11 >= 0, (p * 5 - c) mod 12 == 0)>
#one = affine_set<(g) : (g == 0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>

func.func @owners(%x_ptr: index, %y_ptr: index) attributes {grid = [4, 3]} {
  %core = ktdp.get_compute_tile_id : index
  %x = ktdp.construct_memory_view %x_ptr, sizes: [12, 10], strides: [65, 1] {coordinate_set = #x_set, memory_space = #ktdp.memory_space<global>} : memref<12x10xi32>
  %y = ktdp.construct_memory_view %y_ptr, sizes: [12, 10], strides: [10, 1] {coordinate_set = #x_set, memory_space = #ktdp.memory_space<global>} : memref<12x10xi32>
  %xt = ktdp.construct_access_tile %x[%core, 0] {access_tile_order = #id2, access_tile_set = #row} : memref<12x10xi32> -> !ktdp.access_tile<1x10xindex>
  %yt = ktdp.construct_access_tile %y[%core, 0] {access_tile_order = #id2, access_tile_set = #row} : memref<12x10xi32> -> !ktdp.access_tile<1x10xindex>
  %xv = ktdp.load %xt : <1x10xindex> -> tensor<1x10xi32>
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #cores -> <(tensor<1x10xi32>), groups = #one> {
  ^bb0(%g: index):
    ktdp.yield_partial %xv : tensor<1x10xi32>
  }
  %n = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #cores, producer_dependency_per_consumer = #from : <(tensor<1x10xi32>), groups = #one> -> tensor<1x10xi32>
  ktdp.store %n, %yt : tensor<1x10xi32>, <1x10xindex>
  return
}
