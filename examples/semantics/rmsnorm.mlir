// RMSNorm in the style of a generated kernel: one linalg.generic per step, reductions as generics whose output keeps a
// dimension of 1, weights shared by all cores.

#x_set = affine_set<(d0, d1) : (d0 >= 0, 63 - d0 >= 0, d1 >= 0, 255 - d1 >= 0)>
#w_set = affine_set<(d0) : (d0 >= 0, 255 - d0 >= 0)>
#rows = affine_set<(d0, d1) : (d0 >= 0, 1 - d0 >= 0, d1 >= 0, 255 - d1 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
#id1 = affine_map<(d0) -> (d0)>
#keep = affine_map<(d0, d1) -> (d0, 0)>
#cols = affine_map<(d0, d1) -> (d1)>

func.func @rmsnorm(%arg0: index, %arg1: index, %arg2: index) attributes {grid = [32]} {
  %c0 = ktdp.get_compute_tile_id : index
  %c2 = arith.constant 2 : index
  %c0_0 = arith.constant 0 : index
  %row = arith.muli %c0, %c2 : index
  %0 = ktdp.construct_memory_view %arg0, sizes: [64, 256], strides: [256, 1] {coordinate_set = #x_set, memory_space = #ktdp.memory_space<global>} : memref<64x256xf16>
  %1 = ktdp.construct_memory_view %arg1, sizes: [256], strides: [1] {coordinate_set = #w_set, memory_space = #ktdp.memory_space<global>} : memref<256xf16>
  %2 = ktdp.construct_memory_view %arg2, sizes: [64, 256], strides: [256, 1] {coordinate_set = #x_set, memory_space = #ktdp.memory_space<global>} : memref<64x256xf16>
  %3 = ktdp.construct_access_tile %0[%row, %c0_0] {access_tile_order = #id, access_tile_set = #rows} : memref<64x256xf16> -> !ktdp.access_tile<2x256xindex>
  %4 = ktdp.construct_access_tile %1[%c0_0] {access_tile_order = #id1, access_tile_set = #w_set} : memref<256xf16> -> !ktdp.access_tile<256xindex>
  %5 = ktdp.construct_access_tile %2[%row, %c0_0] {access_tile_order = #id, access_tile_set = #rows} : memref<64x256xf16> -> !ktdp.access_tile<2x256xindex>
  %x = ktdp.load %3 : <2x256xindex> -> tensor<2x256xf16>
  %w = ktdp.load %4 : <256xindex> -> tensor<256xf16>
  %zero = arith.constant dense<0.0> : tensor<2x1xf32>
  %squares = linalg.generic {indexing_maps = [#id, #keep], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<2x256xf16>) outs(%zero : tensor<2x1xf32>) {
  ^bb0(%in: f16, %acc: f32):
    %wide = arith.extf %in : f16 to f32
    %square = arith.mulf %wide, %wide : f32
    %sum = arith.addf %acc, %square : f32
    linalg.yield %sum : f32
  } -> tensor<2x1xf32>
  %e = tensor.empty() : tensor<2x256xf16>
  %y = linalg.generic {indexing_maps = [#id, #keep, #cols, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %squares, %w : tensor<2x256xf16>, tensor<2x1xf32>, tensor<256xf16>) outs(%e : tensor<2x256xf16>) {
  ^bb0(%in: f16, %sum: f32, %weight: f16, %out: f16):
    %n = arith.constant 256.0 : f32
    %eps = arith.constant 1.0e-05 : f32
    %mean = arith.divf %sum, %n : f32
    %safe = arith.addf %mean, %eps : f32
    %scale = math.rsqrt %safe : f32
    %wide = arith.extf %in : f16 to f32
    %ww = arith.extf %weight : f16 to f32
    %normed = arith.mulf %wide, %scale : f32
    %value = arith.mulf %normed, %ww : f32
    %half = arith.truncf %value : f32 to f16
    linalg.yield %half : f16
  } -> tensor<2x256xf16>
  ktdp.store %y, %5 : tensor<2x256xf16>, <2x256xindex>
  return
}
