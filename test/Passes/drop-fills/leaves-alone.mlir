// Each function has a fill that its fold does not start from anyway, or that something else needs.
//
// RUN: spyrec opt %s > %t.as-is
// RUN: spyrec opt %s --drop-fills | cmp - %t.as-is

#id = affine_map<(a, b) -> (a, b)>
#one = affine_map<(a) -> (a)>
#row = affine_map<(a, b) -> (a)>

// -0 plus -0 is -0, and a sum that starts from 0 is 0.
func.func @minus() {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %minus = arith.constant -0.0 : f32
  %x = dataflow.alloc {name = "x"} : memref<64x64xf32, "lx">
  %m = dataflow.alloc {name = "m"} : memref<64xf32, "lx">
  linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]} outs(%m : memref<64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%o: f32):
    linalg.yield %minus : f32
  }
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<64x64xf32, "lx">) outs(%m : memref<64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  }
  return
}

// The identity of another combiner.
func.func @other() {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %x = dataflow.alloc {name = "x"} : memref<64x64xf32, "lx">
  %m = dataflow.alloc {name = "m"} : memref<64xf32, "lx">
  linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]} outs(%m : memref<64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%o: f32):
    linalg.yield %low : f32
  }
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<64x64xf32, "lx">) outs(%m : memref<64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  }
  return
}

// Someone reads what is filled.
func.func @read() {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %x = dataflow.alloc {name = "x"} : memref<64x64xf32, "lx">
  %m = dataflow.alloc {name = "m"} : memref<64xf32, "lx">
  %y = dataflow.alloc {name = "y"} : memref<64x64xf32, "lx">
  linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]} outs(%m : memref<64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%o: f32):
    linalg.yield %zero : f32
  }
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %m : memref<64x64xf32, "lx">, memref<64xf32, "lx">) outs(%y : memref<64x64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.subf %p, %q : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<64x64xf32, "lx">) outs(%m : memref<64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  }
  return
}

// A fold in a loop starts from what the one before it made.
func.func @carried() {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %x = dataflow.alloc {name = "x"} : memref<64x64xf32, "lx">
  %m = dataflow.alloc {name = "m"} : memref<64xf32, "lx">
  linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]} outs(%m : memref<64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%o: f32):
    linalg.yield %zero : f32
  }
  scf.for %i = %c0 to %c4 step %c1 {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<64x64xf32, "lx">) outs(%m : memref<64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  }
  }
  return
}

// A loop may have changed what was filled.
func.func @changed() {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %x = dataflow.alloc {name = "x"} : memref<64x64xf32, "lx">
  %m = dataflow.alloc {name = "m"} : memref<64xf32, "lx">
  linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]} outs(%m : memref<64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%o: f32):
    linalg.yield %zero : f32
  }
  scf.for %i = %c0 to %c4 step %c1 {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<64x64xf32, "lx">) outs(%m : memref<64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  }
  }
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<64x64xf32, "lx">) outs(%m : memref<64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  }
  return
}

// The fill has rows that no fold has.
func.func @more() {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %x = dataflow.alloc {name = "x"} : memref<64x64xf32, "lx">
  %m = dataflow.alloc {name = "m"} : memref<65xf32, "lx">
  linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]} outs(%m : memref<65xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%o: f32):
    linalg.yield %zero : f32
  }
  %v = memref.subview %m[0] [64] [1] : memref<65xf32, "lx"> to memref<64xf32, strided<[1]>, "lx">
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<64x64xf32, "lx">) outs(%v : memref<64xf32, strided<[1]>, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  }
  return
}

// A fold over nothing leaves what was there.
func.func @nothing() {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %x = dataflow.alloc {name = "x"} : memref<64x0xf32, "lx">
  %m = dataflow.alloc {name = "m"} : memref<64xf32, "lx">
  linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]} outs(%m : memref<64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%o: f32):
    linalg.yield %zero : f32
  }
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<64x0xf32, "lx">) outs(%m : memref<64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  }
  return
}

// Of what is read in between, only the run knows how much it is.
func.func @seen_in_part(%n: index) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %x = dataflow.alloc {name = "x"} : memref<64x64xf32, "lx">
  %m = dataflow.alloc {name = "m"} : memref<64xf32, "lx">
  linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]} outs(%m : memref<64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%o: f32):
    linalg.yield %zero : f32
  }
  %v = memref.subview %m[0] [%n] [1] : memref<64xf32, "lx"> to memref<?xf32, strided<[1]>, "lx">
  %s = memref.load %v[%c0] : memref<?xf32, strided<[1]>, "lx">
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<64x64xf32, "lx">) outs(%m : memref<64xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  }
  return
}
