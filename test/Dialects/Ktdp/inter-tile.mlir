// RUN: spyrec opt --verify-roundtrip %s | filecheck %s

// Both spellings of produce and of its type are read; the newest is printed.

#pair = affine_set<(i)[g] : (i - 2 * g >= 0, -i + 2 * g + 1 >= 0)>
#first = affine_set<(i)[g] : (i - 2 * g == 0)>
#even = affine_set<(i)[g] : ((i - g) mod 2 == 0, i - g >= 0, -i + g + 2 >= 0)>
#second = affine_set<(i)[g] : (i - 2 * g - 1 == 0)>
#before = affine_set<(p)[c] : (p - c + 1 == 0)>
#mirror = affine_set<(p)[c, g] : (p + c - 4 * g - 1 == 0)>
#two = affine_set<(g) : (g >= 0, -g + 1 >= 0)>

// CHECK-LABEL: func.func @newest
func.func @newest(%x: tensor<1x64xf32>, %k: tensor<1x64xi32>, %z: tensor<1x64xf32>, %n: tensor<1x64xi32>)
    attributes {grid = [4]} {
  // CHECK: ktdp.inter_tile_produce producer_tiles_per_group = #[[PAIR:.*]] -> <(tensor<1x64xf32>, tensor<1x64xi32>), groups = #[[TWO:.*]]> {
  // CHECK-NEXT: ^bb0(%gid: index):
  // CHECK-NEXT: ktdp.yield_partial %x, %k : tensor<1x64xf32>, tensor<1x64xi32>
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #pair
      -> !ktdp.tile_future<(tensor<1x64xf32>, tensor<1x64xi32>), groups = #two> {
  ^bb0(%gid: index):
    ktdp.yield_partial %x, %k : tensor<1x64xf32>, tensor<1x64xi32>
  }
  // CHECK: %[[R:.*]]:2 = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #[[PAIR]], identity(%z, %n : tensor<1x64xf32>, tensor<1x64xi32>)
  // CHECK-SAME: : <(tensor<1x64xf32>, tensor<1x64xi32>), groups = #[[TWO]]> -> tensor<1x64xf32>, tensor<1x64xi32> {
  // CHECK: ktdp.yield_reduced %{{.*}}, %{{.*}} : tensor<1x64xf32>, tensor<1x64xi32>
  %r:2 = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #pair, identity(%z, %n : tensor<1x64xf32>, tensor<1x64xi32>)
      : <(tensor<1x64xf32>, tensor<1x64xi32>), groups = #two> -> tensor<1x64xf32>, tensor<1x64xi32> {
  ^bb0(%a: tensor<1x64xf32>, %i: tensor<1x64xi32>, %b: tensor<1x64xf32>, %j: tensor<1x64xi32>):
    %s = arith.addf %a, %b : tensor<1x64xf32>
    %t = arith.addi %i, %j : tensor<1x64xi32>
    ktdp.yield_reduced %s, %t : tensor<1x64xf32>, tensor<1x64xi32>
  }
  return
}

// The longer produce states the tensors twice; the header of its body may be missing; sets may be written in place.
// CHECK-LABEL: func.func @older
func.func @older(%x: tensor<1x64xf32>) attributes {grid = [4]} {
  // CHECK: ktdp.inter_tile_produce producer_tiles_per_group = #{{.*}} {my.note} -> <(tensor<1x64xf32>), groups = #{{.*}}> {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(i)[g] : (i - g == 0)> {my.note}
      : tensor<1x64xf32> -> !ktdp.tile_future<tensor<1x64xf32>, groups = affine_set<(g) : (g >= 0, -g + 1 >= 0)>> {
    ktdp.yield_partial %x : tensor<1x64xf32>
  }
  // CHECK: ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #{{.*}} : <(tensor<1x64xf32>), groups = #{{.*}}> -> tensor<1x64xf32>
  %a = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #even
      : !ktdp.tile_future<tensor<1x64xf32>, groups = #two> -> tensor<1x64xf32>
  return
}

// CHECK-LABEL: func.func @dependencies
func.func @dependencies(%x: tensor<64xf16>, %z: tensor<64xf16>) attributes {grid = [4]} {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #first -> <(tensor<64xf16>), groups = #two> {
  ^bb0(%gid: index):
    ktdp.yield_partial %x : tensor<64xf16>
  }
  // CHECK: consumer_tiles_per_group = #{{.*}}, producer_dependency_per_consumer = #{{.*}} : <(tensor<64xf16>)
  %a = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #second, producer_dependency_per_consumer = #before
      : <(tensor<64xf16>), groups = #two> -> tensor<64xf16>
  %h = ktdp.inter_tile_produce producer_tiles_per_group = #pair -> <(tensor<64xf16>), groups = #two> {
  ^bb0(%gid: index):
    ktdp.yield_partial %x : tensor<64xf16>
  }
  // CHECK: producer_dependency_per_consumer = #{{.*}}, identity(%z : tensor<64xf16>) {my.note} : <(tensor<64xf16>)
  %b = ktdp.inter_tile_reduce(%h) consumer_tiles_per_group = #pair, producer_dependency_per_consumer = #mirror,
      identity(%z : tensor<64xf16>) {my.note} : <(tensor<64xf16>), groups = #two> -> tensor<64xf16> {
  ^bb0(%p: tensor<64xf16>, %q: tensor<64xf16>):
    %s = arith.addf %p, %q : tensor<64xf16>
    ktdp.yield_reduced %s : tensor<64xf16>
  }
  return
}

// CHECK-LABEL: func.func private @in_a_signature(!ktdp.tile_future<(tensor<4xf16>), groups = #{{.*}}>)
func.func private @in_a_signature(!ktdp.tile_future<tensor<4xf16>, groups = #two>)
