// Slots by the way of one: 52 cycles for a transfer to start and end and its bytes, the streams that use it, and 12 for the next unit to know.
//
// RUN: spyrec opt %s --choose-buffer-depth | filecheck %s
// RUN: spyrec opt %s --choose-buffer-depth > %t && spyrec opt %t --choose-buffer-depth | cmp - %t
// RUN: spyrec opt %s --choose-buffer-depth=depth=3 | filecheck %s --check-prefix=FIXED
// RUN: spyrec opt %s --choose-buffer-depth --device=small_cores | filecheck %s --check-prefix=OTHER

#id = affine_map<(d) -> (d)>

// FIXED-NOT: depth = {{[^3]}}

// The device does not have these units, so nothing is known about them.
// OTHER-NOT: depth = {{[^2]}}


// Loads begin every 14 cycles: (53 + 12) + (12 + 12) is more than six times as much, and four slots are what a buffer gets at most.
// CHECK-LABEL: func.func @short
// CHECK: depth = 4 : i64, name = "x"
// CHECK: depth = 2 : i64, name = "between"
// CHECK: depth = 4 : i64, name = "z"
func.func @short(%x: index, %z: index, %n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = dataflow.alloc {name = "x"} : memref<64xf16, "lx">
    dataflow.data_transfer from @device[%i from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
    %t = dataflow.alloc {name = "between"} : memref<64xf16, "lx">
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"], dataflow.unit = @sfu} ins(%a : memref<64xf16, "lx">) outs(%t : memref<64xf16, "lx">) {
    ^bb0(%p: f16, %o: f16):
      %v = arith.negf %p : f16
      linalg.yield %v : f16
    }
    %b = dataflow.alloc {name = "z"} : memref<64xf16, "lx">
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"], dataflow.unit = @sfu} ins(%t : memref<64xf16, "lx">) outs(%b : memref<64xf16, "lx">) {
    ^bb0(%p: f16, %o: f16):
      %v = arith.addf %p, %p : f16
      linalg.yield %v : f16
    }
    dataflow.data_transfer from %b to @device[%i from %z] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
  }
  return
}

// The streams take longer than all the rest.
// CHECK-LABEL: func.func @long
// CHECK: depth = 2 : i64, name = "x"
// CHECK: depth = 2 : i64, name = "z"
func.func @long(%x: index, %z: index, %n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = dataflow.alloc {name = "x"} : memref<128x64xf16, "lx">
    dataflow.data_transfer from @device[%i from %x] strides [64, 1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<128x64xf16, "lx">
    %b = dataflow.alloc {name = "z"} : memref<128x64xf16, "lx">
    linalg.generic {indexing_maps = [affine_map<(d, e) -> (d, e)>, affine_map<(d, e) -> (d, e)>], iterator_types = ["parallel", "parallel"], dataflow.unit = @sfu} ins(%a : memref<128x64xf16, "lx">) outs(%b : memref<128x64xf16, "lx">) {
    ^bb0(%p: f16, %o: f16):
      %v = math.exp %p : f16
      linalg.yield %v : f16
    }
    dataflow.data_transfer from %b to @device[%i from %z] strides [64, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<128x64xf16, "lx">
  }
  return
}

// What a loop inside takes is not known.
// CHECK-LABEL: func.func @outer
// CHECK: depth = 2 : i64, name = "x"
func.func @outer(%x: index, %n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = dataflow.alloc {name = "x"} : memref<64xf16, "lx">
    dataflow.data_transfer from @device[%i from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
    scf.for %j = %c0 to %n step %c1 {
      %b = dataflow.alloc {name = "y"} : memref<64xf16, "lx">
    }
  }
  return
}

// Three iterations have no use for four slots.
// CHECK-LABEL: func.func @few
// CHECK: depth = 2 : i64, name = "x"
// CHECK: depth = 2 : i64, name = "y"
func.func @few(%x: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    %a = dataflow.alloc {name = "x"} : memref<64xf16, "lx">
    dataflow.data_transfer from @device[%i from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
  }
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  scf.for %i = %c0 to %c6 step %c2 {
    %a = dataflow.alloc {name = "y"} : memref<64xf16, "lx">
    dataflow.data_transfer from @device[%i from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
  }
  return
}
