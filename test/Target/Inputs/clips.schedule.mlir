// Boxes that stick out of their array: of five dimensions, of two with strides that the launch decides, and a copy that
// leaves neighbours alone.
func.func @clips(%x: index, %m: index, %y: index, %z: index, %v: index) attributes {grid = [3]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %times = arith.constant 2 : index // iterations
  %tile = dataflow.tile_id
  // Elements [t : t + 3, :, 1 - t :, 0 : 2, i : i + 2] of an array of 3 x 2 x 3 x 4 x 3.
  scf.for %i = %c0 to %times step %c1 {
    %from = affine.apply affine_map<(t, i) -> ((t - 1) * 72 + i)>(%tile, %i)
    %low = affine.apply affine_map<(t) -> (1 - t)>(%tile)
    %high = affine.apply affine_map<(t) -> (4 - t)>(%tile)
    %b = dataflow.alloc {depth = 2, name = "b"} : memref<3x2x3x2x2xf16, "lx">
    dataflow.data_transfer from @device[%from from %x] strides [72, 36, 12, 3, 1] to %b clip [%low, 0, %low, 0, 0] to [%high, 2, %high, 2, 2] fill 15360 {route = ["ddr", "load", "lx"], unit = @load} : memref<3x2x3x2x2xf16, "lx">
    %yat = affine.apply affine_map<(t, i) -> (t * 144 + i * 72)>(%tile, %i)
    dataflow.data_transfer from %b to @device[%yat from %y] strides [24, 12, 4, 2, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<3x2x3x2x2xf16, "lx">
    // The same without a fill, back over what was there.
    %zat = affine.apply affine_map<(t, i) -> ((t - 1) * 72 + i)>(%tile, %i)
    dataflow.data_transfer from %b to @device[%zat from %z] strides [72, 36, 12, 3, 1] clip [%low, 0, %low, 0, 0] to [%high, 1, %high, 2, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<3x2x3x2x2xf16, "lx">
  }
  // Columns [2 : 6] of rows so far apart as a number of the launch says: here it is computed.
  %row = affine.apply affine_map<(t) -> (t floordiv 4 + 8)>(%tile)
  %mat = affine.apply affine_map<(t) -> (t * 32 + 2)>(%tile)
  %r = dataflow.alloc {name = "r"} : memref<4x4xf16, "lx">
  %right = affine.apply affine_map<(t) -> (t + 2)>(%tile)
  dataflow.data_transfer from @device[%mat from %m] strides [%row, %c1] to %r clip [0, 1] to [%right, 4] fill 0 {route = ["ddr", "load", "lx"], unit = @load} : memref<4x4xf16, "lx">
  %vat = affine.apply affine_map<(t) -> (t * 16)>(%tile)
  dataflow.data_transfer from %r to @device[%vat from %v] strides [4, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<4x4xf16, "lx">
  return
}
