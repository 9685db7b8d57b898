// What a stage should no longer have is named together with the pass that should have removed it.
//
// RUN: spyrec opt %s --verify-kernel --split-input-file --verify-diagnostics

// expected-error@+2 {{grid must be one number at stage kernel; normalize-grid should have seen to it}}
// expected-error@+1 {{there is no dataflow.signature; resolve-views should have written it}}
func.func @grid() attributes {grid = [8, 4]} {
  // expected-error@+1 {{ktdp.get_compute_tile_id is still here at stage kernel; normalize-grid should have removed it}}
  %t = ktdp.get_compute_tile_id : index
  return
}

// -----

#all = affine_set<(c) : (c >= 0, -c + 63 >= 0)>
func.func @leftovers(%x: index, %s: f16) attributes {grid = [1], dataflow.signature = []} {
  // expected-error@+1 {{ktdp.construct_memory_view is still here at stage kernel; resolve-views should have removed it}}
  %v = ktdp.construct_memory_view %x, sizes: [64], strides: [1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<64xf16>
  // expected-error@+1 {{tensor.splat is still here at stage kernel; scalars-to-tensors should have removed it}}
  %a = tensor.splat %s : tensor<64xf16>
  // expected-error@+1 {{arith.negf is still here at stage kernel; convert-elementwise-to-linalg should have removed it}}
  %b = arith.negf %a : tensor<64xf16>
  // expected-error@+1 {{linalg.add is still here at stage kernel; linalg-generalize-named-ops should have removed it}}
  %c = linalg.add ins(%a, %b : tensor<64xf16>, tensor<64xf16>) outs(%a : tensor<64xf16>) -> tensor<64xf16>
  // expected-error@+1 {{arith.constant is still here at stage kernel; scalars-to-tensors should have removed it}}
  %d = arith.constant dense<1.0> : tensor<64xf16>
  // expected-error@+1 {{arith.mulf is still here at stage kernel; float-scalars-to-tensors should have removed it}}
  %f = arith.mulf %s, %s : f16
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{tensor.extract is still here at stage kernel; float-scalars-to-tensors should have removed it}}
  %g = tensor.extract %c[%c0] : tensor<64xf16>
  // expected-error@+1 {{tensor.concat is still here at stage kernel; lower-tensor-ops should have removed it}}
  %h = tensor.concat dim(0) %c, %c : (tensor<64xf16>, tensor<64xf16>) -> tensor<128xf16>
  // expected-error@+1 {{linalg.softmax is still here at stage kernel; decompose-softmax should have removed it}}
  %i = linalg.softmax dimension(0) ins(%c : tensor<64xf16>) outs(%c : tensor<64xf16>) -> tensor<64xf16>
  // expected-error@+1 {{scf.execute_region is still here at stage kernel; normalize-control should have removed it}}
  scf.execute_region {
    scf.yield
  }
  return
}

// -----

#one = affine_set<(g) : (g == 0)>
#id = affine_map<(c) -> (c)>
#none = affine_map<(c) -> ()>
func.func @generics(%s: f16, %n: index) attributes {grid = [1], dataflow.signature = []} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<64xf16>
  // expected-error@+1 {{linalg.generic has inputs that are no tensors; capture-scalars should have taken them into the body}}
  %a = linalg.generic {indexing_maps = [#none, #id], iterator_types = ["parallel"]} ins(%s : f16) outs(%e : tensor<64xf16>) {
  ^bb0(%x: f16, %o: f16):
    linalg.yield %x : f16
  } -> tensor<64xf16>
  %f = tensor.empty() : tensor<f16>
  %g = tensor.empty() : tensor<32xf16>
  // expected-error@+1 {{linalg.generic reduces by no known combiner; reductions-to-loops should have removed it}}
  %b = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]} ins(%a : tensor<64xf16>) outs(%f : tensor<f16>) {
  ^bb0(%x: f16, %o: f16):
    %0 = arith.subf %x, %o : f16
    linalg.yield %0 : f16
  } -> tensor<f16>
  // expected-error@+1 {{linalg.generic combines a term with the old value; normalize-reductions should have turned it}}
  %c = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]} ins(%a : tensor<64xf16>) outs(%f : tensor<f16>) {
  ^bb0(%x: f16, %o: f16):
    %0 = arith.maximumf %x, %o : f16
    linalg.yield %0 : f16
  } -> tensor<f16>
  // expected-error@+1 {{linalg.generic is not walked in strides: its input map (d0) -> (d0 * 2) does more than pick loops}}
  %d = linalg.generic {indexing_maps = [affine_map<(c) -> (c * 2)>, #id], iterator_types = ["parallel"]} ins(%a : tensor<64xf16>) outs(%g : tensor<32xf16>) {
  ^bb0(%x: f16, %o: f16):
    linalg.yield %x : f16
  } -> tensor<32xf16>
  // expected-error@+1 {{scf.for hands out f16 at stage kernel; float-scalars-to-tensors should have seen to it}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %s) -> (f16) {
    scf.yield %t : f16
  }
  // expected-error@+1 {{ktdp.inter_tile_produce is still here at stage kernel; resolve-exchange should have removed it}}
  %p = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(i)[g] : (i == 0)> -> <(tensor<64xf16>), groups = #one> {
    ktdp.yield_partial %a : tensor<64xf16>
  }
  // expected-error@+1 {{ktdp.inter_tile_consume is still here at stage kernel; resolve-exchange should have removed it}}
  %q = ktdp.inter_tile_consume(%p) consumer_tiles_per_group = affine_set<(i)[g] : (i == 0)> : <(tensor<64xf16>), groups = #one> -> tensor<64xf16>
  return
}

// -----

// expected-error@+1 {{a declaration is still here at stage kernel; legality should have refused it}}
func.func private @away()
