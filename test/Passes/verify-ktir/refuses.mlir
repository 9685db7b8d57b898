// RUN: spyrec opt %s --verify-ktir --split-input-file --verify-diagnostics

// expected-error@+2 {{grid[1] is 0; a kernel runs at least one tile}}
// expected-error@+1 {{grid[0] is -1; a kernel runs at least one tile}}
func.func @no_tiles() attributes {grid = [-1, 0]} {
  return
}

// -----

// expected-error@+1 {{grid must list at least one integer, such as [32], but is 32 : i64}}
func.func @no_list() attributes {grid = 32 : i64} {
  return
}

// -----

// expected-error@+2 {{the grid has 36 tiles, but device 'spyre' has 32 cores}}
// expected-note@+1 {{let each tile loop over its share of the work}}
func.func @too_many() attributes {grid = [12, 3]} {
  return
}

// -----

func.func @no_grid() {
  // expected-error@+2 {{2 ids are taken, but the kernel has no grid}}
  // expected-note@+1 {{give the function a grid}}
  %i, %j = ktdp.get_compute_tile_id : index, index
  return
}

// -----

// expected-error@+2 {{a kernel returns nothing, but this one returns index}}
// expected-note@+1 {{results leave a kernel through ktdp.store}}
func.func @returns(%x: index) -> index attributes {grid = [1]} {
  return %x : index
}

// -----

// expected-error@+2 {{kernel 'hidden' is private: nobody could launch it}}
// expected-note@+1 {{leave out the word before its name}}
func.func private @hidden() attributes {grid = [1]} {
  return
}

// -----

#large = affine_set<(r, c) : (r >= 0, -r + 16 >= 0, c >= 0, -c + 63 >= 0)>
#fits = affine_set<(r, c) : (r >= 0, -r + 15 >= 0, c >= 0, -c + 63 >= 0)>
#rows = affine_set<(r, c) : (r >= 0, -r + 3 >= 0, c >= 0, -c + 63 >= 0)>
#row = affine_set<(r, c) : (r == 0, c >= 0, -c + 63 >= 0)>
#id = affine_map<(r, c) -> (r, c)>
#twice = affine_map<(r, c) -> (r, r)>
func.func @sets(%x: index) attributes {grid = [1]} {
  %c16 = arith.constant 16 : index
  // expected-error@+1 {{coordinate_set holds the points [0..16, 0..63], but the sizes [16, 64] only allow [0..15, 0..63]}}
  %v = ktdp.construct_memory_view %x, sizes: [16, 64], strides: [64, 1] {coordinate_set = #large, memory_space = #ktdp.memory_space<global>} : memref<16x64xf16>
  // expected-note@+2 {{the view is made here}}
  // expected-note@+1 {{the view is made here}}
  %w = ktdp.construct_memory_view %x, sizes: [16, 64], strides: [64, 1] {coordinate_set = #fits, memory_space = #ktdp.memory_space<global>} : memref<16x64xf16>
  // expected-error@+2 {{access_tile_set has 4 x 64 points, but the tile only 1 x 64}}
  // expected-note@+1 {{the type of the tile must have room for every point of its set}}
  %a = ktdp.construct_access_tile %w[0, 0] {access_tile_set = #rows, access_tile_order = #id} : memref<16x64xf16> -> !ktdp.access_tile<1x64xindex>
  // expected-error@+1 {{access_tile_order must be a permutation of its dimensions, but is (d0, d1) -> (d0, d0)}}
  %b = ktdp.construct_access_tile %w[0, 0] {access_tile_set = #row, access_tile_order = #twice} : memref<16x64xf16> -> !ktdp.access_tile<1x64xindex>
  // expected-error@+1 {{the tile is wholly outside at 16 in dimension 0, but the view runs from 0 to 15 there}}
  %d = ktdp.construct_access_tile %w[%c16, 0] {access_tile_set = #row, access_tile_order = #id} : memref<16x64xf16> -> !ktdp.access_tile<1x64xindex>
  // expected-error@+1 {{the tile starts at -3 in dimension 0, but the view runs from 0 to 15 there}}
  %e = ktdp.construct_access_tile %w[-3, 0] {access_tile_set = #rows, access_tile_order = #id} : memref<16x64xf16> -> !ktdp.access_tile<4x64xindex>
  return
}

// -----

#all = affine_set<(c) : (c >= 0, -c + 63 >= 0)>
#id = affine_map<(c) -> (c)>
func.func @undefined(%x: index) attributes {grid = [1]} {
  // expected-note@+4 {{the tensor is made here, without contents}}
  // expected-note@+3 {{the tensor is made here, without contents}}
  // expected-note@+2 {{the tensor is made here, without contents}}
  // expected-note@+1 {{the tensor is made here, without contents}}
  %e = tensor.empty() : tensor<64xf16>
  // expected-error@+1 {{arith.negf reads a tensor that nobody has written}}
  %a = arith.negf %e : tensor<64xf16>
  // expected-error@+1 {{linalg.add reads a tensor that nobody has written}}
  %b = linalg.add ins(%a, %e : tensor<64xf16>, tensor<64xf16>) outs(%e : tensor<64xf16>) -> tensor<64xf16>
  // expected-error@+1 {{linalg.generic reads a tensor that nobody has written}}
  %d = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%b : tensor<64xf16>) outs(%e : tensor<64xf16>) {
  ^bb0(%y: f16, %o: f16):
    %1 = arith.addf %y, %o : f16
    linalg.yield %1 : f16
  } -> tensor<64xf16>
  %v = ktdp.construct_memory_view %x, sizes: [64], strides: [1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<64xf16>
  %t = ktdp.construct_access_tile %v[0] {access_tile_set = #all, access_tile_order = #id} : memref<64xf16> -> !ktdp.access_tile<64xindex>
  // expected-error@+1 {{ktdp.store reads a tensor that nobody has written}}
  ktdp.store %e, %t : tensor<64xf16>, <64xindex>
  return
}
