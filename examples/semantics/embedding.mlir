// Rows of a table by i64 numbers, with the positions' rows added: 8 cores, 4 numbers each.

#table = affine_set<(r, c) : (r >= 0, -r + 99 >= 0, c >= 0, -c + 63 >= 0)>
#out = affine_set<(r, c) : (r >= 0, -r + 31 >= 0, c >= 0, -c + 63 >= 0)>
#ids = affine_set<(r) : (r >= 0, -r + 31 >= 0)>
#block = affine_set<(r, c) : (r >= 0, -r + 3 >= 0, c >= 0, -c + 63 >= 0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>

func.func @embedding(%table_ptr: index, %ids_ptr: index, %pos_ptr: index, %out_ptr: index) attributes {grid = [8]} {
  %core = ktdp.get_compute_tile_id : index
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %first = arith.muli %core, %c4 : index
  %table = ktdp.construct_memory_view %table_ptr, sizes: [100, 64], strides: [64, 1] {coordinate_set = #table, memory_space = #ktdp.memory_space<global>} : memref<100x64xf16>
  %ids = ktdp.construct_memory_view %ids_ptr, sizes: [32], strides: [1] {coordinate_set = #ids, memory_space = #ktdp.memory_space<global>} : memref<32xi64>
  %pos = ktdp.construct_memory_view %pos_ptr, sizes: [32, 64], strides: [64, 1] {coordinate_set = #out, memory_space = #ktdp.memory_space<global>} : memref<32x64xf16>
  %out = ktdp.construct_memory_view %out_ptr, sizes: [32, 64], strides: [64, 1] {coordinate_set = #out, memory_space = #ktdp.memory_space<global>} : memref<32x64xf16>
  %rows = ktdp.construct_indirect_access_tile intermediate_variables(%r, %c) %table[ind(%ids[%first + %r]), (%c)]
    {variables_space_set = #block, variables_space_order = #id2} : memref<100x64xf16>, memref<32xi64> -> !ktdp.access_tile<4x64xindex>
  %pt = ktdp.construct_access_tile %pos[%first, %c0] {access_tile_order = #id2, access_tile_set = #block} : memref<32x64xf16> -> !ktdp.access_tile<4x64xindex>
  %ot = ktdp.construct_access_tile %out[%first, %c0] {access_tile_order = #id2, access_tile_set = #block} : memref<32x64xf16> -> !ktdp.access_tile<4x64xindex>
  %e = ktdp.load %rows : <4x64xindex> -> tensor<4x64xf16>
  %p = ktdp.load %pt : <4x64xindex> -> tensor<4x64xf16>
  %s = arith.addf %e, %p : tensor<4x64xf16>
  ktdp.store %s, %ot : tensor<4x64xf16>, <4x64xindex>
  return
}
