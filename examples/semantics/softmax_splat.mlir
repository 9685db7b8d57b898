// Softmax over rows of 1024, hand-written style: each of 32 cores takes 128 rows, one at a time. The row's maximum and
// sum are extracted and splat over the row.

#all = affine_set<(r, c) : (r >= 0, -r + 4095 >= 0, c >= 0, -c + 1023 >= 0)>
#row = affine_set<(r, c) : (r == 0, c >= 0, -c + 1023 >= 0)>
#order = affine_map<(r, c) -> (r, c)>

module {
  func.func @softmax_splat(%x_ptr: index, %y_ptr: index) attributes {grid = [32]} {
    %core = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rows = arith.constant 128 : index
    %lowest = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %first = arith.muli %core, %rows : index
    %end = arith.addi %first, %rows : index
    %x = ktdp.construct_memory_view %x_ptr, sizes: [4096, 1024], strides: [1024, 1]
      {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<4096x1024xf16>
    %y = ktdp.construct_memory_view %y_ptr, sizes: [4096, 1024], strides: [1024, 1]
      {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<4096x1024xf16>
    scf.for %r = %first to %end step %c1 {
      %from = ktdp.construct_access_tile %x[%r, %c0] {access_tile_set = #row, access_tile_order = #order}
        : memref<4096x1024xf16> -> !ktdp.access_tile<1x1024xindex>
      %half = ktdp.load %from : !ktdp.access_tile<1x1024xindex> -> tensor<1x1024xf16>
      %v = arith.extf %half : tensor<1x1024xf16> to tensor<1x1024xf32>
      %low = tensor.splat %lowest : tensor<1xf32>
      %max = linalg.reduce { arith.maximumf } ins(%v : tensor<1x1024xf32>) outs(%low : tensor<1xf32>) dimensions = [1]
      %m = tensor.extract %max[%c0] : tensor<1xf32>
      %ms = tensor.splat %m : tensor<1x1024xf32>
      %shifted = arith.subf %v, %ms : tensor<1x1024xf32>
      %e = math.exp %shifted : tensor<1x1024xf32>
      %none = tensor.splat %zero : tensor<1xf32>
      %sum = linalg.reduce { arith.addf } ins(%e : tensor<1x1024xf32>) outs(%none : tensor<1xf32>) dimensions = [1]
      %s = tensor.extract %sum[%c0] : tensor<1xf32>
      %ss = tensor.splat %s : tensor<1x1024xf32>
      %p = arith.divf %e, %ss : tensor<1x1024xf32>
      %out = arith.truncf %p : tensor<1x1024xf32> to tensor<1x1024xf16>
      %to = ktdp.construct_access_tile %y[%r, %c0] {access_tile_set = #row, access_tile_order = #order}
        : memref<4096x1024xf16> -> !ktdp.access_tile<1x1024xindex>
      ktdp.store %out, %to : tensor<1x1024xf16>, !ktdp.access_tile<1x1024xindex>
    }
    return
  }
}
