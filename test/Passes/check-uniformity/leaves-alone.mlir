// Control flow that a whole group takes alike, whatever other groups do.
//
// RUN: spyrec opt %s --check-uniformity | filecheck %s

#all = affine_set<(i)[g] : (i >= 0, -i + 7 >= 0)>
#quad = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>
#two = affine_set<(g) : (g >= 0, -g + 1 >= 0)>

// CHECK-LABEL: func.func @conditions
// CHECK-COUNT-4: ktdp.inter_tile_reduce
func.func @conditions(%x: tensor<64xf32>, %n: index, %p: index) attributes {grid = [8]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %t = dataflow.tile_id
  %group = affine.apply affine_map<(t) -> (t floordiv 4)>(%t)
  %second = arith.cmpi eq, %group, %c1 : index
  scf.if %second {
    %f = ktdp.inter_tile_produce producer_tiles_per_group = #quad -> <(tensor<64xf32>), groups = #two> {
    ^bb0(%g: index):
      ktdp.yield_partial %x : tensor<64xf32>
    }
    %o = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #quad, identity(%x : tensor<64xf32>) : <(tensor<64xf32>), groups = #two> -> tensor<64xf32> {
    ^bb0(%a: tensor<64xf32>, %b: tensor<64xf32>):
      %s = arith.addf %a, %b : tensor<64xf32>
      ktdp.yield_reduced %s : tensor<64xf32>
    }
  }
  // An argument, a counter, and what a loop has summed up from them.
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %group) -> (index) {
    %w = arith.muli %v, %i : index
    %even = arith.cmpi slt, %w, %n : index
    scf.if %even {
      %f = ktdp.inter_tile_produce producer_tiles_per_group = #quad -> <(tensor<64xf32>), groups = #two> {
      ^bb0(%g: index):
        ktdp.yield_partial %x : tensor<64xf32>
      }
      %o = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #quad, identity(%x : tensor<64xf32>) : <(tensor<64xf32>), groups = #two> -> tensor<64xf32> {
      ^bb0(%a: tensor<64xf32>, %b: tensor<64xf32>):
        %s = arith.addf %a, %b : tensor<64xf32>
        ktdp.yield_reduced %s : tensor<64xf32>
      }
    }
    scf.yield %w : index
  }
  %some = arith.cmpi sgt, %r, %c4 : index
  scf.if %some {
    %f = ktdp.inter_tile_produce producer_tiles_per_group = #quad -> <(tensor<64xf32>), groups = #two> {
    ^bb0(%g: index):
      ktdp.yield_partial %x : tensor<64xf32>
    }
    %o = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #quad, identity(%x : tensor<64xf32>) : <(tensor<64xf32>), groups = #two> -> tensor<64xf32> {
    ^bb0(%a: tensor<64xf32>, %b: tensor<64xf32>):
      %s = arith.addf %a, %b : tensor<64xf32>
      ktdp.yield_reduced %s : tensor<64xf32>
    }
  }
  // What lies at an address that all tiles of a group share.
  %m = dataflow.read @device[%group from %p] strides [1] : tensor<1xi32>
  %e = tensor.extract %m[%c0] : tensor<1xi32>
  %k = arith.index_cast %e : i32 to index
  scf.for %i = %c0 to %k step %c1 {
    %f = ktdp.inter_tile_produce producer_tiles_per_group = #quad -> <(tensor<64xf32>), groups = #two> {
    ^bb0(%g: index):
      ktdp.yield_partial %x : tensor<64xf32>
    }
    %o = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #quad, identity(%x : tensor<64xf32>) : <(tensor<64xf32>), groups = #two> -> tensor<64xf32> {
    ^bb0(%a: tensor<64xf32>, %b: tensor<64xf32>):
      %s = arith.addf %a, %b : tensor<64xf32>
      ktdp.yield_reduced %s : tensor<64xf32>
    }
  }
  return
}
