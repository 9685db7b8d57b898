// z = x + y over 96 rows of 64 elements, three rows per core, one row at a time.
#all = affine_set<(r, c) : (r >= 0, -r + 95 >= 0, c >= 0, -c + 63 >= 0)>
#row = affine_set<(r, c) : (r == 0, c >= 0, -c + 63 >= 0)>
#same = affine_map<(r, c) -> (r, c)>

func.func @add(%x_ptr: index, %y_ptr: index, %z_ptr: index) attributes {grid = [32]} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rows = arith.constant 3 : index
  %tile = ktdp.get_compute_tile_id : index
  %first = arith.muli %tile, %rows : index

  %x = ktdp.construct_memory_view %x_ptr, sizes: [96, 64], strides: [64, 1]
    {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  %y = ktdp.construct_memory_view %y_ptr, sizes: [96, 64], strides: [64, 1]
    {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  %z = ktdp.construct_memory_view %z_ptr, sizes: [96, 64], strides: [64, 1]
    {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>

  scf.for %i = %zero to %rows step %one {
    %r = arith.addi %first, %i : index
    %x_row = ktdp.construct_access_tile %x[%r, 0] {access_tile_set = #row, access_tile_order = #same}
      : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
    %y_row = ktdp.construct_access_tile %y[%r, 0] {access_tile_set = #row, access_tile_order = #same}
      : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
    %z_row = ktdp.construct_access_tile %z[%r, 0] {access_tile_set = #row, access_tile_order = #same}
      : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
    %a = ktdp.load %x_row : <1x64xindex> -> tensor<1x64xf16>
    %b = ktdp.load %y_row : <1x64xindex> -> tensor<1x64xf16>
    %empty = tensor.empty() : tensor<1x64xf16>
    %sum = linalg.add ins(%a, %b : tensor<1x64xf16>, tensor<1x64xf16>) outs(%empty : tensor<1x64xf16>) -> tensor<1x64xf16>
    ktdp.store %sum, %z_row : tensor<1x64xf16>, <1x64xindex>
  }
  return
}
