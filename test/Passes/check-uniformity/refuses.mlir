// RUN: spyrec opt %s --split-input-file --verify-diagnostics --check-uniformity

#all = affine_set<(i)[g] : (i >= 0, -i + 7 >= 0)>
#quad = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>
#two = affine_set<(g) : (g >= 0, -g + 1 >= 0)>

func.func @half_a_group(%x: tensor<64xf32>) attributes {grid = [8]} {
  %c2 = arith.constant 2 : index
  %t = dataflow.tile_id
  %low = arith.cmpi slt, %t, %c2 : index
  // expected-note @+1 {{decided here}}
  scf.if %low {
    // expected-error @+2 {{tiles 0 and 2 of group 0 exchange values here, and do not take the scf.if around it alike: what decides it is 1 on one and 0 on the other}}
    // expected-note @+1 {{move the exchange out of it, or let the condition be the same on all tiles of the group}}
    %f = ktdp.inter_tile_produce producer_tiles_per_group = #quad -> <(tensor<64xf32>), groups = #two> {
    ^bb0(%g: index):
      ktdp.yield_partial %x : tensor<64xf32>
    }
    %n = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #quad, identity(%x : tensor<64xf32>) : <(tensor<64xf32>), groups = #two> -> tensor<64xf32> {
    ^bb0(%a: tensor<64xf32>, %b: tensor<64xf32>):
      %s = arith.addf %a, %b : tensor<64xf32>
      ktdp.yield_reduced %s : tensor<64xf32>
    }
  }
  return
}

// -----

#all = affine_set<(i)[g] : (i >= 0, -i + 7 >= 0)>
#quad = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>
#two = affine_set<(g) : (g >= 0, -g + 1 >= 0)>

// The bound of a loop differs, and so does what a loop has summed up.
func.func @trips(%x: tensor<64xf32>) attributes {grid = [8]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %t = dataflow.tile_id
  %sum = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %c0) -> (index) {
    %w = arith.addi %v, %t : index
    scf.yield %w : index
  }
  // expected-note @+1 {{decided here}}
  scf.for %i = %c0 to %sum step %c1 {
    // expected-error @+2 {{tiles 0 and 1 of group 0 exchange values here, and do not take the scf.for around it alike}}
    // expected-note @+1 {{move the exchange out of it}}
    %f = ktdp.inter_tile_produce producer_tiles_per_group = #quad -> <(tensor<64xf32>), groups = #two> {
    ^bb0(%g: index):
      ktdp.yield_partial %x : tensor<64xf32>
    }
    %n = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #quad, identity(%x : tensor<64xf32>) : <(tensor<64xf32>), groups = #two> -> tensor<64xf32> {
    ^bb0(%a: tensor<64xf32>, %b: tensor<64xf32>):
      %s = arith.addf %a, %b : tensor<64xf32>
      ktdp.yield_reduced %s : tensor<64xf32>
    }
  }
  return
}

// -----

#all = affine_set<(i)[g] : (i >= 0, -i + 7 >= 0)>
#quad = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>
#two = affine_set<(g) : (g >= 0, -g + 1 >= 0)>

// What lies in memory at an address of its own for each tile.
func.func @data(%x: tensor<64xf32>, %p: index) attributes {grid = [8]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = dataflow.tile_id
  %m = dataflow.read @device[%t from %p] strides [1] : tensor<1xi32>
  %n = tensor.extract %m[%c0] : tensor<1xi32>
  %k = arith.index_cast %n : i32 to index
  // expected-note @+1 {{decided here}}
  scf.for %i = %c0 to %k step %c1 {
    // expected-error @+2 {{tiles 0 and 1 of group 0 exchange values here, and do not take the scf.for around it alike}}
    // expected-note @+1 {{move the exchange out of it}}
    %f = ktdp.inter_tile_produce producer_tiles_per_group = #all -> <(tensor<64xf32>), groups = #one> {
    ^bb0(%g: index):
      ktdp.yield_partial %x : tensor<64xf32>
    }
    %o = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #all, identity(%x : tensor<64xf32>) : <(tensor<64xf32>), groups = #one> -> tensor<64xf32> {
    ^bb0(%a: tensor<64xf32>, %b: tensor<64xf32>):
      %s = arith.addf %a, %b : tensor<64xf32>
      ktdp.yield_reduced %s : tensor<64xf32>
    }
  }
  return
}
