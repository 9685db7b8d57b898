// y[t, j] = x[t] * w[j] on four cores: core 0 loads each row of weights once and sends it to all of them, itself included.
func.func @multicast(%x: index, %w: index, %y: index) attributes {grid = [4]} {
  dataflow.channel @w_full from @ring to @sfu {init = 0 : i64, peers}
  dataflow.channel @w_free from @sfu to @ring {init = 2 : i64, peers}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %times = arith.constant 5 : index // iterations
  %tile = dataflow.tile_id
  %xat = affine.apply affine_map<(t) -> (t * 64)>(%tile)
  %xb = dataflow.alloc {name = "x"} : memref<64xf16, "lx">
  dataflow.data_transfer from @device[%xat from %x] strides [1] to %xb {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
  %leads = arith.cmpi eq, %tile, %c0 : index
  scf.for %j = %c0 to %times step %c1 {
    %wat = affine.apply affine_map<(j) -> (j * 64)>(%j)
    %wb = dataflow.alloc {depth = 2, name = "w"} : memref<64xf16, "lx">
    scf.if %leads {
      %own = dataflow.alloc {depth = 2, name = "own"} : memref<64xf16, "lx">
      dataflow.data_transfer from @device[%wat from %w] strides [1] to %own {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
      scf.for %m = %c0 to %c4 step %c1 {
        dataflow.wait @w_free from %m {unit = @ring}
      }
      dataflow.data_transfer from %own to %wb put %c0 times 4 by 1 {route = ["lx", "ring", "lx"], unit = @ring} : memref<64xf16, "lx">, memref<64xf16, "lx">
      scf.for %m = %c0 to %c4 step %c1 {
        dataflow.post @w_full to %m {unit = @ring}
      }
    }
    dataflow.wait @w_full from %c0 {unit = @sfu}
    %yb = dataflow.alloc {depth = 2, name = "y"} : memref<64xf16, "lx">
    linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]} ins(%xb, %wb : memref<64xf16, "lx">, memref<64xf16, "lx">) outs(%yb : memref<64xf16, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%p: f16, %q: f16, %o: f16):
      %s = arith.mulf %p, %q : f16
      linalg.yield %s : f16
    }
    dataflow.post @w_free to %c0 {unit = @sfu}
    %row = arith.muli %tile, %times : index
    %yat = affine.apply affine_map<(r, j) -> ((r + j) * 64)>(%row, %j)
    dataflow.data_transfer from %yb to @device[%yat from %y] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
  }
  return
}
