// A view of 16 rows in four parts of 4 rows, part p in the LX of core p. Core t loads the 8 rows from 2 + t on: they
// straddle three parts, most of them on other cores. A clipped transfer per part.
func.func @straddle(%x: index, %y: index) attributes {grid = [4]} {
  dataflow.channel @there from @ring to @ring {init = 0 : i64, peers}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %pinned = arith.constant 4096 : index
  %tile = dataflow.tile_id
  %pat = affine.apply affine_map<(t) -> (t * 256)>(%tile)
  %b = dataflow.alloc {name = "b"} : memref<4x64xf16, "lx">
  dataflow.data_transfer from @device[%pat from %x] strides [64, 1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<4x64xf16, "lx">
  dataflow.data_transfer from %b to @lx[%c0 from %pinned] strides [64, 1] {route = ["lx", "ring", "lx"], unit = @ring} : memref<4x64xf16, "lx">
  scf.for %p = %c0 to %c4 step %c1 {
    dataflow.post @there to %p {unit = @ring}
  }
  %rows = dataflow.alloc {name = "rows"} : memref<8x64xf16, "lx">
  scf.for %p = %c0 to %c4 step %c1 {
    // Row r of the tile is row 2 + t + r of the view, and row 2 + t + r - 4 p of part p.
    %low = affine.apply affine_map<(t, p) -> (p * 4 - t - 2)>(%tile, %p)
    %high = affine.apply affine_map<(t, p) -> (p * 4 - t + 2)>(%tile, %p)
    %from = affine.apply affine_map<(t, p) -> ((t + 2 - p * 4) * 64)>(%tile, %p)
    dataflow.wait @there from %p {unit = @ring}
    dataflow.data_transfer from @lx[%from from %pinned] strides [64, 1] to %rows clip [%low, 0] to [%high, 64] get %p {route = ["lx", "ring", "lx"], unit = @ring} : memref<8x64xf16, "lx">
  }
  %yat = affine.apply affine_map<(t) -> (t * 512)>(%tile)
  dataflow.data_transfer from %rows to @device[%yat from %y] strides [64, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<8x64xf16, "lx">
  return
}
