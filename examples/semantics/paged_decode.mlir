// One step of decoding over a paged cache: 4 heads on 4 cores, pages of 16 tokens found through a block table (rank 2),
// the cache of rank 4; how many pages there are, and how long the sequence is, comes with the launch.

#cache = affine_set<(p, s, h, d) : (p >= 0, -p + 31 >= 0, s >= 0, -s + 15 >= 0, h >= 0, -h + 3 >= 0, d >= 0, -d + 63 >= 0)>
#table = affine_set<(b, p) : (b >= 0, -b + 1 >= 0, p >= 0, -p + 7 >= 0)>
#q_set = affine_set<(h, d) : (h >= 0, -h + 3 >= 0, d >= 0, -d + 63 >= 0)>
#q_tile = affine_set<(h, d) : (h == 0, d >= 0, -d + 63 >= 0)>
#page = affine_set<(s, d) : (s >= 0, -s + 15 >= 0, d >= 0, -d + 63 >= 0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>

module {
  func.func @paged_decode(%q_ptr: index, %k_ptr: index, %v_ptr: index, %table_ptr: index, %o_ptr: index, %batch: index, %pages: index, %length: i32) attributes {grid = [4]} {
    %h = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : i32
    %q = ktdp.construct_memory_view %q_ptr, sizes: [4, 64], strides: [64, 1] {coordinate_set = #q_set, memory_space = #ktdp.memory_space<global>} : memref<4x64xf16>
    %o = ktdp.construct_memory_view %o_ptr, sizes: [4, 64], strides: [64, 1] {coordinate_set = #q_set, memory_space = #ktdp.memory_space<global>} : memref<4x64xf16>
    %k = ktdp.construct_memory_view %k_ptr, sizes: [32, 16, 4, 64], strides: [4096, 256, 64, 1] {coordinate_set = #cache, memory_space = #ktdp.memory_space<global>} : memref<32x16x4x64xf16>
    %v = ktdp.construct_memory_view %v_ptr, sizes: [32, 16, 4, 64], strides: [4096, 256, 64, 1] {coordinate_set = #cache, memory_space = #ktdp.memory_space<global>} : memref<32x16x4x64xf16>
    %table = ktdp.construct_memory_view %table_ptr, sizes: [2, 8], strides: [8, 1] {coordinate_set = #table, memory_space = #ktdp.memory_space<global>} : memref<2x8xi32>
    %qt = ktdp.construct_access_tile %q[%h, %c0] {access_tile_order = #id2, access_tile_set = #q_tile} : memref<4x64xf16> -> !ktdp.access_tile<1x64xindex>
    %ot = ktdp.construct_access_tile %o[%h, %c0] {access_tile_order = #id2, access_tile_set = #q_tile} : memref<4x64xf16> -> !ktdp.access_tile<1x64xindex>
    %qv = ktdp.load %qt : <1x64xindex> -> tensor<1x64xf16>
    %low = arith.constant dense<0xFF800000> : tensor<1xf32>
    %none = arith.constant dense<0.0> : tensor<1xf32>
    %start = arith.constant dense<0.0> : tensor<1x64xf32>
    %scale = arith.constant dense<0.125> : tensor<1x16xf32>
    %r:3 = scf.for %p = %c0 to %pages step %c1 iter_args(%m = %low, %l = %none, %acc = %start) -> (tensor<1xf32>, tensor<1xf32>, tensor<1x64xf32>) {
      %kt = ktdp.construct_indirect_access_tile intermediate_variables(%s, %d) %k[ind(%table[%batch, %p]), (%s), (%h), (%d)]
        {variables_space_set = #page, variables_space_order = #swap} : memref<32x16x4x64xf16>, memref<2x8xi32> -> !ktdp.access_tile<64x16xindex>
      %vt = ktdp.construct_indirect_access_tile intermediate_variables(%s, %d) %v[ind(%table[%batch, %p]), (%s), (%h), (%d)]
        {variables_space_set = #page, variables_space_order = #id2} : memref<32x16x4x64xf16>, memref<2x8xi32> -> !ktdp.access_tile<16x64xindex>
      %kv = ktdp.load %kt : <64x16xindex> -> tensor<64x16xf16>
      %vv = ktdp.load %vt : <16x64xindex> -> tensor<16x64xf16>
      %zs = arith.constant dense<0.0> : tensor<1x16xf32>
      %qk = linalg.matmul ins(%qv, %kv : tensor<1x64xf16>, tensor<64x16xf16>) outs(%zs : tensor<1x16xf32>) -> tensor<1x16xf32>
      %s0 = arith.mulf %qk, %scale : tensor<1x16xf32>
      %pi = arith.index_cast %p : index to i32
      %before = arith.muli %pi, %c16 : i32
      %e1 = tensor.empty() : tensor<1x16xf32>
      %s1 = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%s0 : tensor<1x16xf32>) outs(%e1 : tensor<1x16xf32>) {
      ^bb0(%in: f32, %out: f32):
        %j0 = linalg.index 1 : index
        %j1 = arith.index_cast %j0 : index to i32
        %j = arith.addi %j1, %before : i32
        %seen = arith.cmpi slt, %j, %length : i32
        %ninf = arith.constant 0xFF800000 : f32
        %value = arith.select %seen, %in, %ninf : f32
        linalg.yield %value : f32
      } -> tensor<1x16xf32>
      %m1 = linalg.reduce { arith.maximumf } ins(%s1 : tensor<1x16xf32>) outs(%m : tensor<1xf32>) dimensions = [1]
      %mb = linalg.broadcast ins(%m1 : tensor<1xf32>) outs(%e1 : tensor<1x16xf32>) dimensions = [1]
      %dd = arith.subf %s1, %mb : tensor<1x16xf32>
      %pe = math.exp %dd : tensor<1x16xf32>
      %dm = arith.subf %m, %m1 : tensor<1xf32>
      %alpha = math.exp %dm : tensor<1xf32>
      %la = arith.mulf %l, %alpha : tensor<1xf32>
      %l1 = linalg.reduce { arith.addf } ins(%pe : tensor<1x16xf32>) outs(%la : tensor<1xf32>) dimensions = [1]
      %e2 = tensor.empty() : tensor<1x64xf32>
      %ab = linalg.broadcast ins(%alpha : tensor<1xf32>) outs(%e2 : tensor<1x64xf32>) dimensions = [1]
      %kept = arith.mulf %acc, %ab : tensor<1x64xf32>
      %ph = arith.truncf %pe : tensor<1x16xf32> to tensor<1x16xf16>
      %acc1 = linalg.matmul ins(%ph, %vv : tensor<1x16xf16>, tensor<16x64xf16>) outs(%kept : tensor<1x64xf32>) -> tensor<1x64xf32>
      scf.yield %m1, %l1, %acc1 : tensor<1xf32>, tensor<1xf32>, tensor<1x64xf32>
    }
    %e3 = tensor.empty() : tensor<1x64xf32>
    %lb = linalg.broadcast ins(%r#1 : tensor<1xf32>) outs(%e3 : tensor<1x64xf32>) dimensions = [1]
    %y = arith.divf %r#2, %lb : tensor<1x64xf32>
    %half = arith.truncf %y : tensor<1x64xf32> to tensor<1x64xf16>
    ktdp.store %half, %ot : tensor<1x64xf16>, <1x64xindex>
    return
  }
}
