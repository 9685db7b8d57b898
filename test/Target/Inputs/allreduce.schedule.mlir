// Every core adds up one row of each of the four cores, again in every iteration: partial rows are fetched over the ring.
func.func @allreduce(%x: index, %y: index) attributes {grid = [4]} {
  dataflow.channel @ready from @ring to @ring {init = 0 : i64, peers}
  dataflow.channel @taken from @ring to @ring {init = 0 : i64, peers}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %times = arith.constant 5 : index // iterations
  %tile = dataflow.tile_id
  %first = arith.muli %tile, %times : index
  scf.for %i = %c0 to %times step %c1 {
    %at = affine.apply affine_map<(f, i) -> ((f + i) * 64)>(%first, %i)
    %xb = dataflow.alloc {depth = 2, name = "x"} : memref<64xf16, "lx">
    dataflow.data_transfer from @device[%at from %x] strides [1] to %xb {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
    %part = dataflow.alloc {depth = 2, name = "part"} : memref<64xf32, "lx">
    %acc = dataflow.alloc {name = "acc"} : memref<64xf32, "lx">
    linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]} ins(%xb : memref<64xf16, "lx">) outs(%part, %acc : memref<64xf32, "lx">, memref<64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%p: f16, %o: f32, %q: f32):
      %w = arith.extf %p : f16 to f32
      %s = arith.mulf %w, %w : f32
      linalg.yield %s, %s : f32, f32
    }
    scf.for %p = %c1 to %c4 step %c1 {
      %peer = affine.apply affine_map<(t, p) -> ((t + p) mod 4)>(%tile, %p)
      dataflow.post @ready to %peer {unit = @ring}
    }
    scf.for %p = %c1 to %c4 step %c1 {
      %peer = affine.apply affine_map<(t, p) -> ((t + p) mod 4)>(%tile, %p)
      %other = dataflow.alloc {depth = 2, name = "other"} : memref<64xf32, "lx">
      dataflow.wait @ready from %peer {unit = @ring}
      dataflow.data_transfer from %part to %other get %peer {route = ["lx", "ring", "lx"], unit = @ring} : memref<64xf32, "lx">, memref<64xf32, "lx">
      dataflow.post @taken to %peer {unit = @ring}
      linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]} ins(%other : memref<64xf32, "lx">) outs(%acc : memref<64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
      ^bb0(%q: f32, %o: f32):
        %s = arith.addf %o, %q : f32
        linalg.yield %s : f32
      }
    }
    scf.for %p = %c1 to %c4 step %c1 {
      %peer = affine.apply affine_map<(t, p) -> ((t + p) mod 4)>(%tile, %p)
      dataflow.wait @taken from %peer {unit = @ring}
    }
    %yb = dataflow.alloc {depth = 2, name = "y"} : memref<64xf16, "lx">
    linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]} ins(%acc : memref<64xf32, "lx">) outs(%yb : memref<64xf16, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%q: f32, %o: f16):
      %s = arith.truncf %q : f32 to f16
      linalg.yield %s : f16
    }
    dataflow.data_transfer from %yb to @device[%at from %y] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
  }
  return
}
