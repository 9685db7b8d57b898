// Halve each row until its largest element is at most 1, and count how often: a while loop on a computed scalar.
#id = affine_map<(d) -> (d)>
#one = affine_map<(d) -> ()>
func.func @while(%x: index, %y: index, %count: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant 3 : index // iterations
  %least = arith.constant 0xFC00 : f16
  %half = arith.constant 0.5 : f16
  %limit = arith.constant 1.0 : f16
  %zero = arith.constant 0 : i32
  %more = arith.constant 1 : i32
  %tile = dataflow.tile_id
  %first = arith.muli %tile, %rows : index
  scf.for %i = %c0 to %rows step %c1 {
    %r = arith.addi %first, %i : index
    %at = affine.apply affine_map<(r) -> (r * 64)>(%r)
    %b = dataflow.alloc {name = "b"} : memref<64xf16, "lx">
    dataflow.data_transfer from @device[%at from %x] strides [1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
    %n = dataflow.alloc {name = "n"} : memref<i32, "lx">
    %times = scf.while (%k = %zero) : (i32) -> i32 {
      %m = dataflow.alloc {name = "m"} : memref<f16, "lx">
      linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []} outs(%m : memref<f16, "lx">) attrs = {dataflow.unit = @sfu} {
      ^bb0(%o: f16):
        linalg.yield %least : f16
      }
      linalg.generic {indexing_maps = [#id, #one], iterator_types = ["reduction"]} ins(%b : memref<64xf16, "lx">) outs(%m : memref<f16, "lx">) attrs = {dataflow.unit = @sfu} {
      ^bb0(%p: f16, %o: f16):
        %q = arith.maximumf %o, %p : f16
        linalg.yield %q : f16
      }
      %c = dataflow.alloc {name = "c"} : memref<i1, "lx">
      linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%m : memref<f16, "lx">) outs(%c : memref<i1, "lx">) attrs = {dataflow.unit = @sfu} {
      ^bb0(%p: f16, %o: i1):
        %q = arith.cmpf ogt, %p, %limit : f16
        linalg.yield %q : i1
      }
      %go = memref.load %c[] : memref<i1, "lx">
      scf.condition(%go) %k : i32
    } do {
    ^bb0(%k: i32):
      linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%b : memref<64xf16, "lx">) attrs = {dataflow.unit = @sfu} {
      ^bb0(%o: f16):
        %q = arith.mulf %o, %half : f16
        linalg.yield %q : f16
      }
      %next = arith.addi %k, %more : i32
      scf.yield %next : i32
    }
    linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []} outs(%n : memref<i32, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%o: i32):
      linalg.yield %times : i32
    }
    dataflow.data_transfer from %b to @device[%at from %y] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
    dataflow.data_transfer from %n to @device[%r from %count] strides [] {route = ["lx", "store", "ddr"], unit = @store} : memref<i32, "lx">
  }
  return
}
