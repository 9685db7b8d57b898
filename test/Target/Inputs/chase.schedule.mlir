// Follows a list in memory from row to row, to the row whose successor is negative: adds rows up, and writes them out in
// the order in which they come. All units run the loop, whose condition is in what it loads.
#same = affine_map<(d) -> (d)>
func.func @chase(%next: index, %x: index, %y: index, %sum: index) attributes {grid = [3]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %nothing = arith.constant 0.0 : f16
  %tile = dataflow.tile_id
  %n = dataflow.alloc {name = "n"} : memref<i32, "lx">
  %acc = dataflow.alloc {name = "acc"} : memref<64xf16, "lx">
  linalg.generic {indexing_maps = [#same], iterator_types = ["parallel"]} outs(%acc : memref<64xf16, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%q: f16):
    linalg.yield %nothing : f16
  }
  %start = affine.apply affine_map<(t) -> (t * 4)>(%tile)
  %last, %count = scf.while (%row = %start, %k = %c0) : (index, index) -> (index, index) {
    dataflow.data_transfer from @device[%row from %next] strides [] to %n {route = ["ddr", "load", "lx"], unit = @load} : memref<i32, "lx">
    %b = dataflow.alloc {depth = 2, name = "b"} : memref<64xf16, "lx">
    %from = affine.apply affine_map<(r) -> (r * 64)>(%row)
    dataflow.data_transfer from @device[%from from %x] strides [1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
    linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%b : memref<64xf16, "lx">) outs(%acc : memref<64xf16, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%p: f16, %q: f16):
      %s = arith.addf %p, %q : f16
      linalg.yield %s : f16
    }
    %l = memref.load %n[] : memref<i32, "lx">
    %go = arith.cmpi sge, %l, %zero : i32
    scf.condition(%go) %row, %k : index, index
  } do {
  ^bb0(%row: index, %k: index):
    %l = memref.load %n[] : memref<i32, "lx">
    %follows = arith.index_cast %l : i32 to index
    %o = dataflow.alloc {depth = 2, name = "o"} : memref<64xf16, "lx">
    linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%acc : memref<64xf16, "lx">) outs(%o : memref<64xf16, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%p: f16, %q: f16):
      linalg.yield %p : f16
    }
    %to = affine.apply affine_map<(t, k) -> (t * 768 + k * 64)>(%tile, %k)
    dataflow.data_transfer from %o to @device[%to from %y] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
    %more = arith.addi %k, %c1 : index
    scf.yield %follows, %more : index, index
  }
  %sat = affine.apply affine_map<(t, r) -> (t * 64 + r * 192)>(%tile, %count)
  dataflow.data_transfer from %acc to @device[%sat from %sum] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
  return
}
