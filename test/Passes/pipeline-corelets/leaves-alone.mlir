// Loops that stay as they are, whatever the formulas say of halves.
//
// RUN: spyrec opt %s --pipeline-corelets=gain=-1000000 > %t
// RUN: spyrec opt %s | cmp - %t

#id = affine_map<(a, b) -> (a, b)>
#row = affine_map<(a, b) -> (a)>

// The first half would need what the second one changes.
func.func @circle(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  %top = dataflow.alloc {name = "top"} : memref<1xf32, "lx">
  %sum = dataflow.alloc {name = "sum"} : memref<1xf32, "lx">
  scf.for %i = %c0 to %c9 step %c1 {
    %a = dataflow.alloc {depth = 2 : i64, name = "a"} : memref<1x2048xf32, "lx">
    dataflow.data_transfer from @device[%i from %x] strides [2048, 1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<1x2048xf32, "lx">
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%a : memref<1x2048xf32, "lx">) outs(%top : memref<1xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.maximumf %o, %p : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%a, %sum : memref<1x2048xf32, "lx">, memref<1xf32, "lx">) outs(%top : memref<1xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.subf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  }
  }
  return
}

// One slot: nobody can be ahead.
func.func @slots(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  %top = dataflow.alloc {name = "top"} : memref<1xf32, "lx">
  %sum = dataflow.alloc {name = "sum"} : memref<1xf32, "lx">
  scf.for %i = %c0 to %c9 step %c1 {
    %a = dataflow.alloc {depth = 1 : i64, name = "a"} : memref<1x2048xf32, "lx">
    dataflow.data_transfer from @device[%i from %x] strides [2048, 1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<1x2048xf32, "lx">
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%a : memref<1x2048xf32, "lx">) outs(%top : memref<1xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.maximumf %o, %p : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%a, %top : memref<1x2048xf32, "lx">, memref<1xf32, "lx">) outs(%sum : memref<1xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.subf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  }
  }
  return
}

// Two iterations.
func.func @two(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  %top = dataflow.alloc {name = "top"} : memref<1xf32, "lx">
  %sum = dataflow.alloc {name = "sum"} : memref<1xf32, "lx">
  scf.for %i = %c0 to %c2 step %c1 {
    %a = dataflow.alloc {depth = 2 : i64, name = "a"} : memref<1x2048xf32, "lx">
    dataflow.data_transfer from @device[%i from %x] strides [2048, 1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<1x2048xf32, "lx">
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%a : memref<1x2048xf32, "lx">) outs(%top : memref<1xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.maximumf %o, %p : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%a, %top : memref<1x2048xf32, "lx">, memref<1xf32, "lx">) outs(%sum : memref<1xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.subf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  }
  }
  return
}

// Someone has said which corelet it is.
func.func @said(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  %top = dataflow.alloc {name = "top"} : memref<1xf32, "lx">
  %sum = dataflow.alloc {name = "sum"} : memref<1xf32, "lx">
  scf.for %i = %c0 to %c9 step %c1 {
    %a = dataflow.alloc {depth = 2 : i64, name = "a"} : memref<1x2048xf32, "lx">
    dataflow.data_transfer from @device[%i from %x] strides [2048, 1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<1x2048xf32, "lx">
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%a : memref<1x2048xf32, "lx">) outs(%top : memref<1xf32, "lx">) attrs = {dataflow.corelet = 1 : i64, dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.maximumf %o, %p : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%a, %top : memref<1x2048xf32, "lx">, memref<1xf32, "lx">) outs(%sum : memref<1xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.subf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  }
  }
  return
}

// One op has no halves.
func.func @one(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  %top = dataflow.alloc {name = "top"} : memref<1xf32, "lx">
  %sum = dataflow.alloc {name = "sum"} : memref<1xf32, "lx">
  scf.for %i = %c0 to %c9 step %c1 {
    %a = dataflow.alloc {depth = 2 : i64, name = "a"} : memref<1x2048xf32, "lx">
    dataflow.data_transfer from @device[%i from %x] strides [2048, 1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<1x2048xf32, "lx">
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%a : memref<1x2048xf32, "lx">) outs(%top : memref<1xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.maximumf %o, %p : f32
    linalg.yield %0 : f32
  }
  }
  return
}

// A branch.
func.func @branch(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  %top = dataflow.alloc {name = "top"} : memref<1xf32, "lx">
  %sum = dataflow.alloc {name = "sum"} : memref<1xf32, "lx">
  scf.for %i = %c0 to %c9 step %c1 {
    %a = dataflow.alloc {depth = 2 : i64, name = "a"} : memref<1x2048xf32, "lx">
    dataflow.data_transfer from @device[%i from %x] strides [2048, 1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<1x2048xf32, "lx">
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%a : memref<1x2048xf32, "lx">) outs(%top : memref<1xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.maximumf %o, %p : f32
    linalg.yield %0 : f32
  }
    %b = arith.cmpi eq, %i, %c1 : index
    scf.if %b {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%a : memref<1x2048xf32, "lx">) outs(%top : memref<1xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.maximumf %o, %p : f32
    linalg.yield %0 : f32
  }
    }
  linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%a, %top : memref<1x2048xf32, "lx">, memref<1xf32, "lx">) outs(%sum : memref<1xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.subf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  }
  }
  return
}

// It is loaded between the halves: a copy of what the first one left is something else.
func.func @loaded(%x: index, %y: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %top = dataflow.alloc {name = "top"} : memref<1xf32, "lx">
  %sum = dataflow.alloc {name = "sum"} : memref<1xf32, "lx">
  scf.for %i = %c0 to %c9 step %c1 {
    %a = dataflow.alloc {depth = 2 : i64, name = "a"} : memref<1x2048xf32, "lx">
    dataflow.data_transfer from @device[%i from %x] strides [2048, 1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<1x2048xf32, "lx">
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%a : memref<1x2048xf32, "lx">) outs(%top : memref<1xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.maximumf %o, %p : f32
    linalg.yield %0 : f32
  }
    dataflow.data_transfer from @device[%i from %y] strides [1] to %top {route = ["ddr", "load", "lx"], unit = @load} : memref<1xf32, "lx">
  linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%a, %top : memref<1x2048xf32, "lx">, memref<1xf32, "lx">) outs(%sum : memref<1xf32, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.subf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  }
  }
  return
}
