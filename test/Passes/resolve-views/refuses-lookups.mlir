// RUN: spyrec opt %s --resolve-views --split-input-file --verify-diagnostics

#all = affine_set<(r, c) : (r >= 0, -r + 95 >= 0, c >= 0, -c + 63 >= 0)>
#four = affine_set<(r, c) : (r >= 0, -r + 3 >= 0, c >= 0, -c + 63 >= 0)>
#list = affine_set<(r) : (r >= 0, -r + 3 >= 0)>
#id = affine_map<(r, c) -> (r, c)>
func.func @stride(%x: index, %l: index, %s: index, %z: index) attributes {grid = [1]} {
  %v = ktdp.construct_memory_view %x, sizes: [96, 64], strides: [%s, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  %n = ktdp.construct_memory_view %l, sizes: [4], strides: [1] {coordinate_set = #list, memory_space = #ktdp.memory_space<global>} : memref<4xi32>
  // expected-error@+2 {{dimension 0 of the view is looked up, and only the run knows its stride}}
  // expected-note@+1 {{make a view with a constant stride there}}
  %t = ktdp.construct_indirect_access_tile intermediate_variables(%r, %c) %v[ind(%n[%r]), (%c)] {variables_space_set = #four, variables_space_order = #id} : memref<96x64xf16>, memref<4xi32> -> !ktdp.access_tile<4x64xindex>
  %a = ktdp.load %t : <4x64xindex> -> tensor<4x64xf16>
  return
}

// -----

#triangle = affine_set<(r, c) : (r >= 0, -r + 63 >= 0, c >= 0, -c + 63 >= 0, r - c >= 0)>
#four = affine_set<(r, c) : (r >= 0, -r + 3 >= 0, c >= 0, -c + 63 >= 0)>
#list = affine_set<(r) : (r >= 0, -r + 3 >= 0)>
#id = affine_map<(r, c) -> (r, c)>
func.func @triangle(%x: index, %l: index) attributes {grid = [1]} {
  %v = ktdp.construct_memory_view %x, sizes: [64, 64], strides: [64, 1] {coordinate_set = #triangle, memory_space = #ktdp.memory_space<global>} : memref<64x64xf16>
  %n = ktdp.construct_memory_view %l, sizes: [4], strides: [1] {coordinate_set = #list, memory_space = #ktdp.memory_space<global>} : memref<4xi32>
  // expected-error@+2 {{a coordinate is looked up in a view whose coordinate_set is no box}}
  // expected-note@+1 {{make a view whose set is a box}}
  %t = ktdp.construct_indirect_access_tile intermediate_variables(%r, %c) %v[ind(%n[%r]), (%c)] {variables_space_set = #four, variables_space_order = #id} : memref<64x64xf16>, memref<4xi32> -> !ktdp.access_tile<4x64xindex>
  %a = ktdp.load %t : <4x64xindex> -> tensor<4x64xf16>
  return
}

// -----

#all = affine_set<(r, c) : (r >= 0, -r + 95 >= 0, c >= 0, -c + 63 >= 0)>
#four = affine_set<(r, c) : (r >= 0, -r + 3 >= 0, c >= 0, -c + 63 >= 0)>
#id = affine_map<(r, c) -> (r, c)>
func.func @nowhere(%x: index, %n: memref<4xi32>) attributes {grid = [1]} {
  %v = ktdp.construct_memory_view %x, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  // expected-error@+2 {{where the index view lies is not known here}}
  // expected-note@+1 {{use the result of ktdp.construct_memory_view}}
  %t = ktdp.construct_indirect_access_tile intermediate_variables(%r, %c) %v[ind(%n[%r]), (%c)] {variables_space_set = #four, variables_space_order = #id} : memref<96x64xf16>, memref<4xi32> -> !ktdp.access_tile<4x64xindex>
  %a = ktdp.load %t : <4x64xindex> -> tensor<4x64xf16>
  return
}

// -----

#squared = affine_set<(r, c)[s] : (r >= 0, -r * s + 8 >= 0, c >= 0, -c + 63 >= 0)>
#four = affine_set<(r, c) : (r >= 0, -r + 3 >= 0, c >= 0, -c + 63 >= 0)>
#id = affine_map<(r, c) -> (r, c)>
func.func @squared(%x: index, %s: index) attributes {grid = [1]} {
  // expected-error@+2 {{coordinate_set is not compiled: }}
  // expected-note@+1 {{give every dimension bounds of its own}}
  %v = ktdp.construct_memory_view %x, sizes: [%s, 64], strides: [64, 1] {coordinate_set = #squared, memory_space = #ktdp.memory_space<global>} : memref<?x64xf16>
  %t = ktdp.construct_access_tile %v[0, 0] {access_tile_set = #four, access_tile_order = #id} : memref<?x64xf16> -> !ktdp.access_tile<4x64xindex>
  %a = ktdp.load %t : <4x64xindex> -> tensor<4x64xf16>
  return
}

// -----

#all = affine_set<(r, c) : (r >= 0, -r + 95 >= 0, c >= 0, -c + 63 >= 0)>
#four = affine_set<(r, c) : (r >= 0, -r + 3 >= 0, c >= 0, -c + 63 >= 0)>
#id = affine_map<(r, c) -> (r, c)>
func.func @divided(%x: index, %i: index, %n: index) attributes {grid = [1]} {
  %v = ktdp.construct_memory_view %x, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  // expected-error@+2 {{subscript 0 is not compiled: it divides by a number that varies}}
  // expected-note@+1 {{compute it with arith, and name the result}}
  %t = ktdp.construct_access_tile %v[%i floordiv symbol(%n), 0] {access_tile_set = #four, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<4x64xindex>
  %a = ktdp.load %t : <4x64xindex> -> tensor<4x64xf16>
  return
}

// -----

#all = affine_set<(r, c) : (r >= 0, -r + 95 >= 0, c >= 0, -c + 63 >= 0)>
#four = affine_set<(r, c) : (r >= 0, -r + 3 >= 0, c >= 0, -c + 63 >= 0)>
#id = affine_map<(r, c) -> (r, c)>
func.func @anywhere(%n: i64) attributes {grid = [1]} {
  %x = arith.index_cast %n : i64 to index
  // expected-remark@+2 {{nothing bounds where the view starts: it is computed from numbers that only the run knows}}
  // expected-note@+1 {{whether it lies inside of its array is checked when it runs}}
  %v = ktdp.construct_memory_view %x, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  %t = ktdp.construct_access_tile %v[0, 0] {access_tile_set = #four, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<4x64xindex>
  %a = ktdp.load %t : <4x64xindex> -> tensor<4x64xf16>
  return
}
