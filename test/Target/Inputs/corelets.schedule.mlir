// exp of each row of 64 elements, the left half on one corelet and the right half on the other.
func.func @corelets(%x: index, %y: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant 6 : index // iterations
  %tile = dataflow.tile_id
  %first = arith.muli %tile, %rows : index
  scf.for %i = %c0 to %rows step %c1 {
    %at0 = affine.apply affine_map<(f, i) -> ((f + i) * 64 + 0)>(%first, %i)
    %x0 = dataflow.alloc {depth = 2, name = "x0"} : memref<32xf16, "lx">
    dataflow.data_transfer from @device[%at0 from %x] strides [1] to %x0 {route = ["ddr", "load", "lx"], unit = @load} : memref<32xf16, "lx">
    %y0 = dataflow.alloc {depth = 2, name = "y0"} : memref<32xf16, "lx">
    %at1 = affine.apply affine_map<(f, i) -> ((f + i) * 64 + 32)>(%first, %i)
    %x1 = dataflow.alloc {depth = 2, name = "x1"} : memref<32xf16, "lx">
    dataflow.data_transfer from @device[%at1 from %x] strides [1] to %x1 {route = ["ddr", "load", "lx"], unit = @load} : memref<32xf16, "lx">
    %y1 = dataflow.alloc {depth = 2, name = "y1"} : memref<32xf16, "lx">
    linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]} ins(%x0 : memref<32xf16, "lx">) outs(%y0 : memref<32xf16, "lx">) attrs = {dataflow.corelet = 0 : i64, dataflow.unit = @sfu} {
    ^bb0(%p: f16, %o: f16):
      %e = math.exp %p : f16
      linalg.yield %e : f16
    }
    linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]} ins(%x1 : memref<32xf16, "lx">) outs(%y1 : memref<32xf16, "lx">) attrs = {dataflow.corelet = 1 : i64, dataflow.unit = @sfu} {
    ^bb0(%p: f16, %o: f16):
      %e = math.exp %p : f16
      linalg.yield %e : f16
    }
    dataflow.data_transfer from %y0 to @device[%at0 from %y] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<32xf16, "lx">
    dataflow.data_transfer from %y1 to @device[%at1 from %y] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<32xf16, "lx">
  }
  return
}
