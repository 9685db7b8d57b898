// RUN: spyrec opt --verify-diagnostics --split-input-file --allow-unregistered-dialect %s

#pair = affine_set<(i)[g] : (i - 2 * g >= 0, -i + 2 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 2 * g >= 0, -i + 2 * g + 2 >= 0)>
#plain = affine_set<(i) : (i >= 0, -i + 1 >= 0)>
#square = affine_set<(i, j)[g] : (i - g == 0, j == 0)>
#two = affine_set<(g) : (g >= 0, -g + 1 >= 0)>
func.func @producers(%x: tensor<64xf16>, %y: tensor<32xf16>) attributes {grid = [4]} {
  // expected-error @+3 {{producer_tiles_per_group gives tile 2 for group 0 and for group 1}}
  // expected-note @+2 {{a tile belongs to one group at most}}
  %a = ktdp.inter_tile_produce
    producer_tiles_per_group = #three -> <(tensor<64xf16>), groups = #two> {
    ktdp.yield_partial %x : tensor<64xf16>
  }
  // expected-error @+2 {{producer_tiles_per_group has 0 symbols, but there are 1 number of the group}}
  %b = ktdp.inter_tile_produce
    producer_tiles_per_group = #plain -> <(tensor<64xf16>), groups = #two> {
    ktdp.yield_partial %x : tensor<64xf16>
  }
  // expected-error @+2 {{producer_tiles_per_group has 2 dimensions; 1 are needed}}
  %c = ktdp.inter_tile_produce
    producer_tiles_per_group = #square -> <(tensor<64xf16>), groups = #two> {
    ktdp.yield_partial %x : tensor<64xf16>
  }
  // expected-error @+1 {{value 0 of yield_partial is tensor<32xf16>, but partial type 0 of the future is tensor<64xf16>}}
  %d = ktdp.inter_tile_produce producer_tiles_per_group = #pair -> <(tensor<64xf16>), groups = #two> {
    ktdp.yield_partial %y : tensor<32xf16>
  }
  // expected-error @+1 {{yield_partial has 0 values, but the future has 1 partial type}}
  %e = ktdp.inter_tile_produce producer_tiles_per_group = #pair -> <(tensor<64xf16>), groups = #two> {
  }
  // expected-error @+2 {{the future is used 0 times; exactly one op consumes or reduces it}}
  // expected-note @+1 {{remove it, or consume it}}
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #pair -> <(tensor<64xf16>), groups = #two> {
    ktdp.yield_partial %x : tensor<64xf16>
  }
  return
}

// -----

#five = affine_set<(i)[g] : (i - 5 * g >= 0, -i + 5 * g + 4 >= 0)>
#two = affine_set<(g) : (g >= 0, -g + 1 >= 0)>
func.func @tiles_of_the_grid(%x: tensor<64xf16>) attributes {grid = [2, 4]} {
  // expected-error @+2 {{producer_tiles_per_group gives tile 8 for group 1, but the grid has tiles 0 to 7}}
  %a = ktdp.inter_tile_produce
    producer_tiles_per_group = #five -> <(tensor<64xf16>), groups = #two> {
    ktdp.yield_partial %x : tensor<64xf16>
  }
  return
}

// -----

func.func @types(%x: tensor<64xf16>) {
  // expected-error @+2 {{these types are not the partial types of the future}}
  %a = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(i)[g] : (i == 0)>
    : tensor<32xf16> -> <(tensor<64xf16>), groups = affine_set<(g) : (g == 0)>> {
    ktdp.yield_partial %x : tensor<64xf16>
  }
  return
}

// -----

#plane = affine_set<(g, h) : (g == 0, h == 0)>
#free = affine_set<(g)[n] : (g - n == 0)>
#one = affine_set<(g) : (g == 0)>
// expected-error @+1 {{groups must have one dimension and no symbols, but has 2 and 0}}
func.func private @a(!ktdp.tile_future<(tensor<4xf16>), groups = #plane>)
// expected-error @+1 {{groups must have one dimension and no symbols, but has 1 and 1}}
func.func private @b(!ktdp.tile_future<(tensor<4xf16>), groups = #free>)
// expected-error @+1 {{a future holds at least one tensor}}
func.func private @c(!ktdp.tile_future<(), groups = #one>)
// expected-error @+1 {{a future holds ranked tensors, but this one holds memref<4xf16>}}
func.func private @d(!ktdp.tile_future<(memref<4xf16>), groups = #one>)
// expected-error @+1 {{a future holds ranked tensors, but this one holds tensor<*xf16>}}
func.func private @e(!ktdp.tile_future<(tensor<*xf16>), groups = #one>)

// -----

#pair = affine_set<(i)[g] : (i - 2 * g >= 0, -i + 2 * g + 1 >= 0)>
#first = affine_set<(i)[g] : (i - 2 * g == 0)>
#all = affine_set<(i)[g] : (i >= 0, -i + 3 >= 0)>
#stranger = affine_set<(p)[c] : (p - c - 1 == 0)>
#both = affine_set<(p)[c, g] : (p - 2 * g >= 0, -p + 2 * g + 1 >= 0)>
#same = affine_set<(p)[c, g] : (p - 2 * g == 0)>
#lonely = affine_set<(p) : (p == 0)>
#two = affine_set<(g) : (g >= 0, -g + 1 >= 0)>
func.func @consumers(%x: tensor<64xf16>) attributes {grid = [4]} {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #pair -> <(tensor<64xf16>), groups = #two> {
    ktdp.yield_partial %x : tensor<64xf16>
  }
  // expected-error @+3 {{group 0 has 2 producers, but nothing says whose value a consumer gets}}
  // expected-note @+2 {{add producer_dependency_per_consumer}}
  %a = ktdp.inter_tile_consume(%f)
    consumer_tiles_per_group = #pair : <(tensor<64xf16>), groups = #two> -> tensor<64xf16>
  %g = ktdp.inter_tile_produce producer_tiles_per_group = #pair -> <(tensor<64xf16>), groups = #two> {
    ktdp.yield_partial %x : tensor<64xf16>
  }
  // expected-error @+2 {{gives tile 2 for consumer 1 of group 0, whose producers are [0, 1]}}
  %b = ktdp.inter_tile_consume(%g) consumer_tiles_per_group = #pair,
    producer_dependency_per_consumer = #stranger : <(tensor<64xf16>), groups = #two> -> tensor<64xf16>
  %h = ktdp.inter_tile_produce producer_tiles_per_group = #pair -> <(tensor<64xf16>), groups = #two> {
    ktdp.yield_partial %x : tensor<64xf16>
  }
  // expected-error @+2 {{gives 2 producers for consumer 0 of group 0; a consumer gets the value of exactly one}}
  %c = ktdp.inter_tile_consume(%h) consumer_tiles_per_group = #pair,
    producer_dependency_per_consumer = #both : <(tensor<64xf16>), groups = #two> -> tensor<64xf16>
  %k = ktdp.inter_tile_produce producer_tiles_per_group = #pair -> <(tensor<64xf16>), groups = #two> {
    ktdp.yield_partial %x : tensor<64xf16>
  }
  // expected-error @+3 {{producer 1 of group 0 is no dependency of any consumer}}
  // expected-note @+2 {{leave it out of producer_tiles_per_group, or give it a consumer}}
  %d = ktdp.inter_tile_consume(%k) consumer_tiles_per_group = #pair,
    producer_dependency_per_consumer = #same : <(tensor<64xf16>), groups = #two> -> tensor<64xf16>
  %l = ktdp.inter_tile_produce producer_tiles_per_group = #first -> <(tensor<64xf16>), groups = #two> {
    ktdp.yield_partial %x : tensor<64xf16>
  }
  // expected-error @+3 {{consumer_tiles_per_group gives tile 0 for group 0 and for group 1}}
  // expected-error @+3 {{has 1 dimensions and 0 symbols; it needs one dimension, and as symbols the consumer}}
  %e = ktdp.inter_tile_consume(%l)
    consumer_tiles_per_group = #all,
    producer_dependency_per_consumer = #lonely : <(tensor<64xf16>), groups = #two> -> tensor<64xf16>
  return
}

// -----

#pair = affine_set<(i)[g] : (i - 2 * g >= 0, -i + 2 * g + 1 >= 0)>
#two = affine_set<(g) : (g >= 0, -g + 1 >= 0)>
func.func @used_twice(%x: tensor<64xf16>, %z: tensor<64xf16>) attributes {grid = [4]} {
  // expected-error @+2 {{the future is used 2 times; exactly one op consumes or reduces it}}
  // expected-note @+1 {{produce once more for a second consumer}}
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #pair -> <(tensor<64xf16>), groups = #two> {
    ktdp.yield_partial %x : tensor<64xf16>
  }
  %a = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #pair, identity(%z : tensor<64xf16>)
    : <(tensor<64xf16>), groups = #two> -> tensor<64xf16> {
  ^bb0(%p: tensor<64xf16>, %q: tensor<64xf16>):
    ktdp.yield_reduced %p : tensor<64xf16>
  }
  %b = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #pair, identity(%z : tensor<64xf16>)
    : <(tensor<64xf16>), groups = #two> -> tensor<64xf16> {
  ^bb0(%p: tensor<64xf16>, %q: tensor<64xf16>):
    ktdp.yield_reduced %p : tensor<64xf16>
  }
  return
}

// -----

#pair = affine_set<(i)[g] : (i - 2 * g >= 0, -i + 2 * g + 1 >= 0)>
#two = affine_set<(g) : (g >= 0, -g + 1 >= 0)>
func.func @bodies(%x: tensor<1x64xf16>, %y: tensor<64xf16>) attributes {grid = [4]} {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #pair -> <(tensor<1x64xf16>), groups = #two> {
    ktdp.yield_partial %x : tensor<1x64xf16>
  }
  // expected-error @+8 {{value 0 of results is tensor<64xf16>, but partial type 0 of the future is tensor<1x64xf16>}}
  // expected-note @+7 {{tensor.collapse_shape %result [[0, 1]] : tensor<1x64xf16> into tensor<64xf16>}}
  // expected-error @+5 {{value 0 of identity is tensor<64xf16>, but partial type 0 of the future is tensor<1x64xf16>}}
  // expected-note @+4 {{tensor.collapse_shape}}
  // expected-error @+4 {{the body combines two sets of partial values (tensor<1x64xf16>, twice), but its arguments are tensor<64xf16>, tensor<64xf16>}}
  // expected-error @+3 {{value 0 of yield_reduced is tensor<64xf16>, but partial type 0 of the future is tensor<1x64xf16>}}
  // expected-note @+2 {{tensor.collapse_shape}}
  %a = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #pair, identity(%y : tensor<64xf16>)
    : <(tensor<1x64xf16>), groups = #two> -> tensor<64xf16> {
  ^bb0(%p: tensor<64xf16>, %q: tensor<64xf16>):
    ktdp.yield_reduced %p : tensor<64xf16>
  }
  // expected-error @+1 {{ktdp.yield_partial ends the body of ktdp.inter_tile_produce, but stands in test.body}}
  "test.body"() ({ ktdp.yield_partial %x : tensor<1x64xf16> }) : () -> ()
  // expected-error @+1 {{ktdp.yield_reduced ends the body of ktdp.inter_tile_reduce, but stands in func.func}}
  ktdp.yield_reduced %x : tensor<1x64xf16>
}

// -----

#all = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#half = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#one = affine_set<(g) : (g == 0)>
func.func @reduce_to_some(%x: tensor<64xf16>, %z: tensor<64xf16>) attributes {grid = [8]} {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #all -> <(tensor<64xf16>), groups = #one> {
    ktdp.yield_partial %x : tensor<64xf16>
  }
  // expected-warning @+2 {{group 0 has 4 producers and 2 consumers, a subset of them}}
  %a = ktdp.inter_tile_reduce(%f)
    consumer_tiles_per_group = #half, identity(%z : tensor<64xf16>) : <(tensor<64xf16>), groups = #one> -> tensor<64xf16> {
  ^bb0(%p: tensor<64xf16>, %q: tensor<64xf16>):
    ktdp.yield_reduced %p : tensor<64xf16>
  }
  %g = ktdp.inter_tile_produce producer_tiles_per_group = #half -> <(tensor<64xf16>), groups = #one> {
    ktdp.yield_partial %x : tensor<64xf16>
  }
  // expected-warning @+2 {{group 0 has 2 producers and 4 consumers, not all of them producers}}
  %b = ktdp.inter_tile_reduce(%g)
    consumer_tiles_per_group = #all, identity(%z : tensor<64xf16>) : <(tensor<64xf16>), groups = #one> -> tensor<64xf16> {
  ^bb0(%p: tensor<64xf16>, %q: tensor<64xf16>):
    ktdp.yield_reduced %p : tensor<64xf16>
  }
  return
}

// -----

func.func @in_documents_only(%f: index) {
  // expected-error @+1 {{no published dialect has ktdp.inter_tile_gather: it exists in design documents only}}
  %a = ktdp.inter_tile_gather(%f) {gather_dimensions = [0]} : index
  // expected-error @+1 {{no published dialect has ktdp.inter_tile_scatter: it exists in design documents only}}
  %b = ktdp.inter_tile_scatter(%f) : index
  // expected-error @+1 {{no published dialect has ktdp.inter_tile_reduce_scatter: it exists in design documents only}}
  %c = ktdp.inter_tile_reduce_scatter(%f) : index
  // expected-error @+1 {{no published dialect has ktdp.inter_tile_all_to_all: it exists in design documents only}}
  %d = ktdp.inter_tile_all_to_all(%f) : index
  // expected-error @+1 {{no published dialect has ktdp.coreid: it exists in the public interpreter only}}
  %e = ktdp.coreid %f, -1 : index
  // expected-error @+1 {{no published dialect has ktdp.transfer: it exists in the public interpreter only, which has removed it}}
  "ktdp.transfer"(%f) : (index) -> ()
  // expected-error @+1 {{no published dialect has ktdp.reduce: it exists in the public interpreter only, which has removed it}}
  %g = ktdp.reduce %f : index
  return
}

// -----

#all = affine_set<(i)[g] : (i >= 0, -i + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>
func.func @without_identity(%f: !ktdp.tile_future<(tensor<64xf16>), groups = #one>) attributes {grid = [4]} {
  // expected-error @+2 {{identity has 0 values, but the future has 1 partial type}}
  // expected-note @+1 {{write identity(... : tensor<64xf16>): what a group without producers gives}}
  %a = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #all, identity() : <(tensor<64xf16>), groups = #one> -> tensor<64xf16> {
  ^bb0(%p: tensor<64xf16>, %q: tensor<64xf16>):
    ktdp.yield_reduced %p : tensor<64xf16>
  }
  return
}

// -----

#all = affine_set<(i)[g] : (i >= 0, -i + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>
func.func @identity_left_out(%f: !ktdp.tile_future<(tensor<64xf16>), groups = #one>) attributes {grid = [4]} {
  // expected-error @+2 {{expected ',', but found ':'}}
  // expected-note @+1 {{'identity(...)' has to follow: what a group without producers gives}}
  %a = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #all : <(tensor<64xf16>), groups = #one> -> tensor<64xf16> {
  ^bb0(%p: tensor<64xf16>, %q: tensor<64xf16>):
    ktdp.yield_reduced %p : tensor<64xf16>
  }
  return
}
