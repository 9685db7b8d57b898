// RUN: spyrec opt %s --split-input-file --verify-diagnostics --resolve-exchange

#all = affine_set<(i)[g] : (i >= 0, -i + 7 >= 0)>
#quad = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>
#two = affine_set<(g) : (g >= 0, -g + 1 >= 0)>

func.func @handed_on(%x: tensor<64xf32>, %k: index) attributes {grid = [8]} {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #quad -> <(tensor<64xf32>), groups = #two> {
  ^bb0(%g: index):
    ktdp.yield_partial %x : tensor<64xf32>
  }
  %h = scf.for %i = %k to %k step %k iter_args(%j = %f) -> (!ktdp.tile_future<(tensor<64xf32>), groups = #two>) {
    scf.yield %j : !ktdp.tile_future<(tensor<64xf32>), groups = #two>
  }
  // expected-error @+2 {{ktdp.inter_tile_reduce is not compiled: its future is handed on by control flow, and who produced it is not known here}}
  // expected-note @+1 {{produce and consume in one function, with sets that have bounds}}
  %n = ktdp.inter_tile_reduce(%h) consumer_tiles_per_group = #quad, identity(%x : tensor<64xf32>) : <(tensor<64xf32>), groups = #two> -> tensor<64xf32> {
  ^bb0(%a: tensor<64xf32>, %b: tensor<64xf32>):
    %s = arith.addf %a, %b : tensor<64xf32>
    ktdp.yield_reduced %s : tensor<64xf32>
  }
  return
}
