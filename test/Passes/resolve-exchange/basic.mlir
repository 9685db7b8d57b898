// RUN: spyrec opt %s --resolve-exchange --canonicalize --cse --verify-roundtrip | filecheck %s

#quad = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#next = affine_set<(p)[c, g] : (p - 4 * g >= 0, -p + 4 * g + 3 >= 0, (p - c - 1) mod 4 == 0)>
#two = affine_set<(g) : (g >= 0, -g + 1 >= 0)>

// Whom a consumer takes from is computed from its id; whoever produces knows who takes.
// CHECK-DAG: #[[NEXT:.*]] = affine_map<()[s0] -> (s0 + (s0 floordiv 4) * 4 - ((s0 + 1) floordiv 4) * 4 + 1)>
// CHECK-DAG: #[[LEAD:.*]] = affine_map<()[s0] -> ((s0 floordiv 4) * 4)>
// CHECK-DAG: #[[WHO:.*]] = affine_map<()[s0] -> (s0 mod 4)>
// CHECK-DAG: #[[KTH:.*]] = affine_map<(d0)[s0] -> (d0 + (s0 floordiv 4) * 4)>
// CHECK-LABEL: func.func @shift(%x: tensor<64xf16>)
// CHECK: %[[T:.*]] = dataflow.tile_id
// CHECK: %[[O:.*]] = dataflow.offer %x to {{\[\[}}3], [0], [1], [2], [7], [4], [5], [6]] : tensor<64xf16>
// CHECK: %[[S:.*]] = affine.apply #[[NEXT]]()[%[[T]]]
// CHECK: %[[N:.*]] = dataflow.take %[[O]] from %[[S]] : tensor<64xf16>
// CHECK: return %[[N]]
func.func @shift(%x: tensor<64xf16>) -> tensor<64xf16> attributes {grid = [8]} {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #quad -> <(tensor<64xf16>), groups = #two> {
  ^bb0(%g: index):
    ktdp.yield_partial %x : tensor<64xf16>
  }
  %n = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #quad, producer_dependency_per_consumer = #next : <(tensor<64xf16>), groups = #two> -> tensor<64xf16>
  return %n : tensor<64xf16>
}

// What one tile of a group makes is made there only, and nobody but the consumers waits.
// CHECK-LABEL: func.func @from_the_first
// CHECK: %[[T:.*]] = dataflow.tile_id
// CHECK: %[[W:.*]] = affine.apply #[[WHO]]()[%[[T]]]
// CHECK: %[[LEADS:.*]] = arith.cmpi eq, %[[W]], %{{.*}} : index
// CHECK: %[[V:.*]] = scf.if %[[LEADS]] -> (tensor<64xf16>) {
// CHECK: arith.negf
// CHECK: } else {
// CHECK-NOT: arith.negf
// CHECK: %[[O:.*]] = dataflow.offer %[[V]] to {{\[\[}}0, 1, 2, 3], [], [], [], [4, 5, 6, 7], [], [], []]
// CHECK: %[[S:.*]] = affine.apply #[[LEAD]]()[%[[T]]]
// CHECK: dataflow.take %[[O]] from %[[S]]
func.func @from_the_first(%x: tensor<64xf16>) -> tensor<64xf16> attributes {grid = [8]} {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #first -> <(tensor<64xf16>), groups = #two> {
  ^bb0(%g: index):
    %y = arith.negf %x : tensor<64xf16>
    ktdp.yield_partial %y : tensor<64xf16>
  }
  %n = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #quad : <(tensor<64xf16>), groups = #two> -> tensor<64xf16>
  return %n : tensor<64xf16>
}

// A reduction folds from the first producer to the last.
// CHECK-LABEL: func.func @sum
// CHECK: %[[O:.*]] = dataflow.offer %{{.*}} to {{\[\[}}0, 1, 2, 3], [0, 1, 2, 3], [0, 1, 2, 3], [0, 1, 2, 3], [4
// CHECK: %[[S:.*]] = affine.apply #[[LEAD]]()[%[[T:.*]]]
// CHECK: %[[FIRST:.*]] = dataflow.take %[[O]] from %[[S]] : tensor<64xf32>
// CHECK: %[[R:.*]] = scf.for %[[K:.*]] = %[[ONE:.*]] to %{{.*}} step %[[ONE]] iter_args(%[[ACC:.*]] = %[[FIRST]]) -> (tensor<64xf32>) {
// CHECK: %[[P:.*]] = affine.apply #[[KTH]](%[[K]])[%[[T]]]
// CHECK: %[[Q:.*]] = dataflow.take %[[O]] from %[[P]] : tensor<64xf32>
// CHECK: %[[A:.*]] = arith.addf %[[ACC]], %[[Q]] : tensor<64xf32>
// CHECK: scf.yield %[[A]]
// CHECK: return %[[R]]
func.func @sum(%x: tensor<64xf32>) -> tensor<64xf32> attributes {grid = [8]} {
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #quad -> <(tensor<64xf32>), groups = #two> {
  ^bb0(%g: index):
    ktdp.yield_partial %x : tensor<64xf32>
  }
  %n = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #quad, identity(%zero : tensor<64xf32>) : <(tensor<64xf32>), groups = #two> -> tensor<64xf32> {
  ^bb0(%a: tensor<64xf32>, %b: tensor<64xf32>):
    %s = arith.addf %a, %b : tensor<64xf32>
    ktdp.yield_reduced %s : tensor<64xf32>
  }
  return %n : tensor<64xf32>
}

// Takes in another block than the offer are marked: how often they run is not how often it does.
// CHECK-LABEL: func.func @elsewhere
// CHECK: dataflow.offer {{.*}} {dataflow.taken_elsewhere}
// CHECK: scf.for
// CHECK: dataflow.take
func.func @elsewhere(%x: tensor<64xf16>, %n: index, %one: index) attributes {grid = [8]} {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #first -> <(tensor<64xf16>), groups = #two> {
  ^bb0(%g: index):
    ktdp.yield_partial %x : tensor<64xf16>
  }
  scf.for %i = %one to %n step %one {
    %r = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #quad : <(tensor<64xf16>), groups = #two> -> tensor<64xf16>
  }
  return
}
