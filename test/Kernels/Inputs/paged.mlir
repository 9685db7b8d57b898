// Row r of x goes to where entry r of a table says, in a pool, and then from there, doubled, to z. A second view starts
// at a literal address that the table's last entry has.
#points = affine_set<(r, c) : (r >= 0, -r + 3 >= 0, c >= 0, -c + 63 >= 0)>
#row = affine_set<(r, c) : (r == 0, c >= 0, -c + 63 >= 0)>
#same = affine_map<(r, c) -> (r, c)>
#table = affine_set<(r) : (r >= 0, -r + 4 >= 0)>
#entry = affine_set<(r) : (r == 0)>
#line = affine_set<(c) : (c >= 0, -c + 63 >= 0)>
#along = affine_map<(c) -> (c)>
func.func @paged(%x: index, %table: index, %pool: index, %z: index) attributes {grid = [1]} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rows = arith.constant 4 : index
  %literal = arith.constant 4096 : index
  %xv = ktdp.construct_memory_view %x, sizes: [4, 64], strides: [64, 1] {coordinate_set = #points, memory_space = #ktdp.memory_space<global>} : memref<4x64xf16>
  %zv = ktdp.construct_memory_view %z, sizes: [4, 64], strides: [64, 1] {coordinate_set = #points, memory_space = #ktdp.memory_space<global>} : memref<4x64xf16>
  %tv = ktdp.construct_memory_view %table, sizes: [5], strides: [1] {coordinate_set = #table, memory_space = #ktdp.memory_space<global>} : memref<5xi32>
  %bias = ktdp.construct_memory_view %literal, sizes: [64], strides: [1] {coordinate_set = #line, memory_space = #ktdp.memory_space<global>} : memref<64xf16>
  %bt = ktdp.construct_access_tile %bias[0] {access_tile_set = #line, access_tile_order = #along} : memref<64xf16> -> !ktdp.access_tile<64xindex>
  %b = ktdp.load %bt : <64xindex> -> tensor<64xf16>
  %et = ktdp.construct_access_tile %tv[4] {access_tile_set = #entry, access_tile_order = #along} : memref<5xi32> -> !ktdp.access_tile<1xindex>
  %el = ktdp.load %et : <1xindex> -> tensor<1xi32>
  %ei = tensor.extract %el[%zero] : tensor<1xi32>
  %there = arith.index_cast %ei : i32 to index
  %cv = ktdp.construct_memory_view %there, sizes: [64], strides: [1] {coordinate_set = #line, memory_space = #ktdp.memory_space<global>} : memref<64xf16>
  %ct = ktdp.construct_access_tile %cv[0] {access_tile_set = #line, access_tile_order = #along} : memref<64xf16> -> !ktdp.access_tile<64xindex>
  scf.for %r = %zero to %rows step %one {
    %at = ktdp.construct_access_tile %tv[%r] {access_tile_set = #entry, access_tile_order = #along} : memref<5xi32> -> !ktdp.access_tile<1xindex>
    %al = ktdp.load %at : <1xindex> -> tensor<1xi32>
    %ai = tensor.extract %al[%zero] : tensor<1xi32>
    %page = arith.index_cast %ai : i32 to index
    %base = arith.addi %pool, %page : index
    %pv = ktdp.construct_memory_view %base, sizes: [64], strides: [1] {coordinate_set = #line, memory_space = #ktdp.memory_space<global>} : memref<64xf16>
    %pt = ktdp.construct_access_tile %pv[0] {access_tile_set = #line, access_tile_order = #along} : memref<64xf16> -> !ktdp.access_tile<64xindex>
    %xt = ktdp.construct_access_tile %xv[%r, 0] {access_tile_set = #row, access_tile_order = #same} : memref<4x64xf16> -> !ktdp.access_tile<1x64xindex>
    %xl = ktdp.load %xt : <1x64xindex> -> tensor<1x64xf16>
    %flat = tensor.collapse_shape %xl [[0, 1]] : tensor<1x64xf16> into tensor<64xf16>
    ktdp.store %flat, %pt : tensor<64xf16>, <64xindex>
    %back = ktdp.load %pt : <64xindex> -> tensor<64xf16>
    %twice = arith.addf %back, %back : tensor<64xf16>
    %c = ktdp.load %ct : <64xindex> -> tensor<64xf16>
    %s = arith.addf %twice, %c : tensor<64xf16>
    %d = arith.subf %s, %b : tensor<64xf16>
    %w = tensor.expand_shape %d [[0, 1]] output_shape [1, 64] : tensor<64xf16> into tensor<1x64xf16>
    %zt = ktdp.construct_access_tile %zv[%r, 0] {access_tile_set = #row, access_tile_order = #same} : memref<4x64xf16> -> !ktdp.access_tile<1x64xindex>
    ktdp.store %w, %zt : tensor<1x64xf16>, <1x64xindex>
  }
  return
}
