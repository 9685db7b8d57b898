// Attention with a causal mask made by tensor.generate: 4 heads, 32 positions, 64 wide, one head per core.

#set = affine_set<(h, s, d) : (h >= 0, -h + 3 >= 0, s >= 0, -s + 31 >= 0, d >= 0, -d + 63 >= 0)>
#head = affine_set<(h, s, d) : (h == 0, s >= 0, -s + 31 >= 0, d >= 0, -d + 63 >= 0)>
#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

func.func @attention_masked(%q_ptr: index, %k_ptr: index, %v_ptr: index, %o_ptr: index) attributes {grid = [4, 1]} {
  %h = ktdp.get_compute_tile_id : index
  %c0 = arith.constant 0 : index
  %q = ktdp.construct_memory_view %q_ptr, sizes: [4, 32, 64], strides: [2048, 64, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<4x32x64xf16>
  %k = ktdp.construct_memory_view %k_ptr, sizes: [4, 32, 64], strides: [2048, 64, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<4x32x64xf16>
  %v = ktdp.construct_memory_view %v_ptr, sizes: [4, 32, 64], strides: [2048, 64, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<4x32x64xf16>
  %o = ktdp.construct_memory_view %o_ptr, sizes: [4, 32, 64], strides: [2048, 64, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<4x32x64xf16>
  %qt = ktdp.construct_access_tile %q[%h, %c0, %c0] {access_tile_order = #id3, access_tile_set = #head} : memref<4x32x64xf16> -> !ktdp.access_tile<1x32x64xindex>
  %kt = ktdp.construct_access_tile %k[%h, %c0, %c0] {access_tile_order = #id3, access_tile_set = #head} : memref<4x32x64xf16> -> !ktdp.access_tile<1x32x64xindex>
  %vt = ktdp.construct_access_tile %v[%h, %c0, %c0] {access_tile_order = #id3, access_tile_set = #head} : memref<4x32x64xf16> -> !ktdp.access_tile<1x32x64xindex>
  %ot = ktdp.construct_access_tile %o[%h, %c0, %c0] {access_tile_order = #id3, access_tile_set = #head} : memref<4x32x64xf16> -> !ktdp.access_tile<1x32x64xindex>
  %q3 = ktdp.load %qt : <1x32x64xindex> -> tensor<1x32x64xf16>
  %k3 = ktdp.load %kt : <1x32x64xindex> -> tensor<1x32x64xf16>
  %v3 = ktdp.load %vt : <1x32x64xindex> -> tensor<1x32x64xf16>
  %q2 = tensor.collapse_shape %q3 [[0, 1], [2]] : tensor<1x32x64xf16> into tensor<32x64xf16>
  %k2 = tensor.collapse_shape %k3 [[0, 1], [2]] : tensor<1x32x64xf16> into tensor<32x64xf16>
  %v2 = tensor.collapse_shape %v3 [[0, 1], [2]] : tensor<1x32x64xf16> into tensor<32x64xf16>
  %ke = tensor.empty() : tensor<64x32xf16>
  %kT = linalg.transpose ins(%k2 : tensor<32x64xf16>) outs(%ke : tensor<64x32xf16>) permutation = [1, 0]
  %none = arith.constant dense<0.0> : tensor<32x32xf32>
  %s = linalg.matmul ins(%q2, %kT : tensor<32x64xf16>, tensor<64x32xf16>) outs(%none : tensor<32x32xf32>) -> tensor<32x32xf32>
  %scale = arith.constant dense<0.125> : tensor<32x32xf32>
  %scaled = arith.mulf %s, %scale : tensor<32x32xf32>
  %mask = tensor.generate {
  ^bb0(%i: index, %j: index):
    %later = arith.cmpi sgt, %j, %i : index
    %ninf = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %m = arith.select %later, %ninf, %zero : f32
    tensor.yield %m : f32
  } : tensor<32x32xf32>
  %masked = arith.addf %scaled, %mask : tensor<32x32xf32>
  %low = arith.constant dense<0xFF800000> : tensor<32xf32>
  %max = linalg.reduce { arith.maximumf } ins(%masked : tensor<32x32xf32>) outs(%low : tensor<32xf32>) dimensions = [1]
  %e2 = tensor.empty() : tensor<32x32xf32>
  %mb = linalg.broadcast ins(%max : tensor<32xf32>) outs(%e2 : tensor<32x32xf32>) dimensions = [1]
  %d = arith.subf %masked, %mb : tensor<32x32xf32>
  %p = math.exp %d : tensor<32x32xf32>
  %z = arith.constant dense<0.0> : tensor<32xf32>
  %sum = linalg.reduce { arith.addf } ins(%p : tensor<32x32xf32>) outs(%z : tensor<32xf32>) dimensions = [1]
  %sb = linalg.broadcast ins(%sum : tensor<32xf32>) outs(%e2 : tensor<32x32xf32>) dimensions = [1]
  %w = arith.divf %p, %sb : tensor<32x32xf32>
  %wh = arith.truncf %w : tensor<32x32xf32> to tensor<32x32xf16>
  %o0 = arith.constant dense<0.0> : tensor<32x64xf32>
  %r = linalg.matmul ins(%wh, %v2 : tensor<32x32xf16>, tensor<32x64xf16>) outs(%o0 : tensor<32x64xf32>) -> tensor<32x64xf32>
  %rh = arith.truncf %r : tensor<32x64xf32> to tensor<32x64xf16>
  %r3 = tensor.expand_shape %rh [[0, 1], [2]] output_shape [1, 32, 64] : tensor<32x64xf16> into tensor<1x32x64xf16>
  ktdp.store %r3, %ot : tensor<1x32x64xf16>, <1x32x64xindex>
  return
}
