// y = x + x in rows of 65 elements (130 bytes): a row begins and ends inside a stick, which neighbouring cores share.
#all = affine_set<(r, c) : (r >= 0, -r + 95 >= 0, c >= 0, -c + 64 >= 0)>
#row = affine_set<(r, c) : (r >= 0, -r >= 0, c >= 0, -c + 64 >= 0)>
#same = affine_map<(r, c) -> (r, c)>

func.func @rows65(%x_ptr: index, %y_ptr: index) attributes {grid = [16]} {
  %c0 = arith.constant 0 : index
  %c6 = arith.constant 6 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %id = ktdp.get_compute_tile_id : index
  %x = ktdp.construct_memory_view %x_ptr, sizes: [96, 65], strides: [65, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x65xf16>
  %y = ktdp.construct_memory_view %y_ptr, sizes: [96, 65], strides: [65, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x65xf16>
  scf.for %i = %c0 to %c6 step %c1 {
    %block = arith.muli %i, %c16 : index
    %r = arith.addi %block, %id : index
    %xt = ktdp.construct_access_tile %x[%r, 0] {access_tile_set = #row, access_tile_order = #same} : memref<96x65xf16> -> !ktdp.access_tile<1x65xindex>
    %yt = ktdp.construct_access_tile %y[%r, 0] {access_tile_set = #row, access_tile_order = #same} : memref<96x65xf16> -> !ktdp.access_tile<1x65xindex>
    %a = ktdp.load %xt : <1x65xindex> -> tensor<1x65xf16>
    %b = arith.addf %a, %a : tensor<1x65xf16>
    ktdp.store %b, %yt : tensor<1x65xf16>, <1x65xindex>
  }
  return
}
