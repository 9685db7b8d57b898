// The same loop with 0, 1, 2 and 1,000 iterations, one function each: y[i] = -x[i] * x[i], one row of 64 at a time on two cores.
// Rows that no iteration reaches stay as they were.
#all = affine_set<(r, c) : (r >= 0, -r + 1999 >= 0, c >= 0, -c + 63 >= 0)>
#row = affine_set<(r, c) : (r >= 0, -r >= 0, c >= 0, -c + 63 >= 0)>
#same = affine_map<(r, c) -> (r, c)>

func.func @loop_0(%x_ptr: index, %y_ptr: index) attributes {grid = [2]} {
  %first = arith.constant 0 : index
  %last = arith.constant 0 : index
  %next = arith.constant 1 : index
  %half = arith.constant 1000 : index
  %id = ktdp.get_compute_tile_id : index
  %x = ktdp.construct_memory_view %x_ptr, sizes: [2000, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<2000x64xf16>
  %y = ktdp.construct_memory_view %y_ptr, sizes: [2000, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<2000x64xf16>
  %start = arith.muli %id, %half : index
  scf.for %i = %first to %last step %next {
    %r = arith.addi %start, %i : index
    %xt = ktdp.construct_access_tile %x[%r, 0] {access_tile_set = #row, access_tile_order = #same} : memref<2000x64xf16> -> !ktdp.access_tile<1x64xindex>
    %yt = ktdp.construct_access_tile %y[%r, 0] {access_tile_set = #row, access_tile_order = #same} : memref<2000x64xf16> -> !ktdp.access_tile<1x64xindex>
    %a = ktdp.load %xt : <1x64xindex> -> tensor<1x64xf16>
    %b = arith.negf %a : tensor<1x64xf16>
    %c = arith.mulf %b, %a : tensor<1x64xf16>
    ktdp.store %c, %yt : tensor<1x64xf16>, <1x64xindex>
  }
  return
}

func.func @loop_1(%x_ptr: index, %y_ptr: index) attributes {grid = [2]} {
  %first = arith.constant 0 : index
  %last = arith.constant 1 : index
  %next = arith.constant 1 : index
  %half = arith.constant 1000 : index
  %id = ktdp.get_compute_tile_id : index
  %x = ktdp.construct_memory_view %x_ptr, sizes: [2000, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<2000x64xf16>
  %y = ktdp.construct_memory_view %y_ptr, sizes: [2000, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<2000x64xf16>
  %start = arith.muli %id, %half : index
  scf.for %i = %first to %last step %next {
    %r = arith.addi %start, %i : index
    %xt = ktdp.construct_access_tile %x[%r, 0] {access_tile_set = #row, access_tile_order = #same} : memref<2000x64xf16> -> !ktdp.access_tile<1x64xindex>
    %yt = ktdp.construct_access_tile %y[%r, 0] {access_tile_set = #row, access_tile_order = #same} : memref<2000x64xf16> -> !ktdp.access_tile<1x64xindex>
    %a = ktdp.load %xt : <1x64xindex> -> tensor<1x64xf16>
    %b = arith.negf %a : tensor<1x64xf16>
    %c = arith.mulf %b, %a : tensor<1x64xf16>
    ktdp.store %c, %yt : tensor<1x64xf16>, <1x64xindex>
  }
  return
}

func.func @loop_2(%x_ptr: index, %y_ptr: index) attributes {grid = [2]} {
  %first = arith.constant 0 : index
  %last = arith.constant 2 : index
  %next = arith.constant 1 : index
  %half = arith.constant 1000 : index
  %id = ktdp.get_compute_tile_id : index
  %x = ktdp.construct_memory_view %x_ptr, sizes: [2000, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<2000x64xf16>
  %y = ktdp.construct_memory_view %y_ptr, sizes: [2000, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<2000x64xf16>
  %start = arith.muli %id, %half : index
  scf.for %i = %first to %last step %next {
    %r = arith.addi %start, %i : index
    %xt = ktdp.construct_access_tile %x[%r, 0] {access_tile_set = #row, access_tile_order = #same} : memref<2000x64xf16> -> !ktdp.access_tile<1x64xindex>
    %yt = ktdp.construct_access_tile %y[%r, 0] {access_tile_set = #row, access_tile_order = #same} : memref<2000x64xf16> -> !ktdp.access_tile<1x64xindex>
    %a = ktdp.load %xt : <1x64xindex> -> tensor<1x64xf16>
    %b = arith.negf %a : tensor<1x64xf16>
    %c = arith.mulf %b, %a : tensor<1x64xf16>
    ktdp.store %c, %yt : tensor<1x64xf16>, <1x64xindex>
  }
  return
}

func.func @loop_1000(%x_ptr: index, %y_ptr: index) attributes {grid = [2]} {
  %first = arith.constant 0 : index
  %last = arith.constant 1000 : index
  %next = arith.constant 1 : index
  %half = arith.constant 1000 : index
  %id = ktdp.get_compute_tile_id : index
  %x = ktdp.construct_memory_view %x_ptr, sizes: [2000, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<2000x64xf16>
  %y = ktdp.construct_memory_view %y_ptr, sizes: [2000, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<2000x64xf16>
  %start = arith.muli %id, %half : index
  scf.for %i = %first to %last step %next {
    %r = arith.addi %start, %i : index
    %xt = ktdp.construct_access_tile %x[%r, 0] {access_tile_set = #row, access_tile_order = #same} : memref<2000x64xf16> -> !ktdp.access_tile<1x64xindex>
    %yt = ktdp.construct_access_tile %y[%r, 0] {access_tile_set = #row, access_tile_order = #same} : memref<2000x64xf16> -> !ktdp.access_tile<1x64xindex>
    %a = ktdp.load %xt : <1x64xindex> -> tensor<1x64xf16>
    %b = arith.negf %a : tensor<1x64xf16>
    %c = arith.mulf %b, %a : tensor<1x64xf16>
    ktdp.store %c, %yt : tensor<1x64xf16>, <1x64xindex>
  }
  return
}
