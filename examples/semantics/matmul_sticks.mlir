// C = X W where W lies in memory in sticks: columns in groups of 64, each group with all its rows after one another, so
// the strides of the view are not monotone. Each of 4 cores makes one group of 64 columns.

#x_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 127 >= 0)>
#w_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 3 >= 0, d2 >= 0, -d2 + 63 >= 0)>
#w_tile = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 127 >= 0, d1 == 0, d2 >= 0, -d2 + 63 >= 0)>
#c_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 255 >= 0)>
#c_tile = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

func.func @matmul_sticks(%x_ptr: index, %w_ptr: index, %c_ptr: index) attributes {grid = [4]} {
  %core = ktdp.get_compute_tile_id : index
  %c0 = arith.constant 0 : index
  %x = ktdp.construct_memory_view %x_ptr, sizes: [16, 128], strides: [128, 1] {coordinate_set = #x_set, memory_space = #ktdp.memory_space<global>} : memref<16x128xf16>
  %w = ktdp.construct_memory_view %w_ptr, sizes: [128, 4, 64], strides: [64, 8192, 1] {coordinate_set = #w_set, memory_space = #ktdp.memory_space<global>} : memref<128x4x64xf16>
  %c = ktdp.construct_memory_view %c_ptr, sizes: [16, 256], strides: [256, 1] {coordinate_set = #c_set, memory_space = #ktdp.memory_space<global>} : memref<16x256xf16>
  %xt = ktdp.construct_access_tile %x[%c0, %c0] {access_tile_order = #id2, access_tile_set = #x_set} : memref<16x128xf16> -> !ktdp.access_tile<16x128xindex>
  %wt = ktdp.construct_access_tile %w[%c0, %core, %c0] {access_tile_order = #id3, access_tile_set = #w_tile} : memref<128x4x64xf16> -> !ktdp.access_tile<128x1x64xindex>
  %ct = ktdp.construct_access_tile %c[%c0, %core * 64] {access_tile_order = #id2, access_tile_set = #c_tile} : memref<16x256xf16> -> !ktdp.access_tile<16x64xindex>
  %xv = ktdp.load %xt : <16x128xindex> -> tensor<16x128xf16>
  %w3 = ktdp.load %wt : <128x1x64xindex> -> tensor<128x1x64xf16>
  %shape = arith.constant dense<[128, 64]> : tensor<2xindex>
  %wv = tensor.reshape %w3(%shape) : (tensor<128x1x64xf16>, tensor<2xindex>) -> tensor<128x64xf16>
  %zero = arith.constant dense<0.0> : tensor<16x64xf16>
  %r = linalg.matmul ins(%xv, %wv : tensor<16x128xf16>, tensor<128x64xf16>) outs(%zero : tensor<16x64xf16>) -> tensor<16x64xf16>
  ktdp.store %r, %ct : tensor<16x64xf16>, <16x64xindex>
  return
}
