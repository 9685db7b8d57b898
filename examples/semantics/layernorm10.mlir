// LayerNorm whose last dimension has 10 elements, a fraction of a stick: 12 cores, one row each.

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 11 >= 0, d1 >= 0, -d1 + 9 >= 0)>
#vector = affine_set<(d0) : (d0 >= 0, -d0 + 9 >= 0)>
#one = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 9 >= 0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#id1 = affine_map<(d0) -> (d0)>

func.func @layernorm10(%x_ptr: index, %w_ptr: index, %b_ptr: index, %y_ptr: index) attributes {grid = [12]} {
  %row = ktdp.get_compute_tile_id : index
  %c0 = arith.constant 0 : index
  %x = ktdp.construct_memory_view %x_ptr, sizes: [12, 10], strides: [10, 1]
    {coordinate_set = #rows, memory_space = #ktdp.memory_space<global>} : memref<12x10xf32>
  %w = ktdp.construct_memory_view %w_ptr, sizes: [10], strides: [1]
    {coordinate_set = #vector, memory_space = #ktdp.memory_space<global>} : memref<10xf32>
  %b = ktdp.construct_memory_view %b_ptr, sizes: [10], strides: [1]
    {coordinate_set = #vector, memory_space = #ktdp.memory_space<global>} : memref<10xf32>
  %y = ktdp.construct_memory_view %y_ptr, sizes: [12, 10], strides: [10, 1]
    {coordinate_set = #rows, memory_space = #ktdp.memory_space<global>} : memref<12x10xf32>
  %xt = ktdp.construct_access_tile %x[%row, %c0] {access_tile_set = #one, access_tile_order = #id2}
    : memref<12x10xf32> -> !ktdp.access_tile<1x10xindex>
  %wt = ktdp.construct_access_tile %w[%c0] {access_tile_set = #vector, access_tile_order = #id1}
    : memref<10xf32> -> !ktdp.access_tile<10xindex>
  %bt = ktdp.construct_access_tile %b[%c0] {access_tile_set = #vector, access_tile_order = #id1}
    : memref<10xf32> -> !ktdp.access_tile<10xindex>
  %xv = ktdp.load %xt : <1x10xindex> -> tensor<1x10xf32>
  %wv = ktdp.load %wt : <10xindex> -> tensor<10xf32>
  %bv = ktdp.load %bt : <10xindex> -> tensor<10xf32>
  %ten = arith.constant dense<10.0> : tensor<1xf32>
  %eps = arith.constant dense<1.0e-05> : tensor<1xf32>
  %zero = arith.constant 0.0 : f32
  %none = tensor.empty() : tensor<1xf32>
  %start = linalg.fill ins(%zero : f32) outs(%none : tensor<1xf32>) -> tensor<1xf32>
  %sum = linalg.reduce { arith.addf } ins(%xv : tensor<1x10xf32>) outs(%start : tensor<1xf32>) dimensions = [1]
  %mean = arith.divf %sum, %ten : tensor<1xf32>
  %e = tensor.empty() : tensor<1x10xf32>
  %means = linalg.broadcast ins(%mean : tensor<1xf32>) outs(%e : tensor<1x10xf32>) dimensions = [1]
  %d = arith.subf %xv, %means : tensor<1x10xf32>
  %dd = arith.mulf %d, %d : tensor<1x10xf32>
  %squares = linalg.reduce { arith.addf } ins(%dd : tensor<1x10xf32>) outs(%start : tensor<1xf32>) dimensions = [1]
  %var = arith.divf %squares, %ten : tensor<1xf32>
  %safe = arith.addf %var, %eps : tensor<1xf32>
  %scale = math.rsqrt %safe : tensor<1xf32>
  %scales = linalg.broadcast ins(%scale : tensor<1xf32>) outs(%e : tensor<1x10xf32>) dimensions = [1]
  %n = arith.mulf %d, %scales : tensor<1x10xf32>
  %ws = linalg.broadcast ins(%wv : tensor<10xf32>) outs(%e : tensor<1x10xf32>) dimensions = [0]
  %bs = linalg.broadcast ins(%bv : tensor<10xf32>) outs(%e : tensor<1x10xf32>) dimensions = [0]
  %nw = arith.mulf %n, %ws : tensor<1x10xf32>
  %r = arith.addf %nw, %bs : tensor<1x10xf32>
  %yt = ktdp.construct_access_tile %y[%row, %c0] {access_tile_set = #one, access_tile_order = #id2}
    : memref<12x10xf32> -> !ktdp.access_tile<1x10xindex>
  ktdp.store %r, %yt : tensor<1x10xf32>, <1x10xindex>
  return
}
