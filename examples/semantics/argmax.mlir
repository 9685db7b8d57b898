// The greatest element of 512 and where it stands, over 8 cores: a reduction of two roles, value and index. Of equal
// values the lower index wins, so the order of the fold does not matter.

#x_set = affine_set<(c) : (c >= 0, -c + 511 >= 0)>
#tile = affine_set<(c) : (c >= 0, -c + 63 >= 0)>
#point = affine_set<(c) : (c == 0)>
#cores = affine_set<(i)[g] : (i >= 0, -i + 7 >= 0)>
#zeroth = affine_set<(i)[g] : (i == 0)>
#one = affine_set<(g) : (g == 0)>
#id1 = affine_map<(d0) -> (d0)>
#first = affine_map<(d0) -> (0)>

func.func @argmax(%x_ptr: index, %v_ptr: index, %i_ptr: index) attributes {grid = [8]} {
  %core = ktdp.get_compute_tile_id : index
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %start = arith.muli %core, %c64 : index
  %x = ktdp.construct_memory_view %x_ptr, sizes: [512], strides: [1] {coordinate_set = #x_set, memory_space = #ktdp.memory_space<global>} : memref<512xf32>
  %v = ktdp.construct_memory_view %v_ptr, sizes: [1], strides: [1] {coordinate_set = #point, memory_space = #ktdp.memory_space<global>} : memref<1xf32>
  %i = ktdp.construct_memory_view %i_ptr, sizes: [1], strides: [1] {coordinate_set = #point, memory_space = #ktdp.memory_space<global>} : memref<1xi32>
  %xt = ktdp.construct_access_tile %x[%start] {access_tile_order = #id1, access_tile_set = #tile} : memref<512xf32> -> !ktdp.access_tile<64xindex>
  %xv = ktdp.load %xt : <64xindex> -> tensor<64xf32>
  %low = arith.constant dense<0xFF800000> : tensor<1xf32>
  %high = arith.constant dense<2147483647> : tensor<1xi32>
  %best:2 = linalg.generic {indexing_maps = [#id1, #first, #first], iterator_types = ["reduction"]} ins(%xv : tensor<64xf32>) outs(%low, %high : tensor<1xf32>, tensor<1xi32>) {
  ^bb0(%in: f32, %value: f32, %place: i32):
    %n = linalg.index 0 : index
    %m = arith.addi %n, %start : index
    %here = arith.index_cast %m : index to i32
    %more = arith.cmpf ogt, %in, %value : f32
    %nv = arith.select %more, %in, %value : f32
    %np = arith.select %more, %here, %place : i32
    linalg.yield %nv, %np : f32, i32
  } -> (tensor<1xf32>, tensor<1xi32>)
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #cores -> <(tensor<1xf32>, tensor<1xi32>), groups = #one> {
  ^bb0(%g: index):
    ktdp.yield_partial %best#0, %best#1 : tensor<1xf32>, tensor<1xi32>
  }
  %r:2 = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #zeroth, identity(%low, %high : tensor<1xf32>, tensor<1xi32>) : <(tensor<1xf32>, tensor<1xi32>), groups = #one> -> tensor<1xf32>, tensor<1xi32> {
  ^bb0(%va: tensor<1xf32>, %ia: tensor<1xi32>, %vb: tensor<1xf32>, %ib: tensor<1xi32>):
    %more = arith.cmpf ogt, %vb, %va : tensor<1xf32>
    %same = arith.cmpf oeq, %vb, %va : tensor<1xf32>
    %before = arith.cmpi slt, %ib, %ia : tensor<1xi32>
    %tie = arith.andi %same, %before : tensor<1xi1>
    %take = arith.ori %more, %tie : tensor<1xi1>
    %nv = arith.select %take, %vb, %va : tensor<1xi1>, tensor<1xf32>
    %ni = arith.select %take, %ib, %ia : tensor<1xi1>, tensor<1xi32>
    ktdp.yield_reduced %nv, %ni : tensor<1xf32>, tensor<1xi32>
  }
  %writes = arith.cmpi eq, %core, %c0 : index
  scf.if %writes {
    %vt = ktdp.construct_access_tile %v[%c0] {access_tile_order = #id1, access_tile_set = #point} : memref<1xf32> -> !ktdp.access_tile<1xindex>
    %it = ktdp.construct_access_tile %i[%c0] {access_tile_order = #id1, access_tile_set = #point} : memref<1xi32> -> !ktdp.access_tile<1xindex>
    ktdp.store %r#0, %vt : tensor<1xf32>, <1xindex>
    ktdp.store %r#1, %it : tensor<1xi32>, <1xindex>
  }
  return
}
