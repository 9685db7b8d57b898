// A contraction into a bare tensor.empty: it starts from 0 (with a warning). f16 in, f32 out, no grid: one core.

#a = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 95 >= 0)>
#b = affine_set<(d0, d1) : (d0 >= 0, -d0 + 95 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#c = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>

func.func @matmul_empty(%a_ptr: index, %b_ptr: index, %c_ptr: index) {
  %c0 = arith.constant 0 : index
  %av = ktdp.construct_memory_view %a_ptr, sizes: [32, 96], strides: [96, 1] {coordinate_set = #a, memory_space = #ktdp.memory_space<global>} : memref<32x96xf16>
  %bv = ktdp.construct_memory_view %b_ptr, sizes: [96, 64], strides: [64, 1] {coordinate_set = #b, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  %cv = ktdp.construct_memory_view %c_ptr, sizes: [32, 64], strides: [64, 1] {coordinate_set = #c, memory_space = #ktdp.memory_space<global>} : memref<32x64xf32>
  %at = ktdp.construct_access_tile %av[%c0, %c0] {access_tile_order = #id2, access_tile_set = #a} : memref<32x96xf16> -> !ktdp.access_tile<32x96xindex>
  %bt = ktdp.construct_access_tile %bv[%c0, %c0] {access_tile_order = #id2, access_tile_set = #b} : memref<96x64xf16> -> !ktdp.access_tile<96x64xindex>
  %ct = ktdp.construct_access_tile %cv[%c0, %c0] {access_tile_order = #id2, access_tile_set = #c} : memref<32x64xf32> -> !ktdp.access_tile<32x64xindex>
  %x = ktdp.load %at : <32x96xindex> -> tensor<32x96xf16>
  %y = ktdp.load %bt : <96x64xindex> -> tensor<96x64xf16>
  %e = tensor.empty() : tensor<32x64xf32>
  %z = linalg.matmul ins(%x, %y : tensor<32x96xf16>, tensor<96x64xf16>) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  ktdp.store %z, %ct : tensor<32x64xf32>, <32x64xindex>
  return
}
