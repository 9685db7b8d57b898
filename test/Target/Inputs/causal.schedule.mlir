// Scores of which the causal mask leaves those at or left of the diagonal, minus infinity elsewhere: rows from an anchor
// on, in a body that asks where it is; and numbers of points of a box of five dimensions.
#same = affine_map<(r, c) -> (r, c)>
#five = affine_map<(a, b, c, d, e) -> (a, b, c, d, e)>
#swap = affine_map<(a, b, c, d, e) -> (a, e, c, d, b)>
func.func @causal(%x: index, %y: index, %n: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant 2 : index // iterations
  %outside = arith.constant 0xFC00 : f16
  %limit = arith.constant 20 : i32
  %tile = dataflow.tile_id
  scf.for %i = %c0 to %rows step %c1 {
    %first = affine.apply affine_map<(t, i) -> (t * 16 + i * 8)>(%tile, %i)
    %at = affine.apply affine_map<(f) -> (f * 64)>(%first)
    %b = dataflow.alloc {depth = 2, name = "b"} : memref<8x64xf16, "lx">
    dataflow.data_transfer from @device[%at from %x] strides [64, 1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<8x64xf16, "lx">
    %o = dataflow.alloc {depth = 2, name = "o"} : memref<8x64xf16, "lx">
    linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%b : memref<8x64xf16, "lx">) outs(%o : memref<8x64xf16, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%p: f16, %q: f16):
      %r = linalg.index 0 : index
      %c = linalg.index 1 : index
      %row = arith.addi %r, %first : index
      %in = arith.cmpi sle, %c, %row : index
      %c32 = arith.index_cast %c : index to i32
      %few = arith.cmpi slt, %c32, %limit : i32
      %both = arith.andi %in, %few : i1
      %s = arith.select %both, %p, %outside : f16
      linalg.yield %s : f16
    }
    dataflow.data_transfer from %o to @device[%at from %y] strides [64, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<8x64xf16, "lx">
  }
  %w = dataflow.alloc {name = "w"} : memref<3x2x3x2x5xi32, "lx">
  %v = dataflow.alloc {name = "v"} : memref<3x5x3x2x2xi32, "lx">
  %ten = arith.constant 10 : i32
  linalg.generic {indexing_maps = [#five], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} outs(%w : memref<3x2x3x2x5xi32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%q: i32):
    %a = linalg.index 0 : index
    %e = linalg.index 4 : index
    %k = affine.apply affine_map<(a, e)[t] -> ((a * 7 + e) mod 5 - e floordiv 2 + t)>(%a, %e)[%tile]
    %s = arith.index_cast %k : index to i32
    linalg.yield %s : i32
  }
  linalg.generic {indexing_maps = [#five, #swap], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%w : memref<3x2x3x2x5xi32, "lx">) outs(%v : memref<3x5x3x2x2xi32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: i32, %q: i32):
    %a = linalg.index 0 : index
    %a32 = arith.index_cast %a : index to i32
    %b = linalg.index 1 : index
    %b32 = arith.index_cast %b : index to i32
    %m = arith.muli %b32, %ten : i32
    %t = arith.addi %m, %a32 : i32
    %s = arith.addi %p, %t : i32
    linalg.yield %s : i32
  }
  %nat = affine.apply affine_map<(t) -> (t * 180)>(%tile)
  dataflow.data_transfer from %v to @device[%nat from %n] strides [60, 12, 4, 2, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<3x5x3x2x2xi32, "lx">
  return
}
