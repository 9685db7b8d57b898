// Rows of %x at places that add up from a list: a loop carries the place, a branch picks what is added, both by numbers
// that are loaded from LX. Rows where the list has 0 or less are left alone.
func.func @carried(%steps: index, %x: index, %y: index, %end: index) attributes {grid = [3]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %times = arith.constant 6 : index // iterations
  %zero = arith.constant 0 : i32
  %tile = dataflow.tile_id
  %list = dataflow.alloc {name = "list"} : memref<2x3xi32, "lx">
  %lat = affine.apply affine_map<(t) -> (t * 6)>(%tile)
  dataflow.data_transfer from @device[%lat from %steps] strides [3, 1] to %list {route = ["ddr", "load", "lx"], unit = @load} : memref<2x3xi32, "lx">
  %last, %odd = scf.for %i = %c0 to %times step %c1 iter_args(%at = %c0, %sum = %zero) -> (index, i32) {
    %r = affine.apply affine_map<(i) -> (i floordiv 3)>(%i)
    %c = affine.apply affine_map<(i) -> (i mod 3)>(%i)
    %step = memref.load %list[%r, %c] : memref<2x3xi32, "lx">
    %some = arith.cmpi sgt, %step, %zero : i32
    %next = scf.if %some -> (index) {
      %more = arith.index_cast %step : i32 to index
      %row = arith.addi %at, %more : index
      %from = affine.apply affine_map<(r) -> (r * 64)>(%row)
      %b = dataflow.alloc {name = "b"} : memref<64xf16, "lx">
      dataflow.data_transfer from @device[%from from %x] strides [1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
      %o = dataflow.alloc {name = "o"} : memref<64xf16, "lx">
      linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]} ins(%b : memref<64xf16, "lx">) outs(%o : memref<64xf16, "lx">) attrs = {dataflow.unit = @sfu} {
      ^bb0(%p: f16, %q: f16):
        %s = arith.addf %p, %p : f16
        linalg.yield %s : f16
      }
      %to = affine.apply affine_map<(t, i) -> (t * 384 + i * 64)>(%tile, %i)
      dataflow.data_transfer from %o to @device[%to from %y] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
      scf.yield %row : index
    } else {
      scf.yield %at : index
    }
    %added = arith.addi %sum, %step : i32
    scf.yield %next, %added : index, i32
  }
  %e = dataflow.alloc {name = "e"} : memref<2xi32, "lx">
  %place = arith.index_cast %last : index to i32
  %first = memref.subview %e[0] [1] [1] : memref<2xi32, "lx"> to memref<1xi32, strided<[1]>, "lx">
  %second = memref.subview %e[1] [1] [1] : memref<2xi32, "lx"> to memref<1xi32, strided<[1], offset: 1>, "lx">
  linalg.generic {indexing_maps = [affine_map<(d) -> (d)>], iterator_types = ["parallel"]} outs(%first : memref<1xi32, strided<[1]>, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%q: i32):
    linalg.yield %place : i32
  }
  linalg.generic {indexing_maps = [affine_map<(d) -> (d)>], iterator_types = ["parallel"]} outs(%second : memref<1xi32, strided<[1], offset: 1>, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%q: i32):
    linalg.yield %odd : i32
  }
  %eat = affine.apply affine_map<(t) -> (t * 2)>(%tile)
  dataflow.data_transfer from %e to @device[%eat from %end] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<2xi32, "lx">
  return
}
