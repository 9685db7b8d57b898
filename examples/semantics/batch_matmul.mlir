// A batch of products with the right side transposed first; each of 4 cores takes two of the eight.

#a_set = affine_set<(b, i, k) : (b >= 0, -b + 7 >= 0, i >= 0, -i + 15 >= 0, k >= 0, -k + 31 >= 0)>
#o_set = affine_set<(b, i, j) : (b >= 0, -b + 7 >= 0, i >= 0, -i + 15 >= 0, j >= 0, -j + 15 >= 0)>
#a_tile = affine_set<(b, i, k) : (b >= 0, -b + 1 >= 0, i >= 0, -i + 15 >= 0, k >= 0, -k + 31 >= 0)>
#o_tile = affine_set<(b, i, j) : (b >= 0, -b + 1 >= 0, i >= 0, -i + 15 >= 0, j >= 0, -j + 15 >= 0)>
#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

func.func @batch_matmul(%a_ptr: index, %b_ptr: index, %o_ptr: index) attributes {grid = [4]} {
  %core = ktdp.get_compute_tile_id : index
  %c0 = arith.constant 0 : index
  %a = ktdp.construct_memory_view %a_ptr, sizes: [8, 16, 32], strides: [512, 32, 1] {coordinate_set = #a_set, memory_space = #ktdp.memory_space<global>} : memref<8x16x32xf32>
  %b = ktdp.construct_memory_view %b_ptr, sizes: [8, 16, 32], strides: [512, 32, 1] {coordinate_set = #a_set, memory_space = #ktdp.memory_space<global>} : memref<8x16x32xf32>
  %o = ktdp.construct_memory_view %o_ptr, sizes: [8, 16, 16], strides: [256, 16, 1] {coordinate_set = #o_set, memory_space = #ktdp.memory_space<global>} : memref<8x16x16xf32>
  %at = ktdp.construct_access_tile %a[%core * 2, %c0, %c0] {access_tile_order = #id3, access_tile_set = #a_tile} : memref<8x16x32xf32> -> !ktdp.access_tile<2x16x32xindex>
  %bt = ktdp.construct_access_tile %b[%core * 2, %c0, %c0] {access_tile_order = #id3, access_tile_set = #a_tile} : memref<8x16x32xf32> -> !ktdp.access_tile<2x16x32xindex>
  %ot = ktdp.construct_access_tile %o[%core * 2, %c0, %c0] {access_tile_order = #id3, access_tile_set = #o_tile} : memref<8x16x16xf32> -> !ktdp.access_tile<2x16x16xindex>
  %av = ktdp.load %at : <2x16x32xindex> -> tensor<2x16x32xf32>
  %bv = ktdp.load %bt : <2x16x32xindex> -> tensor<2x16x32xf32>
  %e = tensor.empty() : tensor<2x32x16xf32>
  %turned = linalg.transpose ins(%bv : tensor<2x16x32xf32>) outs(%e : tensor<2x32x16xf32>) permutation = [0, 2, 1]
  %zero = arith.constant 0.0 : f32
  %o0 = tensor.empty() : tensor<2x16x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%o0 : tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
  %r = linalg.batch_matmul ins(%av, %turned : tensor<2x16x32xf32>, tensor<2x32x16xf32>) outs(%start : tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
  ktdp.store %r, %ot : tensor<2x16x16xf32>, <2x16x16xindex>
  return
}
