#quad = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#none = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g - 1 >= 0)>
#two  = affine_set<(g) : (g >= 0, -g + 1 >= 0)>
#all = affine_set<(t, r) : (t >= 0, -t + 7 >= 0, r >= 0, -r + 63 >= 0)>
#row = affine_set<(t, r) : (t == 0, r >= 0, -r + 63 >= 0)>
#id = affine_map<(t, r) -> (t, r)>
func.func @k(%x: index) attributes {grid = [8]} {
  %t = ktdp.get_compute_tile_id : index
  %mine = arith.constant dense<1.0> : tensor<1x64xf32>
  %five = arith.constant dense<5.0> : tensor<1x64xf32>
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #none -> !ktdp.tile_future<(tensor<1x64xf32>), groups = #two> {
  ^bb0(%gid: index):
    ktdp.yield_partial %mine : tensor<1x64xf32>
  }
  %s = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #quad, identity(%five : tensor<1x64xf32>)
      : !ktdp.tile_future<(tensor<1x64xf32>), groups = #two> -> tensor<1x64xf32> {
  ^bb0(%a: tensor<1x64xf32>, %b: tensor<1x64xf32>):
    %c = arith.addf %a, %b : tensor<1x64xf32>
    ktdp.yield_reduced %c : tensor<1x64xf32>
  }
  %v = ktdp.construct_memory_view %x, sizes: [8, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<8x64xf32>
  %o = ktdp.construct_access_tile %v[%t, 0] {access_tile_set = #row, access_tile_order = #id} : memref<8x64xf32> -> !ktdp.access_tile<1x64xindex>
  ktdp.store %s, %o : tensor<1x64xf32>, !ktdp.access_tile<1x64xindex>
  return
}
