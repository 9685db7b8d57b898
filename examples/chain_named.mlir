// out = max((a - b) * a / c, b) on a 64 x 128 matrix, two rows per core, named linalg operations only.
#all = affine_set<(r, c) : (r >= 0, -r + 63 >= 0, c >= 0, -c + 127 >= 0)>
#tile = affine_set<(r, c) : (r >= 0, -r + 1 >= 0, c >= 0, -c + 127 >= 0)>
#same = affine_map<(r, c) -> (r, c)>

func.func @chain_named(%a_ptr: index, %b_ptr: index, %c_ptr: index, %out_ptr: index) attributes {grid = [32]} {
  %two = arith.constant 2 : index
  %id = ktdp.get_compute_tile_id : index
  %row = arith.muli %id, %two : index
  %a_view = ktdp.construct_memory_view %a_ptr, sizes: [64, 128], strides: [128, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<64x128xf16>
  %b_view = ktdp.construct_memory_view %b_ptr, sizes: [64, 128], strides: [128, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<64x128xf16>
  %c_view = ktdp.construct_memory_view %c_ptr, sizes: [64, 128], strides: [128, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<64x128xf16>
  %out_view = ktdp.construct_memory_view %out_ptr, sizes: [64, 128], strides: [128, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<64x128xf16>
  %a_tile = ktdp.construct_access_tile %a_view[%row, 0] {access_tile_set = #tile, access_tile_order = #same} : memref<64x128xf16> -> !ktdp.access_tile<2x128xindex>
  %b_tile = ktdp.construct_access_tile %b_view[%row, 0] {access_tile_set = #tile, access_tile_order = #same} : memref<64x128xf16> -> !ktdp.access_tile<2x128xindex>
  %c_tile = ktdp.construct_access_tile %c_view[%row, 0] {access_tile_set = #tile, access_tile_order = #same} : memref<64x128xf16> -> !ktdp.access_tile<2x128xindex>
  %out_tile = ktdp.construct_access_tile %out_view[%row, 0] {access_tile_set = #tile, access_tile_order = #same} : memref<64x128xf16> -> !ktdp.access_tile<2x128xindex>
  %a = ktdp.load %a_tile : <2x128xindex> -> tensor<2x128xf16>
  %b = ktdp.load %b_tile : <2x128xindex> -> tensor<2x128xf16>
  %c = ktdp.load %c_tile : <2x128xindex> -> tensor<2x128xf16>
  %e = tensor.empty() : tensor<2x128xf16>
  %d = linalg.sub ins(%a, %b : tensor<2x128xf16>, tensor<2x128xf16>) outs(%e : tensor<2x128xf16>) -> tensor<2x128xf16>
  %p = linalg.mul ins(%d, %a : tensor<2x128xf16>, tensor<2x128xf16>) outs(%e : tensor<2x128xf16>) -> tensor<2x128xf16>
  %q = linalg.div ins(%p, %c : tensor<2x128xf16>, tensor<2x128xf16>) outs(%e : tensor<2x128xf16>) -> tensor<2x128xf16>
  %m = linalg.max ins(%q, %b : tensor<2x128xf16>, tensor<2x128xf16>) outs(%e : tensor<2x128xf16>) -> tensor<2x128xf16>
  ktdp.store %m, %out_tile : tensor<2x128xf16>, <2x128xindex>
  return
}
