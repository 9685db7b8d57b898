// Rotary embedding in place: the two halves of a head are cut out, rotated, and put into an empty tensor. The cores form
// a grid of 4 by 2; one flat id is taken.

#q_set = affine_set<(t, h, d) : (t >= 0, -t + 15 >= 0, h >= 0, -h + 3 >= 0, d >= 0, -d + 127 >= 0)>
#cos_set = affine_set<(t, d) : (t >= 0, -t + 15 >= 0, d >= 0, -d + 63 >= 0)>
#q_tile = affine_set<(t, h, d) : (t >= 0, -t + 1 >= 0, h >= 0, -h + 3 >= 0, d >= 0, -d + 127 >= 0)>
#cos_tile = affine_set<(t, d) : (t >= 0, -t + 1 >= 0, d >= 0, -d + 63 >= 0)>
#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>

module {
  func.func @rope(%q_ptr: index, %cos_ptr: index, %sin_ptr: index) attributes {grid = [4, 2]} {
    %core = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %q = ktdp.construct_memory_view %q_ptr, sizes: [16, 4, 128], strides: [512, 128, 1]
      {coordinate_set = #q_set, memory_space = #ktdp.memory_space<global>} : memref<16x4x128xf16>
    %cos = ktdp.construct_memory_view %cos_ptr, sizes: [16, 64], strides: [64, 1]
      {coordinate_set = #cos_set, memory_space = #ktdp.memory_space<global>} : memref<16x64xf16>
    %sin = ktdp.construct_memory_view %sin_ptr, sizes: [16, 64], strides: [64, 1]
      {coordinate_set = #cos_set, memory_space = #ktdp.memory_space<global>} : memref<16x64xf16>
    %qt = ktdp.construct_access_tile %q[%core * 2, %c0, %c0] {access_tile_set = #q_tile, access_tile_order = #id3}
      : memref<16x4x128xf16> -> !ktdp.access_tile<2x4x128xindex>
    %ct = ktdp.construct_access_tile %cos[%core * 2, %c0] {access_tile_set = #cos_tile, access_tile_order = #id2}
      : memref<16x64xf16> -> !ktdp.access_tile<2x64xindex>
    %st = ktdp.construct_access_tile %sin[%core * 2, %c0] {access_tile_set = #cos_tile, access_tile_order = #id2}
      : memref<16x64xf16> -> !ktdp.access_tile<2x64xindex>
    %v = ktdp.load %qt : <2x4x128xindex> -> tensor<2x4x128xf16>
    %c = ktdp.load %ct : <2x64xindex> -> tensor<2x64xf16>
    %s = ktdp.load %st : <2x64xindex> -> tensor<2x64xf16>
    %e = tensor.empty() : tensor<2x4x64xf16>
    %cb = linalg.broadcast ins(%c : tensor<2x64xf16>) outs(%e : tensor<2x4x64xf16>) dimensions = [1]
    %sb = linalg.broadcast ins(%s : tensor<2x64xf16>) outs(%e : tensor<2x4x64xf16>) dimensions = [1]
    %a = tensor.extract_slice %v[0, 0, 0] [2, 4, 64] [1, 1, 1] : tensor<2x4x128xf16> to tensor<2x4x64xf16>
    %b = tensor.extract_slice %v[0, 0, 64] [2, 4, 64] [1, 1, 1] : tensor<2x4x128xf16> to tensor<2x4x64xf16>
    %ac = arith.mulf %a, %cb : tensor<2x4x64xf16>
    %bs = arith.mulf %b, %sb : tensor<2x4x64xf16>
    %low = arith.subf %ac, %bs : tensor<2x4x64xf16>
    %bc = arith.mulf %b, %cb : tensor<2x4x64xf16>
    %as = arith.mulf %a, %sb : tensor<2x4x64xf16>
    %high = arith.addf %bc, %as : tensor<2x4x64xf16>
    %whole = tensor.empty() : tensor<2x4x128xf16>
    %one = tensor.insert_slice %low into %whole[0, 0, 0] [2, 4, 64] [1, 1, 1] : tensor<2x4x64xf16> into tensor<2x4x128xf16>
    %two = tensor.insert_slice %high into %one[0, 0, 64] [2, 4, 64] [1, 1, 1] : tensor<2x4x64xf16> into tensor<2x4x128xf16>
    ktdp.store %two, %qt : tensor<2x4x128xf16>, <2x4x128xindex>
    return
  }
}
