// Each core doubles its rows of 64 elements. Bytes rest in a stage on the way in and on the way back.
#same = affine_map<(d0) -> (d0)>
func.func @staged(%x: index, %y: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant 7 : index // iterations
  %tile = dataflow.tile_id
  %first = arith.muli %tile, %rows : index
  scf.for %i = %c0 to %rows step %c1 {
    %at = affine.apply affine_map<(f, i) -> ((f + i) * 64)>(%first, %i)
    %x1 = dataflow.alloc {depth = 2, name = "x1"} : memref<64xf16, "l1">
    %xb = dataflow.alloc {depth = 2, name = "x"} : memref<64xf16, "lx">
    dataflow.data_transfer from @device[%at from %x] strides [1] to %x1 {route = ["ddr", "fetch", "l1"], unit = @fetch} : memref<64xf16, "l1">
    dataflow.data_transfer from %x1 to %xb {route = ["l1", "fill", "lx"], unit = @fill} : memref<64xf16, "l1">, memref<64xf16, "lx">
    %yb = dataflow.alloc {depth = 2, name = "y"} : memref<64xf16, "lx">
    linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%xb : memref<64xf16, "lx">) outs(%yb : memref<64xf16, "lx">) attrs = {dataflow.unit = @vec} {
    ^bb0(%p: f16, %o: f16):
      %n = arith.addf %p, %p : f16
      linalg.yield %n : f16
    }
    %y1 = dataflow.alloc {depth = 2, name = "y1"} : memref<64xf16, "l1">
    dataflow.data_transfer from %yb to %y1 {route = ["lx", "spill", "l1"], unit = @spill} : memref<64xf16, "lx">, memref<64xf16, "l1">
    dataflow.data_transfer from %y1 to @device[%at from %y] strides [1] {route = ["l1", "drain", "ddr"], unit = @drain} : memref<64xf16, "l1">
  }
  return
}
