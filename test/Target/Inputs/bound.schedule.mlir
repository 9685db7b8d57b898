// Each core doubles as many of its 8 rows as an array says: the bound of the loop is loaded from memory.
func.func @bound(%n: index, %x: index, %y: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %tile = dataflow.tile_id
  %nb = dataflow.alloc {name = "n"} : memref<i32, "lx">
  dataflow.data_transfer from @device[%tile from %n] strides [] to %nb {route = ["ddr", "load", "lx"], unit = @load} : memref<i32, "lx">
  %loaded = memref.load %nb[] : memref<i32, "lx">
  %rows = arith.index_cast %loaded : i32 to index
  scf.for %i = %c0 to %rows step %c1 {
    %at = affine.apply affine_map<(t, i) -> (t * 512 + i * 64)>(%tile, %i)
    %b = dataflow.alloc {depth = 2, name = "b"} : memref<64xf16, "lx">
    %o = dataflow.alloc {depth = 2, name = "o"} : memref<64xf16, "lx">
    dataflow.data_transfer from @device[%at from %x] strides [1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
    linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]} ins(%b : memref<64xf16, "lx">) outs(%o : memref<64xf16, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%p: f16, %q: f16):
      %s = arith.addf %p, %p : f16
      linalg.yield %s : f16
    }
    dataflow.data_transfer from %o to @device[%at from %y] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
  }
  return
}
