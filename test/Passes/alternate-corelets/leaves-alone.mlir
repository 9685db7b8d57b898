// Loops that stay as they are, whatever turns would gain. The first one is done in turns, so that the others could be.
//
// RUN: spyrec opt %s --alternate-corelets=gain=-1000000 | filecheck %s
// RUN: spyrec opt %s --alternate-corelets=gain=100 > %t && spyrec opt %s | cmp - %t

#row = affine_map<(d) -> (d)>
#one = affine_map<(d) -> (0)>

// CHECK-LABEL: func.func @turns
// CHECK: dataflow.corelet = 1
func.func @turns(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %a = dataflow.alloc {depth = 2 : i64, name = "x"} : memref<2048xf32, "lx">
    dataflow.data_transfer from @device[%i from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<2048xf32, "lx">
    %s = dataflow.alloc {depth = 2 : i64, name = "s"} : memref<1xf32, "lx">
    linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction"], dataflow.unit = @sfu} ins(%a : memref<2048xf32, "lx">) outs(%s : memref<1xf32, "lx">) {
    ^bb0(%p: f32, %o: f32):
      %v = math.exp %p : f32
      %w = arith.maximumf %o, %v : f32
      linalg.yield %w : f32
    }
    dataflow.data_transfer from %s to @device[%i from %z] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<1xf32, "lx">
  }
  return
}

// One slot: nothing to take turns with.
// CHECK-LABEL: func.func @one_slot
// CHECK-NOT: dataflow.corelet
// CHECK: return
func.func @one_slot(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %a = dataflow.alloc {depth = 1 : i64, name = "x"} : memref<2048xf32, "lx">
    dataflow.data_transfer from @device[%i from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<2048xf32, "lx">
    %s = dataflow.alloc {depth = 1 : i64, name = "s"} : memref<1xf32, "lx">
    linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction"], dataflow.unit = @sfu} ins(%a : memref<2048xf32, "lx">) outs(%s : memref<1xf32, "lx">) {
    ^bb0(%p: f32, %o: f32):
      %v = math.exp %p : f32
      %w = arith.maximumf %o, %v : f32
      linalg.yield %w : f32
    }
    dataflow.data_transfer from %s to @device[%i from %z] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<1xf32, "lx">
  }
  return
}

// One iteration.
// CHECK-LABEL: func.func @one_iteration
// CHECK-NOT: dataflow.corelet
// CHECK: return
func.func @one_iteration(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c1 step %c1 {
    %a = dataflow.alloc {depth = 2 : i64, name = "x"} : memref<2048xf32, "lx">
    dataflow.data_transfer from @device[%i from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<2048xf32, "lx">
    %s = dataflow.alloc {depth = 2 : i64, name = "s"} : memref<1xf32, "lx">
    linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction"], dataflow.unit = @sfu} ins(%a : memref<2048xf32, "lx">) outs(%s : memref<1xf32, "lx">) {
    ^bb0(%p: f32, %o: f32):
      %v = math.exp %p : f32
      %w = arith.maximumf %o, %v : f32
      linalg.yield %w : f32
    }
    dataflow.data_transfer from %s to @device[%i from %z] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<1xf32, "lx">
  }
  return
}

// A step that only the run knows.
// CHECK-LABEL: func.func @any_step
// CHECK-NOT: dataflow.corelet
// CHECK: return
func.func @any_step(%x: index, %z: index, %n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %n {
    %a = dataflow.alloc {depth = 2 : i64, name = "x"} : memref<2048xf32, "lx">
    dataflow.data_transfer from @device[%i from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<2048xf32, "lx">
    %s = dataflow.alloc {depth = 2 : i64, name = "s"} : memref<1xf32, "lx">
    linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction"], dataflow.unit = @sfu} ins(%a : memref<2048xf32, "lx">) outs(%s : memref<1xf32, "lx">) {
    ^bb0(%p: f32, %o: f32):
      %v = math.exp %p : f32
      %w = arith.maximumf %o, %v : f32
      linalg.yield %w : f32
    }
    dataflow.data_transfer from %s to @device[%i from %z] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<1xf32, "lx">
  }
  return
}

// A loop inside.
// CHECK-LABEL: func.func @a_loop_inside
// CHECK-NOT: dataflow.corelet
// CHECK: return
func.func @a_loop_inside(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %a = dataflow.alloc {depth = 2 : i64, name = "x"} : memref<2048xf32, "lx">
    dataflow.data_transfer from @device[%i from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<2048xf32, "lx">
    scf.for %j = %c0 to %i step %c1 {
      %b = dataflow.alloc {name = "y"} : memref<64xf16, "lx">
      dataflow.data_transfer from @device[%j from %x] strides [1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
    }
    %s = dataflow.alloc {depth = 2 : i64, name = "s"} : memref<1xf32, "lx">
    linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction"], dataflow.unit = @sfu} ins(%a : memref<2048xf32, "lx">) outs(%s : memref<1xf32, "lx">) {
    ^bb0(%p: f32, %o: f32):
      %v = math.exp %p : f32
      %w = arith.maximumf %o, %v : f32
      linalg.yield %w : f32
    }
    dataflow.data_transfer from %s to @device[%i from %z] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<1xf32, "lx">
  }
  return
}

// A branch inside.
// CHECK-LABEL: func.func @a_branch_inside
// CHECK-NOT: dataflow.corelet
// CHECK: return
func.func @a_branch_inside(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %some = arith.cmpi slt, %x, %z : index
  scf.for %i = %c0 to %c8 step %c1 {
    %a = dataflow.alloc {depth = 2 : i64, name = "x"} : memref<2048xf32, "lx">
    dataflow.data_transfer from @device[%i from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<2048xf32, "lx">
    scf.if %some {
      dataflow.data_transfer from @device[%i from %z] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<2048xf32, "lx">
    }
    %s = dataflow.alloc {depth = 2 : i64, name = "s"} : memref<1xf32, "lx">
    linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction"], dataflow.unit = @sfu} ins(%a : memref<2048xf32, "lx">) outs(%s : memref<1xf32, "lx">) {
    ^bb0(%p: f32, %o: f32):
      %v = math.exp %p : f32
      %w = arith.maximumf %o, %v : f32
      linalg.yield %w : f32
    }
    dataflow.data_transfer from %s to @device[%i from %z] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<1xf32, "lx">
  }
  return
}

// Another core's buffer is the one of the same iteration.
// CHECK-LABEL: func.func @from_another_core
// CHECK-NOT: dataflow.corelet
// CHECK: return
func.func @from_another_core(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %a = dataflow.alloc {depth = 2 : i64, name = "x"} : memref<2048xf32, "lx">
    dataflow.data_transfer from @device[%i from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<2048xf32, "lx">
    %b = dataflow.alloc {depth = 2 : i64, name = "y"} : memref<2048xf32, "lx">
    dataflow.data_transfer from %a to %b get %c1 {route = ["lx", "ring", "lx"], unit = @ring} : memref<2048xf32, "lx">, memref<2048xf32, "lx">
    %s = dataflow.alloc {depth = 2 : i64, name = "s"} : memref<1xf32, "lx">
    linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction"], dataflow.unit = @sfu} ins(%a : memref<2048xf32, "lx">) outs(%s : memref<1xf32, "lx">) {
    ^bb0(%p: f32, %o: f32):
      %v = math.exp %p : f32
      %w = arith.maximumf %o, %v : f32
      linalg.yield %w : f32
    }
    dataflow.data_transfer from %s to @device[%i from %z] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<1xf32, "lx">
  }
  return
}

// Cores meet in each iteration.
// CHECK-LABEL: func.func @cores_meet
// CHECK-NOT: dataflow.corelet
// CHECK: return
func.func @cores_meet(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  dataflow.channel @there from @load to @load {init = 0 : i64, peers}
  scf.for %i = %c0 to %c8 step %c1 {
    %a = dataflow.alloc {depth = 2 : i64, name = "x"} : memref<2048xf32, "lx">
    dataflow.data_transfer from @device[%i from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<2048xf32, "lx">
    dataflow.post @there to %c1 {unit = @load}
    %s = dataflow.alloc {depth = 2 : i64, name = "s"} : memref<1xf32, "lx">
    linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction"], dataflow.unit = @sfu} ins(%a : memref<2048xf32, "lx">) outs(%s : memref<1xf32, "lx">) {
    ^bb0(%p: f32, %o: f32):
      %v = math.exp %p : f32
      %w = arith.maximumf %o, %v : f32
      linalg.yield %w : f32
    }
    dataflow.data_transfer from %s to @device[%i from %z] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<1xf32, "lx">
  }
  return
}

// An op names its corelet.
// CHECK-LABEL: func.func @named
// CHECK: dataflow.corelet = 1
// CHECK-NOT: dataflow.corelet
// CHECK: return
func.func @named(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %a = dataflow.alloc {depth = 2 : i64, name = "x"} : memref<2048xf32, "lx">
    dataflow.data_transfer from @device[%i from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<2048xf32, "lx">
    %s = dataflow.alloc {depth = 2 : i64, name = "s"} : memref<1xf32, "lx">
    linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction"], dataflow.corelet = 1 : i64, dataflow.unit = @sfu} ins(%a : memref<2048xf32, "lx">) outs(%s : memref<1xf32, "lx">) {
    ^bb0(%p: f32, %o: f32):
      %v = math.exp %p : f32
      %w = arith.maximumf %o, %v : f32
      linalg.yield %w : f32
    }
    dataflow.data_transfer from %s to @device[%i from %z] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<1xf32, "lx">
  }
  return
}

// Two slots fill LX, and the last of an odd number of iterations has no room.
// CHECK-LABEL: func.func @no_room
// CHECK-NOT: dataflow.corelet
// CHECK: return
func.func @no_room(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  scf.for %i = %c0 to %c7 step %c1 {
    %a = dataflow.alloc {depth = 2 : i64, name = "x"} : memref<262144xf32, "lx">
    dataflow.data_transfer from @device[%i from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<262144xf32, "lx">
    linalg.generic {indexing_maps = [#row], iterator_types = ["parallel"], dataflow.unit = @sfu} outs(%a : memref<262144xf32, "lx">) {
    ^bb0(%o: f32):
      %v = math.exp %o : f32
      linalg.yield %v : f32
    }
    dataflow.data_transfer from %a to @device[%i from %z] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<262144xf32, "lx">
  }
  return
}

// Of an even number none is left.
// CHECK-LABEL: func.func @room
// CHECK: dataflow.corelet = 1
func.func @room(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %a = dataflow.alloc {depth = 2 : i64, name = "x"} : memref<262144xf32, "lx">
    dataflow.data_transfer from @device[%i from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<262144xf32, "lx">
    linalg.generic {indexing_maps = [#row], iterator_types = ["parallel"], dataflow.unit = @sfu} outs(%a : memref<262144xf32, "lx">) {
    ^bb0(%o: f32):
      %v = math.exp %o : f32
      linalg.yield %v : f32
    }
    dataflow.data_transfer from %a to @device[%i from %z] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<262144xf32, "lx">
  }
  return
}
