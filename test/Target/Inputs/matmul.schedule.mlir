// relu(A * B + bias): each core has 16 rows; two blocks of 32 columns; K in steps of 32, by which A is tiled in memory.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#col = affine_map<(m, n) -> (n)>
func.func @matmul(%a: index, %b: index, %bias: index, %c: index) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %steps = arith.constant 5 : index // iterations
  %none = arith.constant 0.0 : f32
  %tile = dataflow.tile_id
  scf.for %j = %c0 to %c2 step %c1 {
    %acc = dataflow.alloc {depth = 1, name = "acc"} : memref<16x32xf32, "lx">
    linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%acc : memref<16x32xf32, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%o: f32):
      linalg.yield %none : f32
    }
    scf.for %i = %c0 to %steps step %c1 {
      %aat = affine.apply affine_map<(t, i) -> (i * 1024 + t * 512)>(%tile, %i)
      %bat = affine.apply affine_map<(i, j) -> (i * 2048 + j * 32)>(%i, %j)
      %ab = dataflow.alloc {depth = 2, name = "a"} : memref<16x32xf16, "lx">
      %bb = dataflow.alloc {depth = 2, name = "b"} : memref<32x32xf16, "lx">
      dataflow.data_transfer from @device[%aat from %a] strides [32, 1] to %ab {route = ["ddr", "load", "lx"], unit = @load} : memref<16x32xf16, "lx">
      dataflow.data_transfer from @device[%bat from %b] strides [64, 1] to %bb {route = ["ddr", "load", "lx"], unit = @load} : memref<32x32xf16, "lx">
      linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%ab, %bb : memref<16x32xf16, "lx">, memref<32x32xf16, "lx">) outs(%acc : memref<16x32xf32, "lx">) attrs = {dataflow.unit = @pt} {
      ^bb0(%p: f16, %q: f16, %o: f32):
        %wp = arith.extf %p : f16 to f32
        %wq = arith.extf %q : f16 to f32
        %t = arith.mulf %wp, %wq : f32
        %n = arith.addf %o, %t : f32
        linalg.yield %n : f32
      }
    }
    %biasat = affine.apply affine_map<(j) -> (j * 32)>(%j)
    %biasb = dataflow.alloc {depth = 1, name = "bias"} : memref<32xf16, "lx">
    dataflow.data_transfer from @device[%biasat from %bias] strides [1] to %biasb {route = ["ddr", "load", "lx"], unit = @load} : memref<32xf16, "lx">
    %cb = dataflow.alloc {depth = 2, name = "c"} : memref<16x32xf16, "lx">
    linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%acc, %biasb : memref<16x32xf32, "lx">, memref<32xf16, "lx">) outs(%cb : memref<16x32xf16, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%p: f32, %q: f16, %o: f16):
      %w = arith.extf %q : f16 to f32
      %t = arith.addf %p, %w : f32
      %r = arith.maximumf %t, %none : f32
      %n = arith.truncf %r : f32 to f16
      linalg.yield %n : f16
    }
    %cat = affine.apply affine_map<(t, j) -> (t * 1024 + j * 32)>(%tile, %j)
    dataflow.data_transfer from %cb to @device[%cat from %c] strides [64, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<16x32xf16, "lx">
  }
  return
}
