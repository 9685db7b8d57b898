// y[t, i] = rows list[t, i] of x, of which the first t + 2 columns of 8 are there and the others 7, by way of a memory that all cores
// share. In the last iteration three rows go on to LX, and the other is 0 there.
func.func @shared_stage(%x: index, %rows: index, %y: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %tile = dataflow.tile_id
  %columns = affine.apply affine_map<(t) -> (t + 2)>(%tile)
  scf.for %i = %c0 to %c6 step %c1 {
    %listed = affine.apply affine_map<(t, i) -> (t * 24 + i * 4)>(%tile, %i)
    %l2 = dataflow.alloc {depth = 2, name = "l2"} : memref<4xi32, "l2">
    dataflow.data_transfer from @device[%listed from %rows] strides [1] to %l2 {route = ["ddr", "fetch", "l2"], unit = @fetch} : memref<4xi32, "l2">
    %list = dataflow.alloc {depth = 2, name = "list"} : memref<4xi32, "lx">
    dataflow.data_transfer from %l2 to %list {route = ["l2", "fill", "lx"], unit = @fill} : memref<4xi32, "l2">, memref<4xi32, "lx">
    %b2 = dataflow.alloc {depth = 3, name = "b2"} : memref<4x8xf16, "l2">
    dataflow.data_transfer from @device[%c0 from %x] strides [0, 1] to %b2 clip [0, 0] to [4, %columns] fill 18176 index(%list : memref<4xi32, "lx">) below [9]
      {index_maps = [affine_map<(r, c) -> (r)>], index_scales = array<i64: 8>, index_sides = ["source"], route = ["ddr", "fetch", "l2"], unit = @fetch} : memref<4x8xf16, "l2">
    %b = dataflow.alloc {depth = 2, name = "b"} : memref<4x8xf16, "lx">
    %last = affine.apply affine_map<(i) -> (8 - i)>(%i)
    dataflow.data_transfer from %b2 to %b clip [0, 0] to [%last, 8] fill 0 {route = ["l2", "fill", "lx"], unit = @fill} : memref<4x8xf16, "l2">, memref<4x8xf16, "lx">
    %at = affine.apply affine_map<(t, i) -> (t * 192 + i * 32)>(%tile, %i)
    dataflow.data_transfer from %b to @device[%at from %y] strides [8, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<4x8xf16, "lx">
  }
  return
}
