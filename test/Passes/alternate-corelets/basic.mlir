// Two corelets take the rows in turns. Of an even number nothing is left; the last of an odd one is done behind the loop, and under a
// condition where the launch decides. Each corelet has its share of the slots.
//
// RUN: spyrec opt %s --alternate-corelets | filecheck %s
// RUN: spyrec opt %s --alternate-corelets > %t && spyrec opt %t --alternate-corelets | cmp - %t
// RUN: spyrec opt %s > %t.as-is
// RUN: spyrec opt %s --device=small_cores --alternate-corelets | cmp - %t.as-is

#row = affine_map<(d) -> (d)>
#one = affine_map<(d) -> (0)>

// CHECK-DAG: #[[EVEN:.*]] = affine_map<(d0, d1) -> (d1 + d0 * 2)>
// CHECK-DAG: #[[ODD:.*]] = affine_map<(d0, d1) -> (d1 + d0 * 2 + 1)>
// CHECK-DAG: #[[HALF:.*]] = affine_map<(d0, d1) -> ((d1 - d0) floordiv 2)>

// CHECK-LABEL: func.func @even
// CHECK: %[[FOUR:.*]] = arith.constant 4 : index
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %[[FOUR]] step
// CHECK-NEXT: %[[I:.*]] = affine.apply #[[EVEN]](%[[K]], %c0)
// CHECK: %[[A:.*]] = dataflow.alloc {depth = 2 : i64, name = "x"}
// CHECK: data_transfer from @device[%[[I]] from %x] strides [1] to %[[A]]
// CHECK: %[[S:.*]] = dataflow.alloc {depth = 1 : i64, name = "s"}
// CHECK: linalg.generic {{.*}} ins(%[[A]] : {{.*}} outs(%[[S]] : {{.*}} {dataflow.corelet = 0 : i64, dataflow.unit = @sfu}
// CHECK: %[[J:.*]] = affine.apply #[[ODD]](%[[K]], %c0)
// CHECK: %[[B:.*]] = dataflow.alloc {depth = 2 : i64, name = "x_1"}
// CHECK: data_transfer from @device[%[[J]] from %x] strides [1] to %[[B]]
// CHECK: %[[T:.*]] = dataflow.alloc {depth = 1 : i64, name = "s_1"}
// CHECK: linalg.generic {{.*}} ins(%[[B]] : {{.*}} outs(%[[T]] : {{.*}} {dataflow.corelet = 1 : i64, dataflow.unit = @sfu}
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @even(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %a = dataflow.alloc {depth = 4 : i64, name = "x"} : memref<2048xf32, "lx">
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

// A step of 3 from 1: 1, 4 | 7, 10 | 13.
//
// CHECK-LABEL: func.func @odd
// CHECK: %[[TWO:.*]] = arith.constant 2 : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[TWO]] step
// CHECK: affine.apply #{{.*}}(%{{.*}}, %c1)
// CHECK: dataflow.corelet = 0
// CHECK: affine.apply #{{.*}}(%{{.*}}, %c1)
// CHECK: dataflow.corelet = 1
// CHECK: }
// CHECK: affine.apply #{{.*}}(%[[TWO]], %c1)
// CHECK: dataflow.alloc {depth = 1 : i64, name = "x_2"}
// CHECK: linalg.generic
// CHECK-NOT: dataflow.corelet
// CHECK: return
func.func @odd(%x: index, %z: index) attributes {grid = [1]} {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c14 = arith.constant 14 : index
  scf.for %i = %c1 to %c14 step %c3 {
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

// What iterations hand on goes through both copies, and through the branch.
//
// CHECK-LABEL: func.func @launch
// CHECK: %[[H:.*]] = affine.apply #[[HALF]](%c0{{.*}}, %n)
// CHECK: %[[ROUNDS:.*]] = arith.maxsi %[[H]],
// CHECK: %[[R:.*]] = scf.for %{{.*}} = %{{.*}} to %[[ROUNDS]] step %{{.*}} iter_args(%[[P:.*]] = %c0{{.*}})
// CHECK: %[[Q:.*]] = arith.addi %[[P]], %n
// CHECK: dataflow.corelet = 0
// CHECK: %[[U:.*]] = arith.addi %[[Q]], %n
// CHECK: dataflow.corelet = 1
// CHECK: scf.yield %[[U]]
// CHECK: %[[LAST:.*]] = affine.apply #[[EVEN]](%[[ROUNDS]], %c0{{.*}})
// CHECK: %[[THERE:.*]] = arith.cmpi slt, %[[LAST]], %n
// CHECK: scf.if %[[THERE]] -> (index) {
// CHECK: %[[W:.*]] = arith.addi %[[R]], %n
// CHECK: scf.yield %[[W]]
// CHECK: else
// CHECK: scf.yield %[[R]]
func.func @launch(%x: index, %z: index, %n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %place = scf.for %i = %c0 to %n step %c1 iter_args(%at = %c0) -> (index) {
    %next = arith.addi %at, %n : index
    %a = dataflow.alloc {depth = 2 : i64, name = "x"} : memref<2048xf32, "lx">
    dataflow.data_transfer from @device[%at from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<2048xf32, "lx">
    %s = dataflow.alloc {depth = 2 : i64, name = "s"} : memref<1xf32, "lx">
    linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction"], dataflow.unit = @sfu} ins(%a : memref<2048xf32, "lx">) outs(%s : memref<1xf32, "lx">) {
    ^bb0(%p: f32, %o: f32):
      %v = math.exp %p : f32
      %w = arith.maximumf %o, %v : f32
      linalg.yield %w : f32
    }
    dataflow.data_transfer from %s to @device[%i from %z] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<1xf32, "lx">
    scf.yield %next : index
  }
  %b = dataflow.alloc {name = "end"} : memref<1xf32, "lx">
  dataflow.data_transfer from %b to @device[%place from %z] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<1xf32, "lx">
  return
}

// How many rounds there are is computed where the bounds are, so that buffers in the inner loop can have slots.
//
// CHECK-LABEL: func.func @inner
// CHECK: %[[N:.*]] = affine.apply #[[HALF]](%c0, %n)
// CHECK: %[[MOST:.*]] = arith.maxsi %[[N]]
// CHECK: scf.for %{{.*}} = %c0 to %c8 step
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[MOST]] step
// CHECK: scf.if
// CHECK: scf.for %[[I:.*]] = %c0 to %c8 step
// CHECK: affine.apply #[[HALF]](%c0, %[[I]])
// CHECK: return
func.func @inner(%x: index, %z: index, %n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %a = dataflow.alloc {depth = 4 : i64, name = "x"} : memref<2048xf32, "lx">
      dataflow.data_transfer from @device[%j from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<2048xf32, "lx">
      %s = dataflow.alloc {depth = 2 : i64, name = "s"} : memref<1xf32, "lx">
      linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction"], dataflow.unit = @sfu} ins(%a : memref<2048xf32, "lx">) outs(%s : memref<1xf32, "lx">) {
      ^bb0(%p: f32, %o: f32):
        %v = math.exp %p : f32
        %w = arith.maximumf %o, %v : f32
        linalg.yield %w : f32
      }
      dataflow.data_transfer from %s to @device[%j from %z] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<1xf32, "lx">
    }
  }
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %j = %c0 to %i step %c1 {
      %a = dataflow.alloc {depth = 2 : i64, name = "y"} : memref<2048xf32, "lx">
      dataflow.data_transfer from @device[%j from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<2048xf32, "lx">
      %s = dataflow.alloc {depth = 2 : i64, name = "t"} : memref<1xf32, "lx">
      linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction"], dataflow.unit = @sfu} ins(%a : memref<2048xf32, "lx">) outs(%s : memref<1xf32, "lx">) {
      ^bb0(%p: f32, %o: f32):
        %v = math.exp %p : f32
        %w = arith.maximumf %o, %v : f32
        linalg.yield %w : f32
      }
      dataflow.data_transfer from %s to @device[%j from %z] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<1xf32, "lx">
    }
  }
  return
}
