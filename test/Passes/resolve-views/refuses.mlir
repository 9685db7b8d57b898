// RUN: spyrec opt %s --resolve-views --split-input-file --verify-diagnostics

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

#all = affine_set<(r, c) : (r >= 0, -r + 95 >= 0, c >= 0, -c + 63 >= 0)>
#four = affine_set<(r, c) : (r >= 0, -r + 3 >= 0, c >= 0, -c + 63 >= 0)>
#below = affine_set<(r, c)[s] : (r >= 0, -r + 3 >= 0, c >= 0, -c + 63 >= 0, c - r + s >= 0)>
#id = affine_map<(r, c) -> (r, c)>
func.func @clipped(%x: index, %n: index, %if: i1) attributes {grid = [32]} {
  %t = dataflow.tile_id
  // expected-note@+4 {{the view is made here}}
  // expected-note@+3 {{the view is made here}}
  // expected-note@+2 {{the view is made here}}
  // expected-note@+1 {{the view is made here}}
  %v = ktdp.construct_memory_view %x, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  // expected-remark@+2 {{the tile may take 0..96 in dimension 0, and the view only has 0..95: it is clipped}}
  // expected-note@+1 {{bound the subscript by a loop or an scf.if}}
  %a = ktdp.construct_access_tile %v[%t * 3, 0] {access_tile_set = #four, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<4x64xindex>
  %b = ktdp.load %a : <4x64xindex> -> tensor<4x64xf16>
  // expected-remark@+2 {{the tile may lie anywhere in dimension 0, and the view only has 0..95: it is clipped}}
  // expected-note@+1 {{bound the subscript by a loop or an scf.if}}
  %c = ktdp.construct_access_tile %v[%n, 0] {access_tile_set = #four, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<4x64xindex>
  ktdp.store %b, %c : tensor<4x64xf16>, <4x64xindex>
  // expected-warning@+2 {{the tile takes 94..97 in dimension 0, and the view only has 0..95}}
  // expected-note@+1 {{points outside are 0, and are not stored}}
  %d = ktdp.construct_access_tile %v[94, 0] {access_tile_set = #four, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<4x64xindex>
  ktdp.store %b, %d : tensor<4x64xf16>, <4x64xindex>
  scf.if %if {
  // expected-error@+2 {{the tile starts at -1 in dimension 0, below all coordinates}}
  // expected-note@+1 {{bound the subscript}}
  %e = ktdp.construct_access_tile %v[-1, 0] {access_tile_set = #four, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<4x64xindex>
  ktdp.store %b, %e : tensor<4x64xf16>, <4x64xindex>
  }
  // expected-error@+2 {{access_tile_set is not compiled: s0 may be negative, so that it is not known where its lowest points are}}
  // expected-note@+1 {{give every dimension bounds of its own}}
  %f = ktdp.construct_access_tile %v[0, 0] symbols(%n) {access_tile_set = #below, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<4x64xindex>
  ktdp.store %b, %f : tensor<4x64xf16>, <4x64xindex>
  return
}

// -----

#low = affine_set<(r) : (r >= 0, -r + 3 >= 0)>
#high = affine_set<(r) : (r - 3 >= 0, -r + 4 >= 0)>
#two = affine_set<(r) : (r >= 0, -r + 1 >= 0)>
#id = affine_map<(r) -> (r)>
func.func @parts(%x: index, %y: index, %i: index) attributes {grid = [1]} {
  %a = ktdp.construct_memory_view %x, sizes: [4], strides: [1] {coordinate_set = #low, memory_space = #ktdp.memory_space<global>} : memref<4xf16>
  // expected-note@+1 {{made here}}
  %b = ktdp.construct_memory_view %y, sizes: [2], strides: [1] {coordinate_set = #high, memory_space = #ktdp.memory_space<global>} : memref<2xf16>
  %l = ktdp.construct_memory_view %i, sizes: [2], strides: [1] {coordinate_set = #two, memory_space = #ktdp.memory_space<global>} : memref<2xi32>
  // expected-warning@+6 {{hold}}
  // expected-note@+5 {{a load takes the first part that holds}}
  // expected-warning@+4 {{no part holds}}
  // expected-note@+3 {{loading such a point is an error}}
  // expected-note@+2 {{the view is made here}}
  // expected-note@+1 {{the view is made here}}
  %v = ktdp.construct_distributed_memory_view (%a, %b : memref<4xf16>, memref<2xf16>) : memref<6xf16>
  // expected-error@+2 {{the tile has the point [5], which belongs to no part of the view}}
  // expected-note@+1 {{give it a part, or make the tile smaller}}
  %t = ktdp.construct_access_tile %v[4] {access_tile_set = #two, access_tile_order = #id} : memref<6xf16> -> !ktdp.access_tile<2xindex>
  %d = ktdp.load %t : <2xindex> -> tensor<2xf16>
  // expected-error@+2 {{the tile stores to [3..3], which belongs to several parts of the view}}
  // expected-note@+1 {{store to a view of one part}}
  %e = ktdp.construct_access_tile %v[2] {access_tile_set = #two, access_tile_order = #id} : memref<6xf16> -> !ktdp.access_tile<2xindex>
  ktdp.store %d, %e : tensor<2xf16>, <2xindex>
  // expected-error@+2 {{coordinates of dimension 0 are looked up, and a part of the view has 3..4 there}}
  // expected-note@+1 {{look up coordinates in a dimension that all parts have as a whole, from 0 on}}
  %f = ktdp.construct_indirect_access_tile intermediate_variables(%r) %v[ind(%l[%r])]
    {variables_space_set = #two, variables_space_order = #id} : memref<6xf16>, memref<2xi32> -> !ktdp.access_tile<2xindex>
  %g = ktdp.load %f : <2xindex> -> tensor<2xf16>
  return
}

// -----

#some = affine_set<(r, c) : (r >= 0, -r + 31 >= 0, c >= 0, -c + 63 >= 0)>
#line = affine_set<(r) : (r >= 0, -r + 31 >= 0)>
#id = affine_map<(r, c) -> (r, c)>
func.func @divided(%x: index, %i: index, %n: index) attributes {grid = [1]} {
  %v = ktdp.construct_memory_view %x, sizes: [32, 64], strides: [64, 1] {coordinate_set = #some, memory_space = #ktdp.memory_space<global>} : memref<32x64xf16>
  %l = ktdp.construct_memory_view %i, sizes: [32], strides: [1] {coordinate_set = #line, memory_space = #ktdp.memory_space<global>} : memref<32xi32>
  // expected-error@+2 {{it divides a sum in which no variable runs in step with the divisor}}
  // expected-note@+1 {{start at a multiple of the divisor, or use two variables}}
  %a = ktdp.construct_indirect_access_tile intermediate_variables(%r, %c) %v[ind(%l[(%r + %n) floordiv 16]), (%c)]
    {variables_space_set = #some, variables_space_order = #id} : memref<32x64xf16>, memref<32xi32> -> !ktdp.access_tile<32x64xindex>
  %b = ktdp.load %a : <32x64xindex> -> tensor<32x64xf16>
  return
}

// -----

#big = affine_set<(r, c) : (r >= 0, -r + 16383 >= 0, c >= 0, -c + 63 >= 0)>
#row = affine_set<(r, c) : (r == 0, c >= 0, -c + 63 >= 0)>
#id = affine_map<(r, c) -> (r, c)>
func.func @scratchpad() attributes {grid = [1]} {
  %at = arith.constant 64 : index
  // expected-error@+2 {{the view takes bytes 128 to 2097279 of LX, which has 2097152}}
  // expected-note@+1 {{keep a smaller piece there, or use device memory}}
  %v = ktdp.construct_memory_view %at, sizes: [16384, 64], strides: [64, 1] {coordinate_set = #big, memory_space = #ktdp.memory_space<ct_local>} : memref<16384x64xf16>
  %a = ktdp.construct_access_tile %v[0, 0] {access_tile_set = #row, access_tile_order = #id} : memref<16384x64xf16> -> !ktdp.access_tile<1x64xindex>
  %b = ktdp.load %a : <1x64xindex> -> tensor<1x64xf16>
  return
}
