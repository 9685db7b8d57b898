// One id per dimension becomes arithmetic on the flat id, first dimension fastest; a single id is the flat one.
//
// RUN: spyrec opt %s --normalize-grid | filecheck %s

// CHECK-DAG: #[[FIRST:.*]] = affine_map<(d0) -> (d0 mod 8)>
// CHECK-DAG: #[[MIDDLE:.*]] = affine_map<(d0) -> ((d0 floordiv 8) mod 2)>
// CHECK-DAG: #[[LAST:.*]] = affine_map<(d0) -> (d0 floordiv 16)>

// CHECK-LABEL: func.func @three
// CHECK-SAME: grid = [32]
// CHECK: %[[T:.*]] = dataflow.tile_id
// CHECK-DAG: %[[I:.*]] = affine.apply #[[FIRST]](%[[T]])
// CHECK-DAG: %[[J:.*]] = affine.apply #[[MIDDLE]](%[[T]])
// CHECK-DAG: %[[K:.*]] = affine.apply #[[LAST]](%[[T]])
// CHECK: arith.addi %[[I]], %[[J]]
// CHECK: arith.addi %{{.*}}, %[[K]]
func.func @three() attributes {grid = [8, 2, 2]} {
  %i, %j, %k = ktdp.get_compute_tile_id : index, index, index
  %0 = arith.addi %i, %j : index
  %1 = arith.addi %0, %k : index
  return
}

// A dimension of extent 1 has one coordinate.
// CHECK-LABEL: func.func @flat_dimension
// CHECK: %[[T:.*]] = dataflow.tile_id
// CHECK: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: arith.addi %[[T]], %[[ZERO]]
func.func @flat_dimension() attributes {grid = [32, 1]} {
  %i, %j = ktdp.get_compute_tile_id : index, index
  %0 = arith.addi %i, %j : index
  return
}

// CHECK-LABEL: func.func @one_id_of_two
// CHECK-SAME: grid = [16]
// CHECK: %[[T:.*]] = dataflow.tile_id
// CHECK: arith.addi %[[T]], %[[T]]
func.func @one_id_of_two() attributes {grid = [4, 4]} {
  %t = ktdp.get_compute_tile_id : index
  %0 = arith.addi %t, %t : index
  return
}

// CHECK-LABEL: func.func @asks_for_nothing
// CHECK-SAME: grid = [1]
// CHECK-NOT: dataflow.tile_id
func.func @asks_for_nothing() {
  return
}
