// RUN: spyrec opt %s --resolve-views --split-input-file --verify-diagnostics

#all = affine_set<(r, c) : (r >= 0, -r + 95 >= 0, c >= 0, -c + 63 >= 0)>
#four = affine_set<(r, c) : (r >= 0, -r + 3 >= 0, c >= 0, -c + 63 >= 0)>
#id = affine_map<(r, c) -> (r, c)>
func.func @sticks_out(%x: index) attributes {grid = [32]} {
  %t = dataflow.tile_id
  // expected-note@+1 {{the view is made here}}
  %v = ktdp.construct_memory_view %x, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  // expected-error@+2 {{the tile may take 0..96 in dimension 0, but the view only has 0..95}}
  // expected-note@+1 {{bound the subscript by a loop or an scf.if}}
  %a = ktdp.construct_access_tile %v[%t * 3, 0] {access_tile_set = #four, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<4x64xindex>
  %b = ktdp.load %a : <4x64xindex> -> tensor<4x64xf16>
  return
}

// -----

#all = affine_set<(r, c) : (r >= 0, -r + 95 >= 0, c >= 0, -c + 63 >= 0)>
#row = affine_set<(r, c) : (r == 0, c >= 0, -c + 63 >= 0)>
#id = affine_map<(r, c) -> (r, c)>
func.func @outside(%x: index) attributes {grid = [32]} {
  %t = dataflow.tile_id
  // expected-note@+1 {{the view is made here}}
  %v = ktdp.construct_memory_view %x, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  // expected-error@+2 {{the tile takes 96..127 in dimension 0, and the view only has 0..95}}
  // expected-note@+1 {{bound the subscript}}
  %a = ktdp.construct_access_tile %v[%t + 96, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
  %b = ktdp.load %a : <1x64xindex> -> tensor<1x64xf16>
  return
}

// -----

// Rows of 64 that begin 60 apart meet the next row, rows of 32 in the same view do not; loads may meet themselves.
#all = affine_set<(r, c) : (r >= 0, -r + 3 >= 0, c >= 0, -c + 63 >= 0)>
#half = affine_set<(r, c) : (r >= 0, -r + 3 >= 0, c >= 0, -c + 31 >= 0)>
#id = affine_map<(r, c) -> (r, c)>
func.func @meets_itself(%x: index) attributes {grid = [1]} {
  // expected-note@+1 {{the view is made here}}
  %v = ktdp.construct_memory_view %x, sizes: [4, 64], strides: [60, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<4x64xf16>
  %a = ktdp.construct_access_tile %v[0, 0] {access_tile_set = #all, access_tile_order = #id} : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
  %b = ktdp.load %a : <4x64xindex> -> tensor<4x64xf16>
  // expected-error@+2 {{the box (4, 64) with strides [60, 1] has several elements in one place}}
  // expected-note@+1 {{store the elements that last}}
  ktdp.store %b, %a : tensor<4x64xf16>, <4x64xindex>
  %h = ktdp.construct_access_tile %v[0, 0] {access_tile_set = #half, access_tile_order = #id} : memref<4x64xf16> -> !ktdp.access_tile<4x32xindex>
  %c = ktdp.load %h : <4x32xindex> -> tensor<4x32xf16>
  ktdp.store %c, %h : tensor<4x32xf16>, <4x32xindex>
  return
}

// -----

#all = affine_set<(r, c) : (r >= 0, -r + 95 >= 0, c >= 0, -c + 63 >= 0)>
#row = affine_set<(r, c) : (r == 0, c >= 0, -c + 63 >= 0)>
#id = affine_map<(r, c) -> (r, c)>
func.func @scaled(%x: index) attributes {grid = [32]} {
  %c2 = arith.constant 2 : index
  %p = arith.muli %x, %c2 : index
  // expected-error@+2 {{the address computes with argument 'x' instead of adding to it}}
  // expected-note@+1 {{an address is one argument of type index, plus a number of elements}}
  %v = ktdp.construct_memory_view %p, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  %a = ktdp.construct_access_tile %v[0, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
  %b = ktdp.load %a : <1x64xindex> -> tensor<1x64xf16>
  return
}

// -----

#all = affine_set<(r, c) : (r >= 0, -r + 95 >= 0, c >= 0, -c + 63 >= 0)>
#row = affine_set<(r, c) : (r == 0, c >= 0, -c + 63 >= 0)>
#id = affine_map<(r, c) -> (r, c)>
func.func @two_addresses(%x: index, %y: index) attributes {grid = [32]} {
  %p = arith.addi %x, %y : index
  // expected-error@+2 {{the address adds the arguments 'x' and 'y', and only one of them can hold it}}
  // expected-note@+1 {{an address is one argument}}
  %v = ktdp.construct_memory_view %p, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  %a = ktdp.construct_access_tile %v[0, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
  %b = ktdp.load %a : <1x64xindex> -> tensor<1x64xf16>
  return
}

// -----

#all = affine_set<(r, c) : (r >= 0, -r + 95 >= 0, c >= 0, -c + 63 >= 0)>
#row = affine_set<(r, c) : (r == 0, c >= 0, -c + 63 >= 0)>
#id = affine_map<(r, c) -> (r, c)>
func.func @address_and_number(%x: index) attributes {grid = [32]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = ktdp.construct_memory_view %x, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  // expected-error@+2 {{argument 'x' is computed with here, and is the address of a view elsewhere}}
  // expected-note@+1 {{take an address and a number as two arguments}}
  scf.for %i = %c0 to %x step %c1 {
    %a = ktdp.construct_access_tile %v[0, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
    %b = ktdp.load %a : <1x64xindex> -> tensor<1x64xf16>
  }
  return
}

// -----

#all = affine_set<(r, c) : (r >= 0, -r + 95 >= 0, c >= 0, -c + 63 >= 0)>
#row = affine_set<(r, c) : (r == 0, c >= 0, -c + 63 >= 0)>
#id = affine_map<(r, c) -> (r, c)>
func.func @beyond_memory() attributes {grid = [1]} {
  %p = arith.constant 60129542143 : index
  // expected-error@+2 {{the view takes bytes 120259084286 to 120259096573 of device memory, but tensors have 0 to 120259084287}}
  // expected-note@+1 {{addresses count elements, of 2 bytes here}}
  %v = ktdp.construct_memory_view %p, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  %a = ktdp.construct_access_tile %v[0, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
  %b = ktdp.load %a : <1x64xindex> -> tensor<1x64xf16>
  return
}

// -----

#all = affine_set<(r, c) : (r >= 0, -r + 2 >= 0, c >= 0, -c + 63 >= 0)>
#id = affine_map<(r, c) -> (r, c)>
func.func @too_far_apart(%x: index) attributes {grid = [1]} {
  %v = ktdp.construct_memory_view %x, sizes: [3, 64], strides: [67108864, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<3x64xf16>
  %a = ktdp.construct_access_tile %v[0, 0] {access_tile_set = #all, access_tile_order = #id} : memref<3x64xf16> -> !ktdp.access_tile<3x64xindex>
  // expected-error@+2 {{one access spans 268435584 bytes of device memory, and a core reaches 268431360 at once}}
  // expected-note@+1 {{load it in pieces}}
  %b = ktdp.load %a : <3x64xindex> -> tensor<3x64xf16>
  return
}

// -----

#all = affine_set<(a, b, c, d, e) : (a >= 0, -a + 1 >= 0, b >= 0, -b + 1 >= 0, c >= 0, -c + 1 >= 0, d >= 0, -d + 1 >= 0, e >= 0, -e + 1 >= 0)>
#id = affine_map<(a, b, c, d, e) -> (a, b, c, d, e)>
func.func @too_deep(%x: index) attributes {grid = [1]} {
  %v = ktdp.construct_memory_view %x, sizes: [2, 2, 2, 2, 2], strides: [81, 27, 9, 3, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<2x2x2x2x2xf16>
  %a = ktdp.construct_access_tile %v[0, 0, 0, 0, 0] {access_tile_set = #all, access_tile_order = #id} : memref<2x2x2x2x2xf16> -> !ktdp.access_tile<2x2x2x2x2xindex>
  // expected-error@+2 {{needs 5 nested counts, and a transfer has 4}}
  // expected-note@+1 {{load it in pieces}}
  %b = ktdp.load %a : <2x2x2x2x2xindex> -> tensor<2x2x2x2x2xf16>
  return
}
