// Twice per block of 2 x 64: x = x * x + x, the second time on what the first one stored. Each core owns eight rows.
#all = affine_set<(r, c) : (r >= 0, -r + 31 >= 0, c >= 0, -c + 63 >= 0)>
#block = affine_set<(r, c) : (r >= 0, -r + 1 >= 0, c >= 0, -c + 63 >= 0)>
#same = affine_map<(r, c) -> (r, c)>

func.func @in_place(%x_ptr: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %id = ktdp.get_compute_tile_id : index
  %first = arith.muli %id, %c8 : index
  %x = ktdp.construct_memory_view %x_ptr, sizes: [32, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<32x64xf16>
  scf.for %i = %c0 to %c8 step %c2 {
    %r = arith.addi %first, %i : index
    %t = ktdp.construct_access_tile %x[%r, 0] {access_tile_set = #block, access_tile_order = #same} : memref<32x64xf16> -> !ktdp.access_tile<2x64xindex>
    %a = ktdp.load %t : <2x64xindex> -> tensor<2x64xf16>
    %b = arith.mulf %a, %a : tensor<2x64xf16>
    %c = arith.addf %b, %a : tensor<2x64xf16>
    ktdp.store %c, %t : tensor<2x64xf16>, <2x64xindex>
    %d = ktdp.load %t : <2x64xindex> -> tensor<2x64xf16>
    %e = arith.mulf %d, %d : tensor<2x64xf16>
    %f = arith.addf %e, %d : tensor<2x64xf16>
    ktdp.store %f, %t : tensor<2x64xf16>, <2x64xindex>
  }
  return
}
