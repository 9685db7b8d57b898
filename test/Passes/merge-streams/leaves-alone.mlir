// Each function has two ops that are no one op, for one reason.
//
// RUN: spyrec opt %s > %t.as-is
// RUN: spyrec opt %s --merge-streams | cmp - %t.as-is

#id = affine_map<(a, b) -> (a, b)>
#turned = affine_map<(a, b) -> (b, a)>
#row = affine_map<(a, b) -> (a)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// A product is rounded before the sum adds it.
func.func @products() {
  %x = dataflow.alloc {name = "x"} : memref<64x64xf32, "lx">
  %y = dataflow.alloc {name = "y"} : memref<64x64xf32, "lx">
  %t = dataflow.alloc {name = "t"} : memref<64x64xf32, "lx">
  %m = dataflow.alloc {name = "m"} : memref<64xf32, "lx">
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %y : memref<64x64xf32, "lx">, memref<64x64xf32, "lx">) outs(%t : memref<64x64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%t : memref<64x64xf32, "lx">) outs(%m : memref<64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  }
  return
}

// What is read was written at another point.
func.func @turned() {
  %x = dataflow.alloc {name = "x"} : memref<64x64xf32, "lx">
  %t = dataflow.alloc {name = "t"} : memref<64x64xf32, "lx">
  %z = dataflow.alloc {name = "z"} : memref<64x64xf32, "lx">
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x64xf32, "lx">) outs(%t : memref<64x64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = math.exp %p : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]} ins(%t : memref<64x64xf32, "lx">) outs(%z : memref<64x64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.negf %p : f32
    linalg.yield %0 : f32
  }
  return
}

// A fold is done when all of it is.
func.func @folded() {
  %x = dataflow.alloc {name = "x"} : memref<64x64xf32, "lx">
  %m = dataflow.alloc {name = "m"} : memref<64xf32, "lx">
  %z = dataflow.alloc {name = "z"} : memref<64x64xf32, "lx">
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<64x64xf32, "lx">) outs(%m : memref<64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.maximumf %o, %p : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %m : memref<64x64xf32, "lx">, memref<64xf32, "lx">) outs(%z : memref<64x64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.subf %p, %q : f32
    linalg.yield %0 : f32
  }
  return
}

// The second op writes what the first one reads.
func.func @overwritten() {
  %x = dataflow.alloc {name = "x"} : memref<64x64xf32, "lx">
  %t = dataflow.alloc {name = "t"} : memref<64x64xf32, "lx">
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x64xf32, "lx">) outs(%t : memref<64x64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = math.exp %p : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%t : memref<64x64xf32, "lx">) outs(%x : memref<64x64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.negf %p : f32
    linalg.yield %0 : f32
  }
  return
}

// Another op between them reads what the first one writes.
func.func @between() {
  %x = dataflow.alloc {name = "x"} : memref<64x64xf32, "lx">
  %t = dataflow.alloc {name = "t"} : memref<64x64xf32, "lx">
  %m = dataflow.alloc {name = "m"} : memref<64xf32, "lx">
  %z = dataflow.alloc {name = "z"} : memref<64x64xf32, "lx">
  %c = arith.constant 4096 : index
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x64xf32, "lx">) outs(%t : memref<64x64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = math.exp %p : f32
    linalg.yield %0 : f32
  }
  dataflow.data_transfer from %t to @device[%c] strides [64, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64x64xf32, "lx">
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%t : memref<64x64xf32, "lx">) outs(%z : memref<64x64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.negf %p : f32
    linalg.yield %0 : f32
  }
  return
}

// They are of two corelets.
func.func @corelets() {
  %x = dataflow.alloc {name = "x"} : memref<64x64xf32, "lx">
  %t = dataflow.alloc {name = "t"} : memref<64x64xf32, "lx">
  %z = dataflow.alloc {name = "z"} : memref<64x64xf32, "lx">
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x64xf32, "lx">) outs(%t : memref<64x64xf32, "lx">) attrs = {dataflow.corelet = 0 : i64, dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = math.exp %p : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%t : memref<64x64xf32, "lx">) outs(%z : memref<64x64xf32, "lx">) attrs = {dataflow.corelet = 1 : i64, dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.negf %p : f32
    linalg.yield %0 : f32
  }
  return
}

// The first op is done while the matrix unit makes what the second one waits for.
func.func @meanwhile() {
  %x = dataflow.alloc {name = "x"} : memref<64x64xf32, "lx">
  %t = dataflow.alloc {name = "t"} : memref<64x64xf32, "lx">
  %u = dataflow.alloc {name = "u"} : memref<64x64xf32, "lx">
  %z = dataflow.alloc {name = "z"} : memref<64x64xf32, "lx">
  %g = dataflow.alloc {name = "g"} : memref<64x64xf16, "lx">
  %h = dataflow.alloc {name = "h"} : memref<64x64xf16, "lx">
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%g, %h : memref<64x64xf16, "lx">, memref<64x64xf16, "lx">) outs(%u : memref<64x64xf32, "lx">) attrs = {dataflow.unit = @pt} {
  ^bb0(%p: f16, %q: f16, %o: f32):
    %0 = arith.extf %p : f16 to f32
    %1 = arith.extf %q : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x64xf32, "lx">) outs(%t : memref<64x64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = math.exp %p : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%t, %u : memref<64x64xf32, "lx">, memref<64x64xf32, "lx">) outs(%z : memref<64x64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.subf %p, %q : f32
    linalg.yield %0 : f32
  }
  return
}

// One fold starts from nothing, the other one from what was there.
func.func @starts() {
  %x = dataflow.alloc {name = "x"} : memref<64x64xf32, "lx">
  %t = dataflow.alloc {name = "t"} : memref<64x64xf32, "lx">
  %m = dataflow.alloc {name = "m"} : memref<64xf32, "lx">
  %n = dataflow.alloc {name = "n"} : memref<64xf32, "lx">
  linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<64x64xf32, "lx">) outs(%t, %m : memref<64x64xf32, "lx">, memref<64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32, %q: f32):
    %0 = math.exp %p : f32
    %1 = arith.maximumf %q, %0 : f32
    linalg.yield %0, %1 : f32, f32
  }
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%t : memref<64x64xf32, "lx">) outs(%n : memref<64xf32, "lx">) attrs = {dataflow.fresh, dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  }
  return
}

// A fold of what is 0 everywhere.
func.func @zeros() {
  %zero = arith.constant 0 : i32
  %t = dataflow.alloc {name = "t"} : memref<64x64xi32, "lx">
  %m = dataflow.alloc {name = "m"} : memref<64xi32, "lx">
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%t : memref<64x64xi32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%o: i32):
    linalg.yield %zero : i32
  }
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%t : memref<64x64xi32, "lx">) outs(%m : memref<64xi32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: i32, %o: i32):
    %0 = arith.ori %o, %p : i32
    linalg.yield %0 : i32
  }
  return
}

// A fold of rows and a fold of columns.
func.func @crosswise() {
  %x = dataflow.alloc {name = "x"} : memref<64x64xf32, "lx">
  %t = dataflow.alloc {name = "t"} : memref<64x64xf32, "lx">
  %m = dataflow.alloc {name = "m"} : memref<64xf32, "lx">
  %n = dataflow.alloc {name = "n"} : memref<64xf32, "lx">
  linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<64x64xf32, "lx">) outs(%t, %m : memref<64x64xf32, "lx">, memref<64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32, %q: f32):
    %0 = math.exp %p : f32
    %1 = arith.maximumf %q, %0 : f32
    linalg.yield %0, %1 : f32, f32
  }
  linalg.generic {indexing_maps = [#id, affine_map<(a, b) -> (b)>], iterator_types = ["reduction", "parallel"]} ins(%t : memref<64x64xf32, "lx">) outs(%n : memref<64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  }
  return
}

// What is computed of a constant may be folded away in one op with it, and so would be the fold behind it.
func.func @products_of_constants() {
  %zero = arith.constant 0 : i32
  %x = dataflow.alloc {name = "x"} : memref<64x64xi32, "lx">
  %t = dataflow.alloc {name = "t"} : memref<64x64xi32, "lx">
  %u = dataflow.alloc {name = "u"} : memref<64x64xi32, "lx">
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%t : memref<64x64xi32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%o: i32):
    linalg.yield %zero : i32
  }
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %t : memref<64x64xi32, "lx">, memref<64x64xi32, "lx">) outs(%u : memref<64x64xi32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: i32, %q: i32, %o: i32):
    %0 = arith.muli %p, %q : i32
    linalg.yield %0 : i32
  }
  return
}
