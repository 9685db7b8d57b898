// Tiles that stick out of their view, as kernels with padded descriptors have them: rows of 48 columns are read 64 wide,
// and the last of 4 cores has 6 of its 8 rows. What is outside reads as 0 and is not stored.

#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 29 >= 0, d1 >= 0, -d1 + 47 >= 0)>
#sums = affine_set<(d0) : (d0 >= 0, -d0 + 29 >= 0)>
#tile = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#line = affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#id1 = affine_map<(d0) -> (d0)>

func.func @ragged(%x_ptr: index, %y_ptr: index, %s_ptr: index) attributes {grid = [4]} {
  %core = ktdp.get_compute_tile_id : index
  %c0 = arith.constant 0 : index
  %x = ktdp.construct_memory_view %x_ptr, sizes: [30, 48], strides: [48, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<30x48xf32>
  %y = ktdp.construct_memory_view %y_ptr, sizes: [30, 48], strides: [48, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<30x48xf32>
  %s = ktdp.construct_memory_view %s_ptr, sizes: [30], strides: [1] {coordinate_set = #sums, memory_space = #ktdp.memory_space<global>} : memref<30xf32>
  %xt = ktdp.construct_access_tile %x[%core * 8, %c0] {access_tile_order = #id2, access_tile_set = #tile} : memref<30x48xf32> -> !ktdp.access_tile<8x64xindex>
  %yt = ktdp.construct_access_tile %y[%core * 8, %c0] {access_tile_order = #id2, access_tile_set = #tile} : memref<30x48xf32> -> !ktdp.access_tile<8x64xindex>
  %st = ktdp.construct_access_tile %s[%core * 8] {access_tile_order = #id1, access_tile_set = #line} : memref<30xf32> -> !ktdp.access_tile<8xindex>
  %v = ktdp.load %xt : <8x64xindex> -> tensor<8x64xf32>
  %one = arith.constant dense<1.0> : tensor<8x64xf32>
  %w = arith.addf %v, %one : tensor<8x64xf32>
  ktdp.store %w, %yt : tensor<8x64xf32>, <8x64xindex>
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %sum = linalg.reduce { arith.addf } ins(%v : tensor<8x64xf32>) outs(%zero : tensor<8xf32>) dimensions = [1]
  ktdp.store %sum, %st : tensor<8xf32>, <8xindex>
  return
}
