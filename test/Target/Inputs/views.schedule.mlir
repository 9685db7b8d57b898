// Rotary embedding of rows of 2 heads: halves of a head are views of one buffer, written by two units; and a table that
// is loaded row by row into a buffer of another shape.
#same = affine_map<(r, h, d) -> (r, h, d)>
#row = affine_map<(r, h, d) -> (h, d)>
func.func @views(%x: index, %w: index, %y: index) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %times = arith.constant 3 : index // iterations
  %tile = dataflow.tile_id
  %table = dataflow.alloc {name = "table"} : memref<64xf16, "lx">
  scf.for %k = %c0 to %c64 step %c64 {
    scf.for %h = %c0 to %c2 step %c1 {
      %o = affine.apply affine_map<(h) -> (h * 32)>(%h)
      %part = memref.subview %table[%o] [32] [1] : memref<64xf16, "lx"> to memref<32xf16, strided<[1], offset: ?>, "lx">
      dataflow.data_transfer from @device[%o from %w] strides [1] to %part {route = ["ddr", "load", "lx"], unit = @load} : memref<32xf16, strided<[1], offset: ?>, "lx">
    }
  }
  %pairs = memref.expand_shape %table [[0, 1, 2]] output_shape [2, 2, 16] : memref<64xf16, "lx"> into memref<2x2x16xf16, "lx">
  %cos = memref.subview %pairs[0, 0, 0] [1, 2, 16] [1, 1, 1] : memref<2x2x16xf16, "lx"> to memref<2x16xf16, strided<[16, 1]>, "lx">
  %sin = memref.subview %pairs[1, 0, 0] [1, 2, 16] [1, 1, 1] : memref<2x2x16xf16, "lx"> to memref<2x16xf16, strided<[16, 1], offset: 32>, "lx">
  scf.for %i = %c0 to %times step %c1 {
    %at = affine.apply affine_map<(t, i) -> ((t * 3 + i) * 256)>(%tile, %i)
    %xb = dataflow.alloc {depth = 2, name = "x"} : memref<4x2x32xf16, "lx">
    dataflow.data_transfer from @device[%at from %x] strides [64, 32, 1] to %xb {route = ["ddr", "load", "lx"], unit = @load} : memref<4x2x32xf16, "lx">
    %a = memref.subview %xb[0, 0, 0] [4, 2, 16] [1, 1, 1] : memref<4x2x32xf16, "lx"> to memref<4x2x16xf16, strided<[64, 32, 1]>, "lx">
    %b = memref.subview %xb[0, 0, 16] [4, 2, 16] [1, 1, 1] : memref<4x2x32xf16, "lx"> to memref<4x2x16xf16, strided<[64, 32, 1], offset: 16>, "lx">
    %yb = dataflow.alloc {depth = 2, name = "y"} : memref<4x2x32xf16, "lx">
    %ya = memref.subview %yb[0, 0, 0] [4, 2, 16] [1, 1, 1] : memref<4x2x32xf16, "lx"> to memref<4x2x16xf16, strided<[64, 32, 1]>, "lx">
    %yc = memref.subview %yb[0, 0, 16] [4, 2, 16] [1, 1, 1] : memref<4x2x32xf16, "lx"> to memref<4x2x16xf16, strided<[64, 32, 1], offset: 16>, "lx">
    linalg.generic {indexing_maps = [#same, #same, #row, #row, #same], iterator_types = ["parallel", "parallel", "parallel"]} ins(%a, %b, %cos, %sin : memref<4x2x16xf16, strided<[64, 32, 1]>, "lx">, memref<4x2x16xf16, strided<[64, 32, 1], offset: 16>, "lx">, memref<2x16xf16, strided<[16, 1]>, "lx">, memref<2x16xf16, strided<[16, 1], offset: 32>, "lx">) outs(%ya : memref<4x2x16xf16, strided<[64, 32, 1]>, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%p: f16, %q: f16, %c: f16, %s: f16, %o: f16):
      %u = arith.mulf %p, %c : f16
      %v = arith.mulf %q, %s : f16
      %d = arith.subf %u, %v : f16
      linalg.yield %d : f16
    }
    linalg.generic {indexing_maps = [#same, #same, #row, #row, #same], iterator_types = ["parallel", "parallel", "parallel"]} ins(%a, %b, %cos, %sin : memref<4x2x16xf16, strided<[64, 32, 1]>, "lx">, memref<4x2x16xf16, strided<[64, 32, 1], offset: 16>, "lx">, memref<2x16xf16, strided<[16, 1]>, "lx">, memref<2x16xf16, strided<[16, 1], offset: 32>, "lx">) outs(%yc : memref<4x2x16xf16, strided<[64, 32, 1], offset: 16>, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%p: f16, %q: f16, %c: f16, %s: f16, %o: f16):
      %u = arith.mulf %q, %c : f16
      %v = arith.mulf %p, %s : f16
      %d = arith.addf %u, %v : f16
      linalg.yield %d : f16
    }
    %flat = memref.collapse_shape %yb [[0], [1, 2]] : memref<4x2x32xf16, "lx"> into memref<4x64xf16, "lx">
    dataflow.data_transfer from %flat to @device[%at from %y] strides [64, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<4x64xf16, "lx">
  }
  return
}
