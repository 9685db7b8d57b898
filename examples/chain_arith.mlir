// out = x < 0 ? slope * x : x + exp(y), in f32, arith and math on tensors, 8 cores, a loop of four blocks of 4 x 32 each.
#all = affine_set<(r, c) : (r >= 0, -r + 127 >= 0, c >= 0, -c + 31 >= 0)>
#block = affine_set<(r, c) : (r >= 0, -r + 3 >= 0, c >= 0, -c + 31 >= 0)>
#same = affine_map<(r, c) -> (r, c)>

func.func @chain_arith(%x_ptr: index, %y_ptr: index, %out_ptr: index) attributes {grid = [8]} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %slope = arith.constant dense<0.125> : tensor<4x32xf32>
  %none = arith.constant dense<0.0> : tensor<4x32xf32>
  %id = ktdp.get_compute_tile_id : index
  %first = arith.muli %id, %c16 : index
  %xv = ktdp.construct_memory_view %x_ptr, sizes: [128, 32], strides: [32, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<128x32xf32>
  %yv = ktdp.construct_memory_view %y_ptr, sizes: [128, 32], strides: [32, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<128x32xf32>
  %ov = ktdp.construct_memory_view %out_ptr, sizes: [128, 32], strides: [32, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<128x32xf32>
  scf.for %i = %c0 to %c16 step %c4 {
    %row = arith.addi %first, %i : index
    %xt = ktdp.construct_access_tile %xv[%row, 0] {access_tile_set = #block, access_tile_order = #same} : memref<128x32xf32> -> !ktdp.access_tile<4x32xindex>
    %yt = ktdp.construct_access_tile %yv[%row, 0] {access_tile_set = #block, access_tile_order = #same} : memref<128x32xf32> -> !ktdp.access_tile<4x32xindex>
    %ot = ktdp.construct_access_tile %ov[%row, 0] {access_tile_set = #block, access_tile_order = #same} : memref<128x32xf32> -> !ktdp.access_tile<4x32xindex>
    %x = ktdp.load %xt : <4x32xindex> -> tensor<4x32xf32>
    %y = ktdp.load %yt : <4x32xindex> -> tensor<4x32xf32>
    %e = math.exp %y : tensor<4x32xf32>
    %up = arith.addf %x, %e : tensor<4x32xf32>
    %down = arith.mulf %slope, %x : tensor<4x32xf32>
    %negative = arith.cmpf olt, %x, %none : tensor<4x32xf32>
    %out = arith.select %negative, %down, %up : tensor<4x32xi1>, tensor<4x32xf32>
    ktdp.store %out, %ot : tensor<4x32xf32>, <4x32xindex>
  }
  return
}
