// Row-wise softmax: each core has some rows of 64 elements.
#row = affine_map<(d0) -> (d0)>
#one = affine_map<(d0) -> ()>
func.func @softmax(%x: index, %y: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant 6 : index // iterations
  %least = arith.constant 0xFF800000 : f32
  %none = arith.constant 0.0 : f32
  %tile = dataflow.tile_id
  %first = arith.muli %tile, %rows : index
  scf.for %i = %c0 to %rows step %c1 {
    %r = arith.addi %first, %i : index
    %at = affine.apply affine_map<(r) -> (r * 64)>(%r)
    %xb = dataflow.alloc {depth = 2, name = "x"} : memref<64xf16, "lx">
    dataflow.data_transfer from @device[%at from %x] strides [1] to %xb {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
    %m = dataflow.alloc {name = "m"} : memref<f32, "lx">
    linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []} outs(%m : memref<f32, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%o: f32):
      linalg.yield %least : f32
    }
    linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction"]} ins(%xb : memref<64xf16, "lx">) outs(%m : memref<f32, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%p: f16, %o: f32):
      %w = arith.extf %p : f16 to f32
      %n = arith.maximumf %o, %w : f32
      linalg.yield %n : f32
    }
    %e = dataflow.alloc {name = "e"} : memref<64xf32, "lx">
    linalg.generic {indexing_maps = [#row, #one, #row], iterator_types = ["parallel"]} ins(%xb, %m : memref<64xf16, "lx">, memref<f32, "lx">) outs(%e : memref<64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%p: f16, %q: f32, %o: f32):
      %w = arith.extf %p : f16 to f32
      %d = arith.subf %w, %q : f32
      %n = math.exp %d : f32
      linalg.yield %n : f32
    }
    %s = dataflow.alloc {name = "s"} : memref<f32, "lx">
    linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []} outs(%s : memref<f32, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%o: f32):
      linalg.yield %none : f32
    }
    linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction"]} ins(%e : memref<64xf32, "lx">) outs(%s : memref<f32, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%p: f32, %o: f32):
      %n = arith.addf %o, %p : f32
      linalg.yield %n : f32
    }
    %yb = dataflow.alloc {depth = 2, name = "y"} : memref<64xf16, "lx">
    linalg.generic {indexing_maps = [#row, #one, #row], iterator_types = ["parallel"]} ins(%e, %s : memref<64xf32, "lx">, memref<f32, "lx">) outs(%yb : memref<64xf16, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%p: f32, %q: f32, %o: f16):
      %d = arith.divf %p, %q : f32
      %n = arith.truncf %d : f32 to f16
      linalg.yield %n : f16
    }
    dataflow.data_transfer from %yb to @device[%at from %y] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
  }
  return
}
