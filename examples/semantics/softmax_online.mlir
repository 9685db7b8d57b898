// Softmax in one pass over blocks of columns (running maximum and sum), then a second pass that divides. Triton's style:
// i32 address arithmetic, values carried by the loop, results used as %r#1, locations from Python at the end.

#loc1 = loc("softmax.py":3:22)
#all = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 1023 >= 0)>
#block = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 255 >= 0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>

module {
  func.func @softmax_online(%in_ptr: index loc("in_ptr"(#loc1)), %out_ptr: index, %n_cols: i32) attributes {grid = [16]} {
    %pid = ktdp.get_compute_tile_id : index loc(#loc2)
    %0 = arith.index_cast %pid : index to i32
    %c4_i32 = arith.constant 4 : i32
    %c0_i32 = arith.constant 0 : i32
    %c256_i32 = arith.constant 256 : i32
    %1 = arith.muli %0, %c4_i32 : i32
    %row = arith.index_cast %1 : i32 to index
    %ninf = arith.constant dense<0xFF800000> : tensor<4xf32>
    %zeros = arith.constant dense<0.0> : tensor<4xf32>
    %in = ktdp.construct_memory_view %in_ptr, sizes: [64, 1024], strides: [1024, 1] {coordinate_set = #all, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<64x1024xf32> loc(#loc3)
    %out = ktdp.construct_memory_view %out_ptr, sizes: [64, 1024], strides: [1024, 1] {coordinate_set = #all, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<64x1024xf32>
    %r:2 = scf.for %c = %c0_i32 to %n_cols step %c256_i32 iter_args(%m = %ninf, %l = %zeros) -> (tensor<4xf32>, tensor<4xf32>) : i32 {
      %col = arith.index_cast %c : i32 to index
      %t = ktdp.construct_access_tile %in[%row, %col] {access_tile_order = #id2, access_tile_set = #block} : memref<64x1024xf32> -> !ktdp.access_tile<4x256xindex>
      %x = ktdp.load %t : <4x256xindex> -> tensor<4x256xf32>
      %m1 = linalg.reduce ins(%x : tensor<4x256xf32>) outs(%m : tensor<4xf32>) dimensions = [1]
        (%a: f32, %b: f32) {
          %big = arith.maxnumf %a, %b : f32
          linalg.yield %big : f32
        }
      %e0 = tensor.empty() : tensor<4x256xf32>
      %mb = linalg.broadcast ins(%m1 : tensor<4xf32>) outs(%e0 : tensor<4x256xf32>) dimensions = [1]
      %d = arith.subf %x, %mb : tensor<4x256xf32>
      %p = math.exp %d : tensor<4x256xf32>
      %dm = arith.subf %m, %m1 : tensor<4xf32>
      %alpha = math.exp %dm : tensor<4xf32>
      %scaled = arith.mulf %l, %alpha : tensor<4xf32>
      %l1 = linalg.reduce { arith.addf } ins(%p : tensor<4x256xf32>) outs(%scaled : tensor<4xf32>) dimensions = [1]
      scf.yield %m1, %l1 : tensor<4xf32>, tensor<4xf32>
    }
    scf.for %c = %c0_i32 to %n_cols step %c256_i32 : i32 {
      %col = arith.index_cast %c : i32 to index
      %t = ktdp.construct_access_tile %in[%row, %col] {access_tile_order = #id2, access_tile_set = #block} : memref<64x1024xf32> -> !ktdp.access_tile<4x256xindex>
      %x = ktdp.load %t : <4x256xindex> -> tensor<4x256xf32>
      %e0 = tensor.empty() : tensor<4x256xf32>
      %mb = linalg.broadcast ins(%r#0 : tensor<4xf32>) outs(%e0 : tensor<4x256xf32>) dimensions = [1]
      %lb = linalg.broadcast ins(%r#1 : tensor<4xf32>) outs(%e0 : tensor<4x256xf32>) dimensions = [1]
      %d = arith.subf %x, %mb : tensor<4x256xf32>
      %p = math.exp %d : tensor<4x256xf32>
      %y = arith.divf %p, %lb : tensor<4x256xf32>
      %u = ktdp.construct_access_tile %out[%row, %col] {access_tile_order = #id2, access_tile_set = #block} : memref<64x1024xf32> -> !ktdp.access_tile<4x256xindex>
      ktdp.store %y, %u : tensor<4x256xf32>, <4x256xindex>
    }
    return
  }
}
#loc2 = loc("softmax.py":5:10)
#loc3 = loc("softmax.py":7:12)
