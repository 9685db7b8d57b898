// y[to[r]] = x[from[r]] for the rows r of each core, eight at a time: a gather and a scatter by lists of indices.
func.func @gather(%x: index, %from: index, %to: index, %y: index) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %times = arith.constant 4 : index // iterations
  %tile = dataflow.tile_id
  %first = arith.muli %tile, %times : index
  %start = arith.constant 0 : index
  scf.for %i = %c0 to %times step %c1 {
    %at = affine.apply affine_map<(f, i) -> ((f + i) * 8)>(%first, %i)
    %fb = dataflow.alloc {depth = 2, name = "from"} : memref<8xi32, "lx">
    %tb = dataflow.alloc {depth = 2, name = "to"} : memref<8xi32, "lx">
    dataflow.data_transfer from @device[%at from %from] strides [1] to %fb {route = ["ddr", "load", "lx"], unit = @load} : memref<8xi32, "lx">
    dataflow.data_transfer from @device[%at from %to] strides [1] to %tb {route = ["ddr", "load", "lx"], unit = @load} : memref<8xi32, "lx">
    %b = dataflow.alloc {depth = 2, name = "b"} : memref<8x64xf16, "lx">
    dataflow.data_transfer from @device[%start from %x] strides [0, 1] to %b index(%fb : memref<8xi32, "lx">) below [50] {index_maps = [affine_map<(r, c) -> (r)>], index_scales = array<i64: 64>, index_sides = ["source"], route = ["ddr", "load", "lx"], unit = @load} : memref<8x64xf16, "lx">
    dataflow.data_transfer from %b to @device[%start from %y] strides [0, 1] index(%tb : memref<8xi32, "lx">) below [64] {index_maps = [affine_map<(r, c) -> (r)>], index_scales = array<i64: 64>, index_sides = ["dest"], route = ["lx", "store", "ddr"], unit = @store} : memref<8x64xf16, "lx">
  }
  return
}
