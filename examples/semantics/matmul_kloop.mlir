// C = A B with the sum over K in a loop, f16 in, f32 carried, f16 out, as a frontend lowers a Triton kernel: 2-D grid, i32
// arithmetic, a dense constant as first accumulator.

#a_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 191 >= 0)>
#b_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 191 >= 0, d1 >= 0, -d1 + 127 >= 0)>
#c_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 127 >= 0)>
#a_tile = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#b_tile = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#c_tile = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>

module {
  func.func @matmul_kloop(%a_ptr: index, %b_ptr: index, %c_ptr: index, %M: i32, %N: i32, %K: i32) attributes {grid = [4, 2]} {
    %pid_m, %pid_n = ktdp.get_compute_tile_id : index, index
    %cst = arith.constant dense<0.000000e+00> : tensor<32x64xf32>
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %c32_i32 = arith.constant 32 : i32
    %c64_i32 = arith.constant 64 : i32
    %0 = arith.index_cast %pid_m : index to i32
    %1 = arith.index_cast %pid_n : index to i32
    %2 = arith.muli %0, %c32_i32 : i32
    %3 = arith.muli %1, %c64_i32 : i32
    %m = arith.index_cast %2 : i32 to index
    %n = arith.index_cast %3 : i32 to index
    %trips = arith.divsi %K, %c64_i32 : i32
    %a = ktdp.construct_memory_view %a_ptr, sizes: [128, 192], strides: [192, 1] {coordinate_set = #a_set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<128x192xf16>
    %b = ktdp.construct_memory_view %b_ptr, sizes: [192, 128], strides: [128, 1] {coordinate_set = #b_set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<192x128xf16>
    %c = ktdp.construct_memory_view %c_ptr, sizes: [128, 128], strides: [128, 1] {coordinate_set = #c_set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<128x128xf16>
    %sum = scf.for %i = %c0_i32 to %trips step %c1_i32 iter_args(%acc = %cst) -> (tensor<32x64xf32>) : i32 {
      %4 = arith.muli %i, %c64_i32 : i32
      %k = arith.index_cast %4 : i32 to index
      %at = ktdp.construct_access_tile %a[%m, %k] {access_tile_order = #id2, access_tile_set = #a_tile} : memref<128x192xf16> -> !ktdp.access_tile<32x64xindex>
      %bt = ktdp.construct_access_tile %b[%k, %n] {access_tile_order = #id2, access_tile_set = #b_tile} : memref<192x128xf16> -> !ktdp.access_tile<64x64xindex>
      %av = ktdp.load %at : <32x64xindex> -> tensor<32x64xf16>
      %bv = ktdp.load %bt : <64x64xindex> -> tensor<64x64xf16>
      %part = linalg.matmul ins(%av, %bv : tensor<32x64xf16>, tensor<64x64xf16>) outs(%cst : tensor<32x64xf32>) -> tensor<32x64xf32>
      %new = arith.addf %acc, %part : tensor<32x64xf32>
      scf.yield %new : tensor<32x64xf32>
    }
    %half = arith.truncf %sum : tensor<32x64xf32> to tensor<32x64xf16>
    %ct = ktdp.construct_access_tile %c[%m, %n] {access_tile_order = #id2, access_tile_set = #c_tile} : memref<128x128xf16> -> !ktdp.access_tile<32x64xindex>
    ktdp.store %half, %ct : tensor<32x64xf16>, <32x64xindex>
    return
  }
}
