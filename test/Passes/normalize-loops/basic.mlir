// RUN: spyrec opt %s --normalize-loops | filecheck %s

// The bounds differ by 12 whatever the tile, and the step is 4: three iterations.
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0 * 12 + d1 * 4)>
// CHECK-DAG: #[[LEFT_OF:.*]] = affine_map<(d0) -> (-d0 + 7)>
// CHECK-DAG: #[[DOWN:.*]] = affine_map<(d0) -> (d0 * 4 + 3)>

// CHECK-LABEL: func.func @by_tile
// CHECK: %[[T:.*]] = dataflow.tile_id
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK: scf.for %[[K:.*]] = %[[C0]] to %[[C3]] step %[[C1]] {
// CHECK: %[[ROW_OF:.*]] = affine.apply #[[ROW]](%[[T]], %[[K]])
// CHECK: arith.addi %[[ROW_OF]], %[[ROW_OF]]
func.func @by_tile() attributes {grid = [32]} {
  %t = dataflow.tile_id
  %c4 = arith.constant 4 : index
  %c12 = arith.constant 12 : index
  %first = arith.muli %t, %c12 : index
  %last = arith.addi %first, %c12 : index
  scf.for %i = %first to %last step %c4 {
    %0 = arith.addi %i, %i : index
  }
  return
}

// A counter of type i32 becomes index; its uses see i32 as before.
// CHECK-LABEL: func.func @narrow
// CHECK: %[[C2:.*]] = arith.constant 2 : index
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %[[C2]] step %{{.*}} {
// CHECK: %[[I:.*]] = affine.apply #[[DOWN]](%[[K]])
// CHECK: %[[I32:.*]] = arith.index_cast %[[I]] : index to i32
// CHECK: arith.muli %[[I32]], %[[I32]] : i32
func.func @narrow() attributes {grid = [1]} {
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %c10 = arith.constant 10 : i32
  scf.for %i = %c3 to %c10 step %c4 : i32 {
    %0 = arith.muli %i, %i : i32
  }
  return
}

// The inner loop starts where the outer one stands.
// CHECK-LABEL: func.func @nested
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK: %[[LEFT:.*]] = affine.apply #[[LEFT_OF]](%[[I]])
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %[[LEFT]] step
func.func @nested() attributes {grid = [1]} {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c1 to %c8 step %c1 {
    scf.for %j = %i to %c8 step %c1 {
      %0 = arith.addi %i, %j : index
    }
  }
  return
}

// A step that the run knows: a count of iterations that divides by 0 where the step is not positive.
//
// CHECK-LABEL: func.func @paced
// CHECK: %[[SPAN:.*]] = affine.apply
// CHECK: %[[PACE:.*]] = arith.maxsi %s, %{{.*}} : index
// CHECK: %[[TRIPS:.*]] = arith.ceildivsi %[[SPAN]], %[[PACE]] : index
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %[[TRIPS]] step
// CHECK: %[[M:.*]] = arith.muli %[[K]], %s : index
// CHECK: arith.addi %m, %[[M]] : index
func.func @paced(%m: index, %n: index, %s: index) attributes {grid = [1]} {
  scf.for %i = %m to %n step %s {
    %0 = arith.addi %i, %i : index
  }
  return
}

// Between known bounds the counter stays between them, whatever the step.
//
// CHECK-LABEL: func.func @paced_inside
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step
// CHECK: %[[M:.*]] = arith.muli %[[K]], %s : index
// CHECK: %[[AT:.*]] = arith.addi %{{.*}}, %[[M]] : index
// CHECK: %[[LAST:.*]] = arith.constant 95 : index
// CHECK: %[[BELOW:.*]] = arith.minsi %[[AT]], %[[LAST]] : index
// CHECK: %[[I:.*]] = arith.maxsi %[[BELOW]], %{{.*}} : index
// CHECK: arith.addi %[[I]], %[[I]] : index
func.func @paced_inside(%s: index) attributes {grid = [1]} {
  %c3 = arith.constant 3 : index
  %c96 = arith.constant 96 : index
  scf.for %i = %c3 to %c96 step %s {
    %0 = arith.addi %i, %i : index
  }
  return
}
