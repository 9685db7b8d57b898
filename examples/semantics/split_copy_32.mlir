// Every core puts its 4 rows into its own scratchpad; then all read the whole view of 128 rows, 32 parts on 32 cores, in
// tiles that start two rows into a part: each core takes half of its own and half of its neighbour's. An all-reduce orders
// the stores before the loads.

#all = affine_set<(r, c) : (r >= 0, -r + 127 >= 0, c >= 0, -c + 63 >= 0)>
#mine = affine_set<(r, c) : (r >= 0, -r + 3 >= 0, c >= 0, -c + 63 >= 0)>
#cores = affine_set<(i)[g] : (i >= 0, -i + 31 >= 0)>
#one = affine_set<(g) : (g == 0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#wrap = affine_map<(i) -> ((i * 4 + 2) mod 126)>
#p0 = affine_set<(r, c) : (r - 0 >= 0, -r + 3 >= 0, c >= 0, -c + 63 >= 0)>
#p1 = affine_set<(r, c) : (r - 4 >= 0, -r + 7 >= 0, c >= 0, -c + 63 >= 0)>
#p2 = affine_set<(r, c) : (r - 8 >= 0, -r + 11 >= 0, c >= 0, -c + 63 >= 0)>
#p3 = affine_set<(r, c) : (r - 12 >= 0, -r + 15 >= 0, c >= 0, -c + 63 >= 0)>
#p4 = affine_set<(r, c) : (r - 16 >= 0, -r + 19 >= 0, c >= 0, -c + 63 >= 0)>
#p5 = affine_set<(r, c) : (r - 20 >= 0, -r + 23 >= 0, c >= 0, -c + 63 >= 0)>
#p6 = affine_set<(r, c) : (r - 24 >= 0, -r + 27 >= 0, c >= 0, -c + 63 >= 0)>
#p7 = affine_set<(r, c) : (r - 28 >= 0, -r + 31 >= 0, c >= 0, -c + 63 >= 0)>
#p8 = affine_set<(r, c) : (r - 32 >= 0, -r + 35 >= 0, c >= 0, -c + 63 >= 0)>
#p9 = affine_set<(r, c) : (r - 36 >= 0, -r + 39 >= 0, c >= 0, -c + 63 >= 0)>
#p10 = affine_set<(r, c) : (r - 40 >= 0, -r + 43 >= 0, c >= 0, -c + 63 >= 0)>
#p11 = affine_set<(r, c) : (r - 44 >= 0, -r + 47 >= 0, c >= 0, -c + 63 >= 0)>
#p12 = affine_set<(r, c) : (r - 48 >= 0, -r + 51 >= 0, c >= 0, -c + 63 >= 0)>
#p13 = affine_set<(r, c) : (r - 52 >= 0, -r + 55 >= 0, c >= 0, -c + 63 >= 0)>
#p14 = affine_set<(r, c) : (r - 56 >= 0, -r + 59 >= 0, c >= 0, -c + 63 >= 0)>
#p15 = affine_set<(r, c) : (r - 60 >= 0, -r + 63 >= 0, c >= 0, -c + 63 >= 0)>
#p16 = affine_set<(r, c) : (r - 64 >= 0, -r + 67 >= 0, c >= 0, -c + 63 >= 0)>
#p17 = affine_set<(r, c) : (r - 68 >= 0, -r + 71 >= 0, c >= 0, -c + 63 >= 0)>
#p18 = affine_set<(r, c) : (r - 72 >= 0, -r + 75 >= 0, c >= 0, -c + 63 >= 0)>
#p19 = affine_set<(r, c) : (r - 76 >= 0, -r + 79 >= 0, c >= 0, -c + 63 >= 0)>
#p20 = affine_set<(r, c) : (r - 80 >= 0, -r + 83 >= 0, c >= 0, -c + 63 >= 0)>
#p21 = affine_set<(r, c) : (r - 84 >= 0, -r + 87 >= 0, c >= 0, -c + 63 >= 0)>
#p22 = affine_set<(r, c) : (r - 88 >= 0, -r + 91 >= 0, c >= 0, -c + 63 >= 0)>
#p23 = affine_set<(r, c) : (r - 92 >= 0, -r + 95 >= 0, c >= 0, -c + 63 >= 0)>
#p24 = affine_set<(r, c) : (r - 96 >= 0, -r + 99 >= 0, c >= 0, -c + 63 >= 0)>
#p25 = affine_set<(r, c) : (r - 100 >= 0, -r + 103 >= 0, c >= 0, -c + 63 >= 0)>
#p26 = affine_set<(r, c) : (r - 104 >= 0, -r + 107 >= 0, c >= 0, -c + 63 >= 0)>
#p27 = affine_set<(r, c) : (r - 108 >= 0, -r + 111 >= 0, c >= 0, -c + 63 >= 0)>
#p28 = affine_set<(r, c) : (r - 112 >= 0, -r + 115 >= 0, c >= 0, -c + 63 >= 0)>
#p29 = affine_set<(r, c) : (r - 116 >= 0, -r + 119 >= 0, c >= 0, -c + 63 >= 0)>
#p30 = affine_set<(r, c) : (r - 120 >= 0, -r + 123 >= 0, c >= 0, -c + 63 >= 0)>
#p31 = affine_set<(r, c) : (r - 124 >= 0, -r + 127 >= 0, c >= 0, -c + 63 >= 0)>

func.func @split_copy_32(%x_ptr: index, %y_ptr: index) attributes {grid = [32]} {
  %core = ktdp.get_compute_tile_id : index
  %c0 = arith.constant 0 : index
  %lx = arith.constant 1024 : index
  %x = ktdp.construct_memory_view %x_ptr, sizes: [128, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<128x64xf16>
  %y = ktdp.construct_memory_view %y_ptr, sizes: [128, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<128x64xf16>
  %own = ktdp.construct_memory_view %lx, sizes: [4, 64], strides: [64, 1] {coordinate_set = #mine, memory_space = #ktdp.memory_space<ct_local>} : memref<4x64xf16>
  %xt = ktdp.construct_access_tile %x[%core * 4, 0] {access_tile_order = #id2, access_tile_set = #mine} : memref<128x64xf16> -> !ktdp.access_tile<4x64xindex>
  %st = ktdp.construct_access_tile %own[%c0, %c0] {access_tile_order = #id2, access_tile_set = #mine} : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
  %v = ktdp.load %xt : <4x64xindex> -> tensor<4x64xf16>
  ktdp.store %v, %st : tensor<4x64xf16>, <4x64xindex>
  %token = arith.constant dense<1> : tensor<1xi32>
  %zero = arith.constant dense<0> : tensor<1xi32>
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #cores -> <(tensor<1xi32>), groups = #one> {
  ^bb0(%g: index):
    ktdp.yield_partial %token : tensor<1xi32>
  }
  %count = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #cores, identity(%zero : tensor<1xi32>) : <(tensor<1xi32>), groups = #one> -> tensor<1xi32> {
  ^bb0(%a: tensor<1xi32>, %b: tensor<1xi32>):
    %s = arith.addi %a, %b : tensor<1xi32>
    ktdp.yield_reduced %s : tensor<1xi32>
  }
  %v0 = ktdp.construct_memory_view %lx, sizes: [4, 64], strides: [64, 1] {coordinate_set = #p0, memory_space = #ktdp.memory_space<ct_local, ct_id = 0>} : memref<4x64xf16>
  %v1 = ktdp.construct_memory_view %lx, sizes: [4, 64], strides: [64, 1] {coordinate_set = #p1, memory_space = #ktdp.memory_space<ct_local, ct_id = 1>} : memref<4x64xf16>
  %v2 = ktdp.construct_memory_view %lx, sizes: [4, 64], strides: [64, 1] {coordinate_set = #p2, memory_space = #ktdp.memory_space<ct_local, ct_id = 2>} : memref<4x64xf16>
  %v3 = ktdp.construct_memory_view %lx, sizes: [4, 64], strides: [64, 1] {coordinate_set = #p3, memory_space = #ktdp.memory_space<ct_local, ct_id = 3>} : memref<4x64xf16>
  %v4 = ktdp.construct_memory_view %lx, sizes: [4, 64], strides: [64, 1] {coordinate_set = #p4, memory_space = #ktdp.memory_space<ct_local, ct_id = 4>} : memref<4x64xf16>
  %v5 = ktdp.construct_memory_view %lx, sizes: [4, 64], strides: [64, 1] {coordinate_set = #p5, memory_space = #ktdp.memory_space<ct_local, ct_id = 5>} : memref<4x64xf16>
  %v6 = ktdp.construct_memory_view %lx, sizes: [4, 64], strides: [64, 1] {coordinate_set = #p6, memory_space = #ktdp.memory_space<ct_local, ct_id = 6>} : memref<4x64xf16>
  %v7 = ktdp.construct_memory_view %lx, sizes: [4, 64], strides: [64, 1] {coordinate_set = #p7, memory_space = #ktdp.memory_space<ct_local, ct_id = 7>} : memref<4x64xf16>
  %v8 = ktdp.construct_memory_view %lx, sizes: [4, 64], strides: [64, 1] {coordinate_set = #p8, memory_space = #ktdp.memory_space<ct_local, ct_id = 8>} : memref<4x64xf16>
  %v9 = ktdp.construct_memory_view %lx, sizes: [4, 64], strides: [64, 1] {coordinate_set = #p9, memory_space = #ktdp.memory_space<ct_local, ct_id = 9>} : memref<4x64xf16>
  %v10 = ktdp.construct_memory_view %lx, sizes: [4, 64], strides: [64, 1] {coordinate_set = #p10, memory_space = #ktdp.memory_space<ct_local, ct_id = 10>} : memref<4x64xf16>
  %v11 = ktdp.construct_memory_view %lx, sizes: [4, 64], strides: [64, 1] {coordinate_set = #p11, memory_space = #ktdp.memory_space<ct_local, ct_id = 11>} : memref<4x64xf16>
  %v12 = ktdp.construct_memory_view %lx, sizes: [4, 64], strides: [64, 1] {coordinate_set = #p12, memory_space = #ktdp.memory_space<ct_local, ct_id = 12>} : memref<4x64xf16>
  %v13 = ktdp.construct_memory_view %lx, sizes: [4, 64], strides: [64, 1] {coordinate_set = #p13, memory_space = #ktdp.memory_space<ct_local, ct_id = 13>} : memref<4x64xf16>
  %v14 = ktdp.construct_memory_view %lx, sizes: [4, 64], strides: [64, 1] {coordinate_set = #p14, memory_space = #ktdp.memory_space<ct_local, ct_id = 14>} : memref<4x64xf16>
  %v15 = ktdp.construct_memory_view %lx, sizes: [4, 64], strides: [64, 1] {coordinate_set = #p15, memory_space = #ktdp.memory_space<ct_local, ct_id = 15>} : memref<4x64xf16>
  %v16 = ktdp.construct_memory_view %lx, sizes: [4, 64], strides: [64, 1] {coordinate_set = #p16, memory_space = #ktdp.memory_space<ct_local, ct_id = 16>} : memref<4x64xf16>
  %v17 = ktdp.construct_memory_view %lx, sizes: [4, 64], strides: [64, 1] {coordinate_set = #p17, memory_space = #ktdp.memory_space<ct_local, ct_id = 17>} : memref<4x64xf16>
  %v18 = ktdp.construct_memory_view %lx, sizes: [4, 64], strides: [64, 1] {coordinate_set = #p18, memory_space = #ktdp.memory_space<ct_local, ct_id = 18>} : memref<4x64xf16>
  %v19 = ktdp.construct_memory_view %lx, sizes: [4, 64], strides: [64, 1] {coordinate_set = #p19, memory_space = #ktdp.memory_space<ct_local, ct_id = 19>} : memref<4x64xf16>
  %v20 = ktdp.construct_memory_view %lx, sizes: [4, 64], strides: [64, 1] {coordinate_set = #p20, memory_space = #ktdp.memory_space<ct_local, ct_id = 20>} : memref<4x64xf16>
  %v21 = ktdp.construct_memory_view %lx, sizes: [4, 64], strides: [64, 1] {coordinate_set = #p21, memory_space = #ktdp.memory_space<ct_local, ct_id = 21>} : memref<4x64xf16>
  %v22 = ktdp.construct_memory_view %lx, sizes: [4, 64], strides: [64, 1] {coordinate_set = #p22, memory_space = #ktdp.memory_space<ct_local, ct_id = 22>} : memref<4x64xf16>
  %v23 = ktdp.construct_memory_view %lx, sizes: [4, 64], strides: [64, 1] {coordinate_set = #p23, memory_space = #ktdp.memory_space<ct_local, ct_id = 23>} : memref<4x64xf16>
  %v24 = ktdp.construct_memory_view %lx, sizes: [4, 64], strides: [64, 1] {coordinate_set = #p24, memory_space = #ktdp.memory_space<ct_local, ct_id = 24>} : memref<4x64xf16>
  %v25 = ktdp.construct_memory_view %lx, sizes: [4, 64], strides: [64, 1] {coordinate_set = #p25, memory_space = #ktdp.memory_space<ct_local, ct_id = 25>} : memref<4x64xf16>
  %v26 = ktdp.construct_memory_view %lx, sizes: [4, 64], strides: [64, 1] {coordinate_set = #p26, memory_space = #ktdp.memory_space<ct_local, ct_id = 26>} : memref<4x64xf16>
  %v27 = ktdp.construct_memory_view %lx, sizes: [4, 64], strides: [64, 1] {coordinate_set = #p27, memory_space = #ktdp.memory_space<ct_local, ct_id = 27>} : memref<4x64xf16>
  %v28 = ktdp.construct_memory_view %lx, sizes: [4, 64], strides: [64, 1] {coordinate_set = #p28, memory_space = #ktdp.memory_space<ct_local, ct_id = 28>} : memref<4x64xf16>
  %v29 = ktdp.construct_memory_view %lx, sizes: [4, 64], strides: [64, 1] {coordinate_set = #p29, memory_space = #ktdp.memory_space<ct_local, ct_id = 29>} : memref<4x64xf16>
  %v30 = ktdp.construct_memory_view %lx, sizes: [4, 64], strides: [64, 1] {coordinate_set = #p30, memory_space = #ktdp.memory_space<ct_local, ct_id = 30>} : memref<4x64xf16>
  %v31 = ktdp.construct_memory_view %lx, sizes: [4, 64], strides: [64, 1] {coordinate_set = #p31, memory_space = #ktdp.memory_space<ct_local, ct_id = 31>} : memref<4x64xf16>
  %whole = ktdp.construct_distributed_memory_view (%v0, %v1, %v2, %v3, %v4, %v5, %v6, %v7, %v8, %v9, %v10, %v11, %v12, %v13, %v14, %v15, %v16, %v17, %v18, %v19, %v20, %v21, %v22, %v23, %v24, %v25, %v26, %v27, %v28, %v29, %v30, %v31 : memref<4x64xf16>, memref<4x64xf16>, memref<4x64xf16>, memref<4x64xf16>, memref<4x64xf16>, memref<4x64xf16>, memref<4x64xf16>, memref<4x64xf16>, memref<4x64xf16>, memref<4x64xf16>, memref<4x64xf16>, memref<4x64xf16>, memref<4x64xf16>, memref<4x64xf16>, memref<4x64xf16>, memref<4x64xf16>, memref<4x64xf16>, memref<4x64xf16>, memref<4x64xf16>, memref<4x64xf16>, memref<4x64xf16>, memref<4x64xf16>, memref<4x64xf16>, memref<4x64xf16>, memref<4x64xf16>, memref<4x64xf16>, memref<4x64xf16>, memref<4x64xf16>, memref<4x64xf16>, memref<4x64xf16>, memref<4x64xf16>, memref<4x64xf16>) : memref<128x64xf16>
  %start = affine.apply #wrap(%core)
  %from = ktdp.construct_access_tile %whole[%start, 0] {access_tile_order = #id2, access_tile_set = #mine} : memref<128x64xf16> -> !ktdp.access_tile<4x64xindex>
  %to = ktdp.construct_access_tile %y[%core * 4, 0] {access_tile_order = #id2, access_tile_set = #mine} : memref<128x64xf16> -> !ktdp.access_tile<4x64xindex>
  %w = ktdp.load %from : <4x64xindex> -> tensor<4x64xf16>
  ktdp.store %w, %to : tensor<4x64xf16>, <4x64xindex>
  return
}
