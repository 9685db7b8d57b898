// Flash attention: each core holds 16 queries of a sequence of 64 and walks over blocks of 16 keys up to its own, with the
// maximum, the sum and the weighted values carried by the loop. Triton's style.

#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 31 >= 0)>
#block = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 31 >= 0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>

module {
  func.func @flash_attention(%q_ptr: index, %k_ptr: index, %v_ptr: index, %o_ptr: index, %scale: f32) attributes {grid = [4]} {
    %pid = ktdp.get_compute_tile_id : index
    %0 = arith.index_cast %pid : index to i32
    %c16 = arith.constant 16 : i32
    %c0 = arith.constant 0 : i32
    %z = arith.constant 0 : index
    %first = arith.muli %0, %c16 : i32
    %end = arith.addi %first, %c16 : i32
    %row = arith.index_cast %first : i32 to index
    %q = ktdp.construct_memory_view %q_ptr, sizes: [64, 32], strides: [32, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<64x32xf16>
    %k = ktdp.construct_memory_view %k_ptr, sizes: [64, 32], strides: [32, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<64x32xf16>
    %v = ktdp.construct_memory_view %v_ptr, sizes: [64, 32], strides: [32, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<64x32xf16>
    %o = ktdp.construct_memory_view %o_ptr, sizes: [64, 32], strides: [32, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<64x32xf16>
    %qt = ktdp.construct_access_tile %q[%row, %z] {access_tile_order = #id2, access_tile_set = #block} : memref<64x32xf16> -> !ktdp.access_tile<16x32xindex>
    %qv = ktdp.load %qt : <16x32xindex> -> tensor<16x32xf16>
    %low = arith.constant dense<0xFF800000> : tensor<16xf32>
    %none = arith.constant dense<0.0> : tensor<16xf32>
    %start = arith.constant dense<0.0> : tensor<16x32xf32>
    %scales = tensor.splat %scale : tensor<16x16xf32>
    %r:3 = scf.for %j = %c0 to %end step %c16 iter_args(%m = %low, %l = %none, %acc = %start) -> (tensor<16xf32>, tensor<16xf32>, tensor<16x32xf32>) : i32 {
      %col = arith.index_cast %j : i32 to index
      %kt = ktdp.construct_access_tile %k[%col, %z] {access_tile_order = #id2, access_tile_set = #block} : memref<64x32xf16> -> !ktdp.access_tile<16x32xindex>
      %vt = ktdp.construct_access_tile %v[%col, %z] {access_tile_order = #id2, access_tile_set = #block} : memref<64x32xf16> -> !ktdp.access_tile<16x32xindex>
      %kv = ktdp.load %kt : <16x32xindex> -> tensor<16x32xf16>
      %vv = ktdp.load %vt : <16x32xindex> -> tensor<16x32xf16>
      %e0 = tensor.empty() : tensor<32x16xf16>
      %kT = linalg.transpose ins(%kv : tensor<16x32xf16>) outs(%e0 : tensor<32x16xf16>) permutation = [1, 0]
      %zs = arith.constant dense<0.0> : tensor<16x16xf32>
      %qk = linalg.matmul ins(%qv, %kT : tensor<16x32xf16>, tensor<32x16xf16>) outs(%zs : tensor<16x16xf32>) -> tensor<16x16xf32>
      %s = arith.mulf %qk, %scales : tensor<16x16xf32>
      %e1 = tensor.empty() : tensor<16x16xf32>
      %masked = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<16x16xf32>) outs(%e1 : tensor<16x16xf32>) {
      ^bb0(%in: f32, %out: f32):
        %i0 = linalg.index 0 : index
        %j0 = linalg.index 1 : index
        %i1 = arith.addi %i0, %row : index
        %j1 = arith.addi %j0, %col : index
        %seen = arith.cmpi sle, %j1, %i1 : index
        %ninf = arith.constant 0xFF800000 : f32
        %value = arith.select %seen, %in, %ninf : f32
        linalg.yield %value : f32
      } -> tensor<16x16xf32>
      %m1 = linalg.reduce { arith.maximumf } ins(%masked : tensor<16x16xf32>) outs(%m : tensor<16xf32>) dimensions = [1]
      %mb = linalg.broadcast ins(%m1 : tensor<16xf32>) outs(%e1 : tensor<16x16xf32>) dimensions = [1]
      %d = arith.subf %masked, %mb : tensor<16x16xf32>
      %p = math.exp %d : tensor<16x16xf32>
      %dm = arith.subf %m, %m1 : tensor<16xf32>
      %alpha = math.exp %dm : tensor<16xf32>
      %la = arith.mulf %l, %alpha : tensor<16xf32>
      %l1 = linalg.reduce { arith.addf } ins(%p : tensor<16x16xf32>) outs(%la : tensor<16xf32>) dimensions = [1]
      %e2 = tensor.empty() : tensor<16x32xf32>
      %ab = linalg.broadcast ins(%alpha : tensor<16xf32>) outs(%e2 : tensor<16x32xf32>) dimensions = [1]
      %kept = arith.mulf %acc, %ab : tensor<16x32xf32>
      %ph = arith.truncf %p : tensor<16x16xf32> to tensor<16x16xf16>
      %acc1 = linalg.matmul ins(%ph, %vv : tensor<16x16xf16>, tensor<16x32xf16>) outs(%kept : tensor<16x32xf32>) -> tensor<16x32xf32>
      scf.yield %m1, %l1, %acc1 : tensor<16xf32>, tensor<16xf32>, tensor<16x32xf32>
    }
    %e3 = tensor.empty() : tensor<16x32xf32>
    %lb = linalg.broadcast ins(%r#1 : tensor<16xf32>) outs(%e3 : tensor<16x32xf32>) dimensions = [1]
    %out = arith.divf %r#2, %lb : tensor<16x32xf32>
    %half = arith.truncf %out : tensor<16x32xf32> to tensor<16x32xf16>
    %ot = ktdp.construct_access_tile %o[%row, %z] {access_tile_order = #id2, access_tile_set = #block} : memref<64x32xf16> -> !ktdp.access_tile<16x32xindex>
    ktdp.store %half, %ot : tensor<16x32xf16>, <16x32xindex>
    return
  }
}
