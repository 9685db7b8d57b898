// Attention of 16 rows of Q per core with a running maximum; K and V in blocks of 32 rows.
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#one = affine_map<(m) -> (m)>
#a = affine_map<(m, n, k) -> (m, k)>
#bt = affine_map<(m, n, k) -> (n, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @flash(%q: index, %k: index, %v: index, %o: index) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %blocks = arith.constant 4 : index // iterations
  %least = arith.constant 0xFF800000 : f32
  %none = arith.constant 0.0 : f32
  %scale = arith.constant 0.176776695 : f32
  %tile = dataflow.tile_id
  %qat = affine.apply affine_map<(t) -> (t * 512)>(%tile)
  %qb = dataflow.alloc {name = "q"} : memref<16x32xf16, "lx">
  dataflow.data_transfer from @device[%qat from %q] strides [32, 1] to %qb {route = ["ddr", "load", "lx"], unit = @load} : memref<16x32xf16, "lx">
  %m = dataflow.alloc {name = "m"} : memref<16xf32, "lx">
  %mo = dataflow.alloc {name = "mo"} : memref<16xf32, "lx">
  %l = dataflow.alloc {name = "l"} : memref<16xf32, "lx">
  %acc = dataflow.alloc {name = "acc"} : memref<16x32xf32, "lx">
    linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]} outs(%m : memref<16xf32, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%z: f32):
      linalg.yield %least : f32
    }
    linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]} outs(%l : memref<16xf32, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%z: f32):
      linalg.yield %none : f32
    }
    linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%acc : memref<16x32xf32, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%z: f32):
      linalg.yield %none : f32
    }
  scf.for %i = %c0 to %blocks step %c1 {
    %kat = affine.apply affine_map<(i) -> (i * 1024)>(%i)
    %kb = dataflow.alloc {depth = 2, name = "k"} : memref<32x32xf16, "lx">
    dataflow.data_transfer from @device[%kat from %k] strides [32, 1] to %kb {route = ["ddr", "load", "lx"], unit = @load} : memref<32x32xf16, "lx">
    %vb = dataflow.alloc {depth = 2, name = "v"} : memref<32x32xf16, "lx">
    dataflow.data_transfer from @device[%kat from %v] strides [32, 1] to %vb {route = ["ddr", "load", "lx"], unit = @load} : memref<32x32xf16, "lx">
    %s = dataflow.alloc {name = "s"} : memref<16x32xf32, "lx">
    linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%s : memref<16x32xf32, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%z: f32):
      linalg.yield %none : f32
    }
    linalg.generic {indexing_maps = [#a, #bt, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%qb, %kb : memref<16x32xf16, "lx">, memref<32x32xf16, "lx">) outs(%s : memref<16x32xf32, "lx">) attrs = {dataflow.unit = @pt} {
    ^bb0(%x: f16, %y: f16, %z: f32):
      %wx = arith.extf %x : f16 to f32
      %wy = arith.extf %y : f16 to f32
      %t = arith.mulf %wx, %wy : f32
      %n = arith.addf %z, %t : f32
      linalg.yield %n : f32
    }
    linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%m : memref<16xf32, "lx">) outs(%mo : memref<16xf32, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%x: f32, %z: f32):
      linalg.yield %x : f32
    }
    linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%s : memref<16x32xf32, "lx">) outs(%m : memref<16xf32, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%x: f32, %z: f32):
      %t = arith.mulf %x, %scale : f32
      %n = arith.maximumf %z, %t : f32
      linalg.yield %n : f32
    }
    linalg.generic {indexing_maps = [#one, #one, #one], iterator_types = ["parallel"]} ins(%m, %mo : memref<16xf32, "lx">, memref<16xf32, "lx">) outs(%l : memref<16xf32, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%x: f32, %y: f32, %z: f32):
      %d = arith.subf %y, %x : f32
      %e = math.exp %d : f32
      %n = arith.mulf %z, %e : f32
      linalg.yield %n : f32
    }
    linalg.generic {indexing_maps = [#row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%m, %mo : memref<16xf32, "lx">, memref<16xf32, "lx">) outs(%acc : memref<16x32xf32, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%x: f32, %y: f32, %z: f32):
      %d = arith.subf %y, %x : f32
      %e = math.exp %d : f32
      %n = arith.mulf %z, %e : f32
      linalg.yield %n : f32
    }
    %p = dataflow.alloc {name = "p"} : memref<16x32xf16, "lx">
    linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %m : memref<16x32xf32, "lx">, memref<16xf32, "lx">) outs(%p : memref<16x32xf16, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%x: f32, %y: f32, %z: f16):
      %t = arith.mulf %x, %scale : f32
      %d = arith.subf %t, %y : f32
      %e = math.exp %d : f32
      %n = arith.truncf %e : f32 to f16
      linalg.yield %n : f16
    }
    linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%p : memref<16x32xf16, "lx">) outs(%l : memref<16xf32, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%x: f16, %z: f32):
      %w = arith.extf %x : f16 to f32
      %n = arith.addf %z, %w : f32
      linalg.yield %n : f32
    }
    linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p, %vb : memref<16x32xf16, "lx">, memref<32x32xf16, "lx">) outs(%acc : memref<16x32xf32, "lx">) attrs = {dataflow.unit = @pt} {
    ^bb0(%x: f16, %y: f16, %z: f32):
      %wx = arith.extf %x : f16 to f32
      %wy = arith.extf %y : f16 to f32
      %t = arith.mulf %wx, %wy : f32
      %n = arith.addf %z, %t : f32
      linalg.yield %n : f32
    }
  }
  %out = dataflow.alloc {name = "out"} : memref<16x32xf16, "lx">
    linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%acc, %l : memref<16x32xf32, "lx">, memref<16xf32, "lx">) outs(%out : memref<16x32xf16, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%x: f32, %y: f32, %z: f16):
      %d = arith.divf %x, %y : f32
      %n = arith.truncf %d : f32 to f16
      linalg.yield %n : f16
    }
  dataflow.data_transfer from %out to @device[%qat from %o] strides [32, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<16x32xf16, "lx">
  return
}
