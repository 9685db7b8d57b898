// Column sums of 64 rows: each core sums its 4 rows, groups of 4 cores (first dimension of the grid) add up, and the first
// core of a group writes. The loop does it for two halves of the columns, so the collective runs twice.

#x_set = affine_set<(r, c) : (r >= 0, -r + 63 >= 0, c >= 0, -c + 127 >= 0)>
#o_set = affine_set<(r, c) : (r >= 0, -r + 3 >= 0, c >= 0, -c + 127 >= 0)>
#tile = affine_set<(r, c) : (r >= 0, -r + 3 >= 0, c >= 0, -c + 63 >= 0)>
#row = affine_set<(r, c) : (r == 0, c >= 0, -c + 63 >= 0)>
#quad = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 3 >= 0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>

func.func @all_reduce(%x_ptr: index, %o_ptr: index) attributes {grid = [4, 4]} {
  %core = ktdp.get_compute_tile_id : index
  %i, %group = ktdp.get_compute_tile_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %x = ktdp.construct_memory_view %x_ptr, sizes: [64, 128], strides: [128, 1] {coordinate_set = #x_set, memory_space = #ktdp.memory_space<global>} : memref<64x128xf32>
  %o = ktdp.construct_memory_view %o_ptr, sizes: [4, 128], strides: [128, 1] {coordinate_set = #o_set, memory_space = #ktdp.memory_space<global>} : memref<4x128xf32>
  %zero = arith.constant dense<0.0> : tensor<1x64xf32>
  scf.for %half = %c0 to %c2 step %c1 {
    %col = arith.muli %half, %c64 : index
    %f = ktdp.inter_tile_produce producer_tiles_per_group = #quad -> <(tensor<1x64xf32>), groups = #groups> {
    ^bb0(%g: index):
      %xt = ktdp.construct_access_tile %x[%core * 4, %col] {access_tile_order = #id2, access_tile_set = #tile} : memref<64x128xf32> -> !ktdp.access_tile<4x64xindex>
      %v = ktdp.load %xt : <4x64xindex> -> tensor<4x64xf32>
      %none = tensor.empty() : tensor<64xf32>
      %s = linalg.reduce { arith.addf } ins(%v : tensor<4x64xf32>) outs(%none : tensor<64xf32>) dimensions = [0]
      %s2 = tensor.expand_shape %s [[0, 1]] output_shape [1, 64] : tensor<64xf32> into tensor<1x64xf32>
      ktdp.yield_partial %s2 : tensor<1x64xf32>
    }
    %sum = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #quad, identity(%zero : tensor<1x64xf32>) : <(tensor<1x64xf32>), groups = #groups> -> tensor<1x64xf32> {
    ^bb0(%a: tensor<1x64xf32>, %b: tensor<1x64xf32>):
      %e = tensor.empty() : tensor<1x64xf32>
      %t = linalg.add ins(%a, %b : tensor<1x64xf32>, tensor<1x64xf32>) outs(%e : tensor<1x64xf32>) -> tensor<1x64xf32>
      ktdp.yield_reduced %t : tensor<1x64xf32>
    }
    %first = arith.cmpi eq, %i, %c0 : index
    scf.if %first {
      %ot = ktdp.construct_access_tile %o[%group, %col] {access_tile_order = #id2, access_tile_set = #row} : memref<4x128xf32> -> !ktdp.access_tile<1x64xindex>
      ktdp.store %sum, %ot : tensor<1x64xf32>, <1x64xindex>
    }
  }
  return
}
