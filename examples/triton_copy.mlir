// A copy of 128 x 256 elements in blocks of 16 x 64 over a grid of 8 x 4, with the address arithmetic and the locations
// that a Triton front end leaves behind.
#loc = loc("copy_kernel.py":11:0)
#tile = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#view = affine_set<(d0, d1) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 255 >= 0)>
#map = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @copy_kernel(%src_ptr: index loc("copy_kernel.py":11:16), %dst_ptr: index loc("copy_kernel.py":11:25), %n_unused: i32 loc("copy_kernel.py":11:34)) attributes {grid = [8, 4]} {
    %c16_i32 = arith.constant 16 : i32 loc(#loc1)
    %c64_i32 = arith.constant 64 : i32 loc(#loc1)
    %0:2 = ktdp.get_compute_tile_id : index, index loc(#loc2)
    %1 = arith.index_cast %0#0 : index to i32 loc(#loc2)
    %2 = arith.index_cast %0#1 : index to i32 loc(#loc2)
    %3 = arith.muli %1, %c16_i32 : i32 loc(#loc3)
    %4 = arith.muli %2, %c64_i32 : i32 loc(#loc4)
    %5 = arith.divsi %4, %c64_i32 : i32 loc(#loc4)
    %6 = arith.remsi %4, %c64_i32 : i32 loc(#loc4)
    %7 = arith.muli %5, %c64_i32 : i32 loc(#loc4)
    %8 = arith.addi %7, %6 : i32 loc(#loc4)
    %9 = arith.index_cast %3 : i32 to index loc(#loc5)
    %10 = arith.index_cast %8 : i32 to index loc(#loc5)
    %11 = ktdp.construct_memory_view %src_ptr, sizes: [128, 256], strides: [256, 1] {coordinate_set = #view, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<128x256xf16> loc(#loc5)
    %12 = ktdp.construct_access_tile %11[%9, %10] {access_tile_set = #tile, access_tile_order = #map} : memref<128x256xf16> -> !ktdp.access_tile<16x64xindex> loc(#loc5)
    %13 = ktdp.load %12 : <16x64xindex> -> tensor<16x64xf16> loc(#loc5)
    %14 = ktdp.construct_memory_view %dst_ptr, sizes: [128, 256], strides: [256, 1] {coordinate_set = #view, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<128x256xf16> loc(#loc6)
    %15 = ktdp.construct_access_tile %14[%9, %10] {access_tile_set = #tile, access_tile_order = #map} : memref<128x256xf16> -> !ktdp.access_tile<16x64xindex> loc(#loc6)
    ktdp.store %13, %15 : tensor<16x64xf16>, <16x64xindex> loc(#loc6)
    return loc(#loc7)
  } loc(#loc)
} loc(#loc)
#loc1 = loc(unknown)
#loc2 = loc("copy_kernel.py":12:10)
#loc3 = loc("rows"("copy_kernel.py":14:11))
#loc4 = loc("cols"("copy_kernel.py":15:11))
#loc5 = loc("copy_kernel.py":17:20)
#loc6 = loc("copy_kernel.py":18:4)
#loc7 = loc("copy_kernel.py":10:0)
