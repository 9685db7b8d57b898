// Kernels that the passes have to take apart in different ways; test_line.py runs each at every stage.

#all = affine_set<(r, c) : (r >= 0, -r + 95 >= 0, c >= 0, -c + 63 >= 0)>
#row = affine_set<(r, c) : (r == 0, c >= 0, -c + 63 >= 0)>
#two = affine_set<(r, c) : (r >= 0, -r + 1 >= 0, c >= 0, -c + 63 >= 0)>
#z = affine_set<() : ()>
#id = affine_map<(r, c) -> (r, c)>
#id0 = affine_map<() -> ()>
#col = affine_map<(r, c) -> (c)>
#id1 = affine_map<(c) -> (c)>
#lane = affine_set<(c) : (c >= 0, -c + 63 >= 0)>
#s3 = affine_set<(a, b, c) : (a >= 0, -a + 31 >= 0, b >= 0, -b + 1 >= 0, c >= 0, -c + 63 >= 0)>
#t3 = affine_set<(a, b, c) : (a >= 0, -a + 7 >= 0, b >= 0, -b + 1 >= 0, c >= 0, -c + 63 >= 0)>
#id3 = affine_map<(a, b, c) -> (a, b, c)>

// Two loops; the buffers rotate over all iterations of both.
func.func @nested(%x: index, %y: index) attributes {grid = [8]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %t = ktdp.get_compute_tile_id : index
  %v = ktdp.construct_memory_view %x, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  %w = ktdp.construct_memory_view %y, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  scf.for %i = %c0 to %c3 step %c1 {
    scf.for %j = %c0 to %c2 step %c1 {
      %a = ktdp.construct_access_tile %v[%t * 12 + %i * 4 + %j * 2, 0] {access_tile_set = #two, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<2x64xindex>
      %b = ktdp.construct_access_tile %w[%t * 12 + %i * 4 + %j * 2, 0] {access_tile_set = #two, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<2x64xindex>
      %l = ktdp.load %a : <2x64xindex> -> tensor<2x64xf16>
      %m = math.exp %l : tensor<2x64xf16>
      ktdp.store %m, %b : tensor<2x64xf16>, <2x64xindex>
    }
  }
  return
}

// A store under a condition that bounds the tile: the rows below 90.
func.func @guard(%x: index, %y: index) attributes {grid = [32]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = ktdp.get_compute_tile_id : index
  %c4 = arith.constant 4 : index
  %c90 = arith.constant 90 : index
  %v = ktdp.construct_memory_view %x, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  %w = ktdp.construct_memory_view %y, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  scf.for %i = %c0 to %c4 step %c1 {
    %r4 = arith.muli %t, %c4 : index
    %r = arith.addi %r4, %i : index
    %ok = arith.cmpi ult, %r, %c90 : index
    scf.if %ok {
      %a = ktdp.construct_access_tile %v[%r, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
      %b = ktdp.construct_access_tile %w[%r, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
      %l = ktdp.load %a : <1x64xindex> -> tensor<1x64xf16>
      %m = arith.addf %l, %l : tensor<1x64xf16>
      ktdp.store %m, %b : tensor<1x64xf16>, <1x64xindex>
    }
  }
  return
}

// Blocks of four rows, the last ones cut off by a minimum; the loop starts at the tile's own row.
func.func @ragged(%x: index, %y: index) attributes {grid = [32]} {
  %c1 = arith.constant 1 : index
  %t = ktdp.get_compute_tile_id : index
  %c4 = arith.constant 4 : index
  %c96 = arith.constant 96 : index
  %f = arith.muli %t, %c4 : index
  %n = arith.addi %f, %c4 : index
  %e = arith.minsi %n, %c96 : index
  %v = ktdp.construct_memory_view %x, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  %w = ktdp.construct_memory_view %y, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  scf.for %i = %f to %e step %c1 {
    %a = ktdp.construct_access_tile %v[%i, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
    %b = ktdp.construct_access_tile %w[%i, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
    %l = ktdp.load %a : <1x64xindex> -> tensor<1x64xf16>
    %m = arith.negf %l : tensor<1x64xf16>
    ktdp.store %m, %b : tensor<1x64xf16>, <1x64xindex>
  }
  return
}

// Three rows, no loop.
func.func @straight(%x: index, %y: index) attributes {grid = [32]} {
  %t = ktdp.get_compute_tile_id : index
  %v = ktdp.construct_memory_view %x, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  %w = ktdp.construct_memory_view %y, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  %a0 = ktdp.construct_access_tile %v[%t * 3 + 0, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
  %b0 = ktdp.construct_access_tile %w[%t * 3 + 0, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
  %l0 = ktdp.load %a0 : <1x64xindex> -> tensor<1x64xf16>
  %m0 = arith.mulf %l0, %l0 : tensor<1x64xf16>
  ktdp.store %m0, %b0 : tensor<1x64xf16>, <1x64xindex>
  %a1 = ktdp.construct_access_tile %v[%t * 3 + 1, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
  %b1 = ktdp.construct_access_tile %w[%t * 3 + 1, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
  %l1 = ktdp.load %a1 : <1x64xindex> -> tensor<1x64xf16>
  %m1 = arith.mulf %l1, %l1 : tensor<1x64xf16>
  ktdp.store %m1, %b1 : tensor<1x64xf16>, <1x64xindex>
  %a2 = ktdp.construct_access_tile %v[%t * 3 + 2, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
  %b2 = ktdp.construct_access_tile %w[%t * 3 + 2, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
  %l2 = ktdp.load %a2 : <1x64xindex> -> tensor<1x64xf16>
  %m2 = arith.mulf %l2, %l2 : tensor<1x64xf16>
  ktdp.store %m2, %b2 : tensor<1x64xf16>, <1x64xindex>
  return
}

// The number of iterations comes from the launch, and is at most 3.
func.func @symbolic(%x: index, %y: index, %n: index) attributes {grid = [32]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %t = ktdp.get_compute_tile_id : index
  %v = ktdp.construct_memory_view %x, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  %w = ktdp.construct_memory_view %y, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  %m0 = arith.minsi %n, %c3 : index
  scf.for %i = %c0 to %m0 step %c1 {
    %a = ktdp.construct_access_tile %v[%t * 3 + %i, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
    %b = ktdp.construct_access_tile %w[%t * 3 + %i, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
    %l = ktdp.load %a : <1x64xindex> -> tensor<1x64xf16>
    %m = arith.negf %l : tensor<1x64xf16>
    ktdp.store %m, %b : tensor<1x64xf16>, <1x64xindex>
  }
  return
}

// A float and an integer of the launch in every lane.
func.func @scalararg(%x: index, %y: index, %s: f16, %k: i32) attributes {grid = [32]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %t = ktdp.get_compute_tile_id : index
  %v = ktdp.construct_memory_view %x, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  %w = ktdp.construct_memory_view %y, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  scf.for %i = %c0 to %c3 step %c1 {
    %a = ktdp.construct_access_tile %v[%t * 3 + %i, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
    %b = ktdp.construct_access_tile %w[%t * 3 + %i, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
    %l = ktdp.load %a : <1x64xindex> -> tensor<1x64xf16>
    %sp = tensor.splat %s : tensor<1x64xf16>
    %m = arith.mulf %l, %sp : tensor<1x64xf16>
    %ki = tensor.splat %k : tensor<1x64xi32>
    %kf = arith.sitofp %ki : tensor<1x64xi32> to tensor<1x64xf16>
    %q = arith.addf %m, %kf : tensor<1x64xf16>
    ktdp.store %q, %b : tensor<1x64xf16>, <1x64xindex>
  }
  return
}

// The number of the row in every lane: an integer that the unit computes.
func.func @ivsplat(%y: index) attributes {grid = [32]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %t = ktdp.get_compute_tile_id : index
  %w = ktdp.construct_memory_view %y, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xi32>
  scf.for %i = %c0 to %c3 step %c1 {
    %r3 = arith.muli %t, %c3 : index
    %r = arith.addi %r3, %i : index
    %ri = arith.index_cast %r : index to i32
    %b = ktdp.construct_access_tile %w[%r, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xi32> -> !ktdp.access_tile<1x64xindex>
    %ki = tensor.splat %ri : tensor<1x64xi32>
    ktdp.store %ki, %b : tensor<1x64xi32>, <1x64xindex>
  }
  return
}

// A constant is stored.
func.func @fillstore(%y: index) attributes {grid = [32]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %t = ktdp.get_compute_tile_id : index
  %w = ktdp.construct_memory_view %y, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  %cst = arith.constant dense<1.5> : tensor<1x64xf16>
  scf.for %i = %c0 to %c3 step %c1 {
    %b = ktdp.construct_access_tile %w[%t * 3 + %i, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
    ktdp.store %cst, %b : tensor<1x64xf16>, <1x64xindex>
  }
  return
}

// A value is stored twice, and another one is made from it.
func.func @twice(%x: index, %y: index, %z: index) attributes {grid = [32]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %t = ktdp.get_compute_tile_id : index
  %v = ktdp.construct_memory_view %x, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  %w = ktdp.construct_memory_view %y, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  %u = ktdp.construct_memory_view %z, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  scf.for %i = %c0 to %c3 step %c1 {
    %a = ktdp.construct_access_tile %v[%t * 3 + %i, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
    %b = ktdp.construct_access_tile %w[%t * 3 + %i, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
    %d = ktdp.construct_access_tile %u[%t * 3 + %i, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
    %l = ktdp.load %a : <1x64xindex> -> tensor<1x64xf16>
    %m = math.exp %l : tensor<1x64xf16>
    %q = arith.addf %m, %l : tensor<1x64xf16>
    ktdp.store %m, %b : tensor<1x64xf16>, <1x64xindex>
    ktdp.store %q, %d : tensor<1x64xf16>, <1x64xindex>
    ktdp.store %q, %b : tensor<1x64xf16>, <1x64xindex>
  }
  return
}

// The body adds to the old value of its output, which was loaded and is stored unchanged afterwards.
func.func @accum(%x: index, %y: index) attributes {grid = [32]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %t = ktdp.get_compute_tile_id : index
  %v = ktdp.construct_memory_view %x, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  %w = ktdp.construct_memory_view %y, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  scf.for %i = %c0 to %c3 step %c1 {
    %a = ktdp.construct_access_tile %v[%t * 3 + %i, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
    %b = ktdp.construct_access_tile %w[%t * 3 + %i, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
    %l = ktdp.load %a : <1x64xindex> -> tensor<1x64xf16>
    %o = ktdp.load %b : <1x64xindex> -> tensor<1x64xf16>
    %m = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%l : tensor<1x64xf16>) outs(%o : tensor<1x64xf16>) {
    ^bb0(%p: f16, %q: f16):
      %s = arith.addf %p, %q : f16
      linalg.yield %s : f16
    } -> tensor<1x64xf16>
    ktdp.store %m, %b : tensor<1x64xf16>, <1x64xindex>
    ktdp.store %o, %a : tensor<1x64xf16>, <1x64xindex>
  }
  return
}

// A row of 64 is added to every row: it is loaded once, outside of the loop.
func.func @bcast(%x: index, %y: index, %b: index) attributes {grid = [32]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %t = ktdp.get_compute_tile_id : index
  %v = ktdp.construct_memory_view %x, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  %w = ktdp.construct_memory_view %y, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  %bv = ktdp.construct_memory_view %b, sizes: [64], strides: [1] {coordinate_set = #lane, memory_space = #ktdp.memory_space<global>} : memref<64xf16>
  %bt = ktdp.construct_access_tile %bv[0] {access_tile_set = #lane, access_tile_order = #id1} : memref<64xf16> -> !ktdp.access_tile<64xindex>
  %bl = ktdp.load %bt : <64xindex> -> tensor<64xf16>
  scf.for %i = %c0 to %c3 step %c1 {
    %a = ktdp.construct_access_tile %v[%t * 3 + %i, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
    %d = ktdp.construct_access_tile %w[%t * 3 + %i, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
    %l = ktdp.load %a : <1x64xindex> -> tensor<1x64xf16>
    %e = tensor.empty() : tensor<1x64xf16>
    %m = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%l, %bl : tensor<1x64xf16>, tensor<64xf16>) outs(%e : tensor<1x64xf16>) {
    ^bb0(%p: f16, %q: f16, %o: f16):
      %s = arith.addf %p, %q : f16
      linalg.yield %s : f16
    } -> tensor<1x64xf16>
    ktdp.store %m, %d : tensor<1x64xf16>, <1x64xindex>
  }
  return
}

// Tiles of 16 x 16 are transposed.
func.func @transpose(%x: index, %y: index) attributes {grid = [6]} {
  %t = ktdp.get_compute_tile_id : index
  %v = ktdp.construct_memory_view %x, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  %w = ktdp.construct_memory_view %y, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  %a = ktdp.construct_access_tile %v[%t * 16, 0] {access_tile_set = affine_set<(r, c) : (r >= 0, -r + 15 >= 0, c >= 0, -c + 15 >= 0)>, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<16x16xindex>
  %d = ktdp.construct_access_tile %w[%t * 16, 0] {access_tile_set = affine_set<(r, c) : (r >= 0, -r + 15 >= 0, c >= 0, -c + 15 >= 0)>, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<16x16xindex>
  %l = ktdp.load %a : <16x16xindex> -> tensor<16x16xf16>
  %e = tensor.empty() : tensor<16x16xf16>
  %m = linalg.transpose ins(%l : tensor<16x16xf16>) outs(%e : tensor<16x16xf16>) permutation = [1, 0]
  ktdp.store %m, %d : tensor<16x16xf16>, <16x16xindex>
  return
}

// f16 to f32, then a square root.
func.func @cast(%x: index, %y: index) attributes {grid = [32]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %t = ktdp.get_compute_tile_id : index
  %v = ktdp.construct_memory_view %x, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  %w = ktdp.construct_memory_view %y, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf32>
  scf.for %i = %c0 to %c3 step %c1 {
    %a = ktdp.construct_access_tile %v[%t * 3 + %i, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
    %b = ktdp.construct_access_tile %w[%t * 3 + %i, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf32> -> !ktdp.access_tile<1x64xindex>
    %l = ktdp.load %a : <1x64xindex> -> tensor<1x64xf16>
    %e = arith.extf %l : tensor<1x64xf16> to tensor<1x64xf32>
    %m = math.sqrt %e : tensor<1x64xf32>
    ktdp.store %m, %b : tensor<1x64xf32>, <1x64xindex>
  }
  return
}

// A comparison is stored, and used.
func.func @mask(%x: index, %y: index, %z: index) attributes {grid = [32]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %t = ktdp.get_compute_tile_id : index
  %v = ktdp.construct_memory_view %x, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  %w = ktdp.construct_memory_view %y, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xi1>
  %u = ktdp.construct_memory_view %z, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  scf.for %i = %c0 to %c3 step %c1 {
    %a = ktdp.construct_access_tile %v[%t * 3 + %i, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
    %b = ktdp.construct_access_tile %w[%t * 3 + %i, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xi1> -> !ktdp.access_tile<1x64xindex>
    %d = ktdp.construct_access_tile %u[%t * 3 + %i, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
    %l = ktdp.load %a : <1x64xindex> -> tensor<1x64xf16>
    %zero = arith.constant dense<0.0> : tensor<1x64xf16>
    %m = arith.cmpf ogt, %l, %zero : tensor<1x64xf16>
    %q = arith.select %m, %l, %zero : tensor<1x64xi1>, tensor<1x64xf16>
    ktdp.store %m, %b : tensor<1x64xi1>, <1x64xindex>
    ktdp.store %q, %d : tensor<1x64xf16>, <1x64xindex>
  }
  return
}

// One element per tile, without any dimension; the views themselves depend on the tile.
func.func @rank0(%x: index, %y: index) attributes {grid = [4]} {
  %t = ktdp.get_compute_tile_id : index
  %p = arith.addi %x, %t : index
  %q = arith.addi %y, %t : index
  %v = ktdp.construct_memory_view %p, sizes: [], strides: [] {coordinate_set = #z, memory_space = #ktdp.memory_space<global>} : memref<f32>
  %w = ktdp.construct_memory_view %q, sizes: [], strides: [] {coordinate_set = #z, memory_space = #ktdp.memory_space<global>} : memref<f32>
  %a = ktdp.construct_access_tile %v[] {access_tile_set = #z, access_tile_order = #id0} : memref<f32> -> !ktdp.access_tile<index>
  %b = ktdp.construct_access_tile %w[] {access_tile_set = #z, access_tile_order = #id0} : memref<f32> -> !ktdp.access_tile<index>
  %l = ktdp.load %a : <index> -> tensor<f32>
  %m = math.exp %l : tensor<f32>
  ktdp.store %m, %b : tensor<f32>, <index>
  return
}

// A stick-tiled view: the strides do not fall.
func.func @stickview(%x: index, %y: index) attributes {grid = [4]} {
  %t = ktdp.get_compute_tile_id : index
  %v = ktdp.construct_memory_view %x, sizes: [32, 2, 64], strides: [64, 2048, 1] {coordinate_set = #s3, memory_space = #ktdp.memory_space<global>} : memref<32x2x64xf16>
  %w = ktdp.construct_memory_view %y, sizes: [32, 2, 64], strides: [128, 64, 1] {coordinate_set = #s3, memory_space = #ktdp.memory_space<global>} : memref<32x2x64xf16>
  %a = ktdp.construct_access_tile %v[%t * 8, 0, 0] {access_tile_set = #t3, access_tile_order = #id3} : memref<32x2x64xf16> -> !ktdp.access_tile<8x2x64xindex>
  %b = ktdp.construct_access_tile %w[%t * 8, 0, 0] {access_tile_set = #t3, access_tile_order = #id3} : memref<32x2x64xf16> -> !ktdp.access_tile<8x2x64xindex>
  %l = ktdp.load %a : <8x2x64xindex> -> tensor<8x2x64xf16>
  %m = arith.addf %l, %l : tensor<8x2x64xf16>
  ktdp.store %m, %b : tensor<8x2x64xf16>, <8x2x64xindex>
  return
}

// The loop counts in i32, by two.
func.func @i32loop(%x: index, %y: index) attributes {grid = [8]} {
  %t = ktdp.get_compute_tile_id : index
  %ti = arith.index_cast %t : index to i32
  %i0 = arith.constant 0 : i32
  %i12 = arith.constant 12 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %f = arith.muli %ti, %i12 : i32
  %v = ktdp.construct_memory_view %x, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  %w = ktdp.construct_memory_view %y, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  scf.for %i = %i0 to %i12 step %i2 : i32 {
    %r = arith.addi %f, %i : i32
    %ri = arith.index_cast %r : i32 to index
    %a = ktdp.construct_access_tile %v[%ri, 0] {access_tile_set = #two, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<2x64xindex>
    %b = ktdp.construct_access_tile %w[%ri, 0] {access_tile_set = #two, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<2x64xindex>
    %l = ktdp.load %a : <2x64xindex> -> tensor<2x64xf16>
    %m = arith.negf %l : tensor<2x64xf16>
    ktdp.store %m, %b : tensor<2x64xf16>, <2x64xindex>
  }
  return
}

// Each iteration loads what the next one loads too, and stores over what the last one loaded.
func.func @shiftloads(%x: index) attributes {grid = [8]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = ktdp.get_compute_tile_id : index
  %v = ktdp.construct_memory_view %x, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  %c11 = arith.constant 11 : index
  scf.for %i = %c0 to %c11 step %c1 {
    %a = ktdp.construct_access_tile %v[%t * 12 + %i, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
    %b = ktdp.construct_access_tile %v[%t * 12 + %i + 1, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
    %l = ktdp.load %a : <1x64xindex> -> tensor<1x64xf16>
    %k = ktdp.load %b : <1x64xindex> -> tensor<1x64xf16>
    %m = arith.addf %l, %k : tensor<1x64xf16>
    ktdp.store %m, %b : tensor<1x64xf16>, <1x64xindex>
  }
  return
}

// The inner loop begins where the outer one stands; the last store to a row counts.
func.func @triangle(%x: index, %y: index) attributes {grid = [8]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = ktdp.get_compute_tile_id : index
  %v = ktdp.construct_memory_view %x, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  %w = ktdp.construct_memory_view %y, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  %c12 = arith.constant 12 : index
  scf.for %i = %c0 to %c12 step %c1 {
    scf.for %j = %i to %c12 step %c1 {
      %a = ktdp.construct_access_tile %v[%t * 12 + %j, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
      %b = ktdp.construct_access_tile %w[%t * 12 + %i, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
      %l = ktdp.load %a : <1x64xindex> -> tensor<1x64xf16>
      %m = arith.negf %l : tensor<1x64xf16>
      ktdp.store %m, %b : tensor<1x64xf16>, <1x64xindex>
    }
  }
  return
}

// What cancels once both loads are seen to be one is a constant that nobody wrote, stored and computed with.
func.func @cancels(%x: index, %y: index) attributes {grid = [4]} {
  %t = ktdp.get_compute_tile_id : index
  %v = ktdp.construct_memory_view %x, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xi32>
  %w = ktdp.construct_memory_view %y, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xi32>
  %a = ktdp.construct_access_tile %v[%t, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xi32> -> !ktdp.access_tile<1x64xindex>
  %b = ktdp.construct_access_tile %w[%t, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xi32> -> !ktdp.access_tile<1x64xindex>
  %c = ktdp.construct_access_tile %w[%t + 8, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xi32> -> !ktdp.access_tile<1x64xindex>
  %l = ktdp.load %a : <1x64xindex> -> tensor<1x64xi32>
  %m = ktdp.load %a : <1x64xindex> -> tensor<1x64xi32>
  %zero = arith.xori %l, %m : tensor<1x64xi32>
  ktdp.store %zero, %b : tensor<1x64xi32>, <1x64xindex>
  %nothing = arith.subi %l, %m : tensor<1x64xi32>
  %same = arith.addi %nothing, %l : tensor<1x64xi32>
  ktdp.store %same, %c : tensor<1x64xi32>, <1x64xindex>
  return
}

// Both ops start from the same numbers; fused into one, that is one tensor as two of its outputs, whose results nobody
// needs.
func.func @sameouts(%x: index) attributes {grid = [4]} {
  %t = ktdp.get_compute_tile_id : index
  %v = ktdp.construct_memory_view %x, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  %a = ktdp.construct_access_tile %v[%t, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
  %l = ktdp.load %a : <1x64xindex> -> tensor<1x64xf16>
  %three = arith.constant dense<3.0> : tensor<1x64xf16>
  %m = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%l : tensor<1x64xf16>) outs(%three : tensor<1x64xf16>) {
  ^bb0(%i: f16, %o: f16):
    %0 = arith.subf %i, %o : f16
    linalg.yield %0 : f16
  } -> tensor<1x64xf16>
  %n = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%m : tensor<1x64xf16>) outs(%three : tensor<1x64xf16>) {
  ^bb0(%i: f16, %o: f16):
    %0 = arith.divf %i, %o : f16
    linalg.yield %0 : f16
  } -> tensor<1x64xf16>
  %p = math.absf %n : tensor<1x64xf16>
  ktdp.store %p, %a : tensor<1x64xf16>, <1x64xindex>
  return
}

// The view begins a row below the array, for rows that count from 1.
func.func @below(%x: index, %y: index) attributes {grid = [4]} {
  %t = ktdp.get_compute_tile_id : index
  %c64 = arith.constant 64 : index
  %p = arith.subi %x, %c64 : index
  %v = ktdp.construct_memory_view %p, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  %w = ktdp.construct_memory_view %y, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  %a = ktdp.construct_access_tile %v[%t + 1, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
  %b = ktdp.construct_access_tile %w[%t, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
  %l = ktdp.load %a : <1x64xindex> -> tensor<1x64xf16>
  ktdp.store %l, %b : tensor<1x64xf16>, <1x64xindex>
  return
}
