// Elements by two lists of indices at once, one of them transposed, of a box of five dimensions that is clipped; and the
// same box scattered by the list.
func.func @lists(%x: index, %rows: index, %shift: index, %y: index, %z: index) attributes {grid = [3]} {
  %c0 = arith.constant 0 : index
  %tile = dataflow.tile_id
  %limit = arith.constant 10 : index
  %r = dataflow.alloc {name = "r"} : memref<6xi32, "lx">
  %s = dataflow.alloc {name = "s"} : memref<2xi64, "lx">
  %rat = affine.apply affine_map<(t) -> (t * 6)>(%tile)
  dataflow.data_transfer from @device[%rat from %rows] strides [1] to %r {route = ["ddr", "load", "lx"], unit = @load} : memref<6xi32, "lx">
  dataflow.data_transfer from @device[%c0 from %shift] strides [1] to %s {route = ["ddr", "load", "lx"], unit = @load} : memref<2xi64, "lx">
  %list = memref.expand_shape %r [[0, 1]] output_shape [3, 2] : memref<6xi32, "lx"> into memref<3x2xi32, "lx">
  %b = dataflow.alloc {name = "b"} : memref<2x3x2x2x4xf16, "lx">
  %some = affine.apply affine_map<(t) -> (t + 1)>(%tile)
  dataflow.data_transfer from @device[%c0 from %x] strides [0, 0, 4, 8, 1] to %b clip [0, 0, 0, 0, 0] to [2, %some, 2, 2, 4] fill 0 index(%list, %s : memref<3x2xi32, "lx">, memref<2xi64, "lx">) below [%limit, 5] {index_maps = [affine_map<(a, b, c, d, e) -> (b, a)>, affine_map<(a, b, c, d, e) -> (c)>], index_scales = array<i64: 20, 1>, index_sides = ["source", "source"], route = ["ddr", "load", "lx"], unit = @load} : memref<2x3x2x2x4xf16, "lx">
  %yat = affine.apply affine_map<(t) -> (t * 96)>(%tile)
  dataflow.data_transfer from %b to @device[%yat from %y] strides [48, 16, 8, 4, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<2x3x2x2x4xf16, "lx">
  %zat = affine.apply affine_map<(t) -> (t * 160)>(%tile)
  dataflow.data_transfer from %b to @device[%zat from %z] strides [0, 0, 4, 8, 1] clip [0, 0, 0, 0, 0] to [2, %some, 2, 2, 4] index(%list : memref<3x2xi32, "lx">) below [%limit] {index_maps = [affine_map<(a, b, c, d, e) -> (b, a)>], index_scales = array<i64: 16>, index_sides = ["dest"], route = ["lx", "store", "ddr"], unit = @store} : memref<2x3x2x2x4xf16, "lx">
  return
}
