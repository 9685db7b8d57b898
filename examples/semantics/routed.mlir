// A shift around groups of four: each core gets the row of the next core of its group, the last one that of the first.
// The dependency set has two symbols, consumer and group.

#x_set = affine_set<(r, c) : (r >= 0, -r + 7 >= 0, c >= 0, -c + 63 >= 0)>
#row = affine_set<(r, c) : (r == 0, c >= 0, -c + 63 >= 0)>
#quad = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#next = affine_set<(p)[c, g] : (p - 4 * g >= 0, -p + 4 * g + 3 >= 0, (p - c - 1) mod 4 == 0)>
#two = affine_set<(g) : (g >= 0, -g + 1 >= 0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>

func.func @routed(%x_ptr: index, %y_ptr: index) attributes {grid = [8]} {
  %core = ktdp.get_compute_tile_id : index
  %x = ktdp.construct_memory_view %x_ptr, sizes: [8, 64], strides: [64, 1] {coordinate_set = #x_set, memory_space = #ktdp.memory_space<global>} : memref<8x64xf16>
  %y = ktdp.construct_memory_view %y_ptr, sizes: [8, 64], strides: [64, 1] {coordinate_set = #x_set, memory_space = #ktdp.memory_space<global>} : memref<8x64xf16>
  %xt = ktdp.construct_access_tile %x[%core, 0] {access_tile_order = #id2, access_tile_set = #row} : memref<8x64xf16> -> !ktdp.access_tile<1x64xindex>
  %yt = ktdp.construct_access_tile %y[%core, 0] {access_tile_order = #id2, access_tile_set = #row} : memref<8x64xf16> -> !ktdp.access_tile<1x64xindex>
  %xv = ktdp.load %xt : <1x64xindex> -> tensor<1x64xf16>
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #quad -> <(tensor<1x64xf16>), groups = #two> {
  ^bb0(%g: index):
    ktdp.yield_partial %xv : tensor<1x64xf16>
  }
  %n = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #quad, producer_dependency_per_consumer = #next : <(tensor<1x64xf16>), groups = #two> -> tensor<1x64xf16>
  ktdp.store %n, %yt : tensor<1x64xf16>, <1x64xindex>
  return
}
