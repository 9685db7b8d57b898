// Each core copies its rows of 64 elements, through two slots of one buffer.
func.func @copy(%x: index, %y: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant 7 : index // iterations
  %tile = dataflow.tile_id
  %first = arith.muli %tile, %rows : index
  scf.for %i = %c0 to %rows step %c1 {
    %at = affine.apply affine_map<(f, i) -> ((f + i) * 64)>(%first, %i)
    %b = dataflow.alloc {depth = 2, name = "b"} : memref<64xf16, "lx">
    dataflow.data_transfer from @device[%at from %x] strides [1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
    dataflow.data_transfer from %b to @device[%at from %y] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
  }
  return
}
