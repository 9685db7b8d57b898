// Core 0 loads the weights once and hands them to all 8 cores, which scale a row each.

#x_set = affine_set<(r, c) : (r >= 0, -r + 7 >= 0, c >= 0, -c + 63 >= 0)>
#row = affine_set<(r, c) : (r == 0, c >= 0, -c + 63 >= 0)>
#w_set = affine_set<(r, c) : (r == 0, c >= 0, -c + 63 >= 0)>
#zeroth = affine_set<(i)[g] : (i == 0)>
#cores = affine_set<(i)[g] : (i >= 0, -i + 7 >= 0)>
#one = affine_set<(g) : (g == 0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>

func.func @broadcast(%x_ptr: index, %w_ptr: index, %y_ptr: index) attributes {grid = [8]} {
  %core = ktdp.get_compute_tile_id : index
  %c0 = arith.constant 0 : index
  %x = ktdp.construct_memory_view %x_ptr, sizes: [8, 64], strides: [64, 1] {coordinate_set = #x_set, memory_space = #ktdp.memory_space<global>} : memref<8x64xf16>
  %w = ktdp.construct_memory_view %w_ptr, sizes: [1, 64], strides: [64, 1] {coordinate_set = #w_set, memory_space = #ktdp.memory_space<global>} : memref<1x64xf16>
  %y = ktdp.construct_memory_view %y_ptr, sizes: [8, 64], strides: [64, 1] {coordinate_set = #x_set, memory_space = #ktdp.memory_space<global>} : memref<8x64xf16>
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #zeroth -> <(tensor<1x64xf16>), groups = #one> {
  ^bb0(%g: index):
    %wt = ktdp.construct_access_tile %w[%c0, %c0] {access_tile_order = #id2, access_tile_set = #w_set} : memref<1x64xf16> -> !ktdp.access_tile<1x64xindex>
    %v = ktdp.load %wt : <1x64xindex> -> tensor<1x64xf16>
    ktdp.yield_partial %v : tensor<1x64xf16>
  }
  %wv = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #cores : <(tensor<1x64xf16>), groups = #one> -> tensor<1x64xf16>
  %xt = ktdp.construct_access_tile %x[%core, %c0] {access_tile_order = #id2, access_tile_set = #row} : memref<8x64xf16> -> !ktdp.access_tile<1x64xindex>
  %yt = ktdp.construct_access_tile %y[%core, %c0] {access_tile_order = #id2, access_tile_set = #row} : memref<8x64xf16> -> !ktdp.access_tile<1x64xindex>
  %xv = ktdp.load %xt : <1x64xindex> -> tensor<1x64xf16>
  %r = arith.mulf %xv, %wv : tensor<1x64xf16>
  ktdp.store %r, %yt : tensor<1x64xf16>, <1x64xindex>
  return
}
