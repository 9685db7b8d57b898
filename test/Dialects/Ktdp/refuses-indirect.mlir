// RUN: spyrec opt --verify-diagnostics --split-input-file %s

#space = affine_set<(a, b) : (a >= 0, -a + 7 >= 0, b >= 0, -b + 63 >= 0)>
#same = affine_map<(a, b) -> (a, b)>
func.func @bare_subscripts(%v: memref<64x64xf16>, %i: memref<8xi32>) {
  // expected-error @+3 {{a subscript that is a coordinate stands in parentheses, one that an index view holds in ind(...)}}
  // expected-note @+2 {{write (%c)}}
  %a = ktdp.construct_indirect_access_tile intermediate_variables(%r, %c)
    %v[ind(%i[%r]), %c] {variables_space_order = #same, variables_space_set = #space}
    : memref<64x64xf16>, memref<8xi32> -> !ktdp.access_tile<8x64xindex>
  return
}

// -----

func.func @habits(%v: memref<64x64xf16>, %i: memref<8xi32>) {
  // expected-error @+3 {{a subscript that is a coordinate stands in parentheses}}
  // expected-note @+2 {{write ((%r + 1) floordiv 8 mod 4)}}
  %a = ktdp.construct_indirect_access_tile intermediate_variables(%r, %c)
    %v[(%r + 1) / 8 % 4, (%c)]
  return
}

// -----

func.func @remainder_next_to_a_number(%v: memref<64x64xf16>, %i: memref<8xi32>) {
  // expected-error @+3 {{expected an operator, ',' or ']' in the subscript, but found '%64'}}
  // expected-note @+2 {{write mod 64}}
  %a = ktdp.construct_indirect_access_tile intermediate_variables(%r, %c)
    %v[ind(%i[%r %64]), (%c)]
  return
}

// -----

func.func @division(%v: memref<64x64xf16>, %i: memref<8xi32>) {
  // expected-error @+3 {{expected an operator, ',' or ']' in the subscript, but found '/'}}
  // expected-note @+2 {{write floordiv}}
  %a = ktdp.construct_indirect_access_tile intermediate_variables(%r, %c)
    %v[ind(%i[%r]), (%c / 2)]
  return
}

// -----

func.func @names(%v: memref<64x64xf16>, %i: memref<8xi32>, %n: index) {
  // expected-error @+2 {{%r is named twice}}
  %a = ktdp.construct_indirect_access_tile
    intermediate_variables(%r, %r) %v[ind(%i[%r]), (%r)]
  // expected-error @+3 {{expected an index view such as %view, but found 'pages'}}
  // expected-note @+2 {{write ind(%pages[...])}}
  %b = ktdp.construct_indirect_access_tile
    intermediate_variables(%r, %c) %v[pages[%r], (%c)]
  // expected-error @+2 {{a subscript of an indirect tile takes no symbol: write the value itself}}
  %c = ktdp.construct_indirect_access_tile
    intermediate_variables(%r, %s) %v[ind(%i[symbol(%n)]), (%s)]
  // expected-error @+3 {{expected the end of the subscript, but found '+'}}
  // expected-note @+2 {{what an index view holds is the coordinate itself: it cannot be computed with}}
  %d = ktdp.construct_indirect_access_tile
    intermediate_variables(%r, %s) %v[ind(%i[%r] + 1), (%s)]
  // expected-error @+2 {{expected '[' of the subscripts of %i, but found ')'}}
  %e = ktdp.construct_indirect_access_tile
    intermediate_variables(%r, %s) %v[ind(%i), (%s)]
  // expected-error @+2 {{expected a subscript, but found ']'}}
  %f = ktdp.construct_indirect_access_tile
    intermediate_variables(%r, %s) %v[ind(%i[%r]), ]
  // expected-error @+2 {{expected ',' or ']' after the subscript, but found '+'}}
  %g = ktdp.construct_indirect_access_tile
    intermediate_variables(%r, %s) %v[ind(%i[%r]) + 1, (%s)]
  return
}

// -----

#space = affine_set<(a, b) : (a >= 0, -a + 7 >= 0, b >= 0, -b + 63 >= 0)>
#line = affine_set<(a) : (a >= 0, -a + 7 >= 0)>
#rows = affine_set<(a, b)[m] : (a >= 0, -a + m - 1 >= 0, b >= 0, -b + 63 >= 0)>
#same = affine_map<(a, b) -> (a, b)>
#swap = affine_map<(a, b) -> (b, a)>
#twice = affine_map<(a, b) -> (b, b)>
#one = affine_map<(a) -> (a)>
func.func @numbers(%v: memref<64x64xf16>, %i: memref<8xi32>, %j: memref<4x8xi32>, %h: memref<8xf16>, %m: index) {
  // expected-error @+2 {{variables_space_set has 1 dimensions; 2 are needed}}
  %a = ktdp.construct_indirect_access_tile intermediate_variables(%r, %c) %v[ind(%i[%r]), (%c)]
    {variables_space_order = #same, variables_space_set = #line}
    : memref<64x64xf16>, memref<8xi32> -> !ktdp.access_tile<8x64xindex>
  // expected-error @+3 {{variables_space_order must map 2 dimensions to 2, but is (d0) -> (d0)}}
  %b = ktdp.construct_indirect_access_tile intermediate_variables(%r, %c) %v[ind(%i[%r]), (%c)] {
    variables_space_set = #space,
    variables_space_order = #one} : memref<64x64xf16>, memref<8xi32> -> !ktdp.access_tile<8x64xindex>
  // expected-error @+4 {{variables_space_order must be a permutation of its dimensions, but is (d0, d1) -> (d1, d1)}}
  // expected-note @+3 {{each dimension of the set stands once on the right side}}
  %d = ktdp.construct_indirect_access_tile intermediate_variables(%r, %c) %v[ind(%i[%r]), (%c)] {
    variables_space_set = #space,
    variables_space_order = #twice} : memref<64x64xf16>, memref<8xi32> -> !ktdp.access_tile<8x64xindex>
  // expected-error @+3 {{variables_space_set has 64 x 8 points, but the tile only 8 x 64}}
  // expected-note @+2 {{the type of the tile must have room for every point of its set}}
  %e = ktdp.construct_indirect_access_tile intermediate_variables(%r, %c) %v[ind(%i[%r]), (%c)]
    {variables_space_order = #swap, variables_space_set = #space}
    : memref<64x64xf16>, memref<8xi32> -> !ktdp.access_tile<8x64xindex>
  // expected-error @+2 {{variables_space_set has 1 symbols, but there are 0 symbol operands}}
  %f = ktdp.construct_indirect_access_tile intermediate_variables(%r, %c) %v[ind(%i[%r]), (%c)]
    {variables_space_order = #same, variables_space_set = #rows}
    : memref<64x64xf16>, memref<8xi32> -> !ktdp.access_tile<?x64xindex>
  // expected-error @+3 {{the tile has 1 dimensions, but there are 2 intermediate variables}}
  %g = ktdp.construct_indirect_access_tile intermediate_variables(%r, %c) %v[ind(%i[%r]), (%c)]
    {variables_space_order = #same, variables_space_set = #space}
    : memref<64x64xf16>, memref<8xi32> -> !ktdp.access_tile<8xindex>
  // expected-error @+1 {{there are 1 subscripts, but memref<64x64xf16> has 2 dimensions}}
  %k = ktdp.construct_indirect_access_tile intermediate_variables(%r, %c) %v[ind(%i[%r])]
    {variables_space_order = #same, variables_space_set = #space}
    : memref<64x64xf16>, memref<8xi32> -> !ktdp.access_tile<8x64xindex>
  // expected-error @+1 {{there are 1 subscripts, but memref<4x8xi32> has 2 dimensions}}
  %l = ktdp.construct_indirect_access_tile intermediate_variables(%r, %c) %v[ind(%j[%r]), (%c)]
    {variables_space_order = #same, variables_space_set = #space}
    : memref<64x64xf16>, memref<4x8xi32> -> !ktdp.access_tile<8x64xindex>
  // expected-error @+3 {{an index view holds integers, but memref<8xf16> holds f16}}
  %n = ktdp.construct_indirect_access_tile intermediate_variables(%r, %c) %v[ind(%h[%r]), (%c)]
    {variables_space_order = #same, variables_space_set = #space}
    : memref<64x64xf16>, memref<8xf16> -> !ktdp.access_tile<8x64xindex>
  return
}

// -----

#space = affine_set<(a, b) : (a >= 0, -a + 7 >= 0, b >= 0, -b + 63 >= 0)>
#same = affine_map<(a, b) -> (a, b)>
func.func @outside(%v: memref<64x64xf16>, %i: memref<8xi32>, %n: index) { // expected-note {{the view is made here}}
  %c64 = arith.constant 64 : index
  // expected-error @+1 {{subscript 1 runs from 64 to 127, but the view from 0 to 63 there}}
  %a = ktdp.construct_indirect_access_tile intermediate_variables(%r, %c) %v[ind(%i[%r]), (%c + %c64)]
    {variables_space_order = #same, variables_space_set = #space}
    : memref<64x64xf16>, memref<8xi32> -> !ktdp.access_tile<8x64xindex>
  %b = ktdp.construct_indirect_access_tile intermediate_variables(%r, %c) %v[ind(%i[%r]), (%c + %n)]
    {variables_space_order = #same, variables_space_set = #space}
    : memref<64x64xf16>, memref<8xi32> -> !ktdp.access_tile<8x64xindex>
  %d = ktdp.construct_indirect_access_tile intermediate_variables(%r, %c) %v[ind(%i[%r]), (%c + 63)]
    {variables_space_order = #same, variables_space_set = #space}
    : memref<64x64xf16>, memref<8xi32> -> !ktdp.access_tile<8x64xindex>
  return
}

// -----

func.func @types(%v: memref<64x64xf16>, %i: memref<8xi32>) {
  // expected-error @+2 {{indirect_memrefs has 1 values, but 2 types}}
  %o = ktdp.construct_indirect_access_tile intermediate_variables(%r, %c) %v[ind(%i[%r]), (%c)]
    : memref<64x64xf16>, memref<8xi32>, memref<8xi32> -> !ktdp.access_tile<8x64xindex>
  return
}

// -----

#space = affine_set<(a) : (a >= 0, -a + 7 >= 0)>
#same = affine_map<(a) -> (a)>
func.func @generic_form(%v: memref<64xf16>, %j: memref<64xi32>) {
  // expected-error @+1 {{1 subscripts are indirect, but there are 0 index views}}
  %a = "ktdp.construct_indirect_access_tile"(%v) ({
  ^bb0(%p: index):
    "ktdp.region_terminator"() : () -> ()
  }) {per_dim_subscript_kinds = [true], operandSegmentSizes = array<i32: 1, 0, 0, 0>,
    per_dim_subscript_maps = [affine_map<(d0) -> (d0)>],
    variables_space_order = #same, variables_space_set = #space} : (memref<64xf16>) -> !ktdp.access_tile<8xindex>
  // expected-error @+5 {{subscript 0 takes 2 values, but there are 0 captured and 1 intermediate variables}}
  %b = "ktdp.construct_indirect_access_tile"(%v) ({
  ^bb0(%p: index):
    "ktdp.region_terminator"() : () -> ()
  }) {per_dim_subscript_kinds = [false], operandSegmentSizes = array<i32: 1, 0, 0, 0>,
    per_dim_subscript_maps = [affine_map<(d0, d1) -> (d0)>],
    variables_space_order = #same, variables_space_set = #space} : (memref<64xf16>) -> !ktdp.access_tile<8xindex>
  // expected-error @+5 {{subscript 0 is direct, but has 2 results}}
  %c = "ktdp.construct_indirect_access_tile"(%v) ({
  ^bb0(%p: index):
    "ktdp.region_terminator"() : () -> ()
  }) {per_dim_subscript_kinds = [false], operandSegmentSizes = array<i32: 1, 0, 0, 0>,
    per_dim_subscript_maps = [affine_map<(d0) -> (d0, d0)>],
    variables_space_order = #same, variables_space_set = #space} : (memref<64xf16>) -> !ktdp.access_tile<8xindex>
  // expected-error @+5 {{there are 2 kinds, but 1 maps}}
  %d = "ktdp.construct_indirect_access_tile"(%v) ({
  ^bb0(%p: index):
    "ktdp.region_terminator"() : () -> ()
  }) {per_dim_subscript_kinds = [false, false], operandSegmentSizes = array<i32: 1, 0, 0, 0>,
    per_dim_subscript_maps = [affine_map<(d0) -> (d0)>],
    variables_space_order = #same, variables_space_set = #space} : (memref<64xf16>) -> !ktdp.access_tile<8xindex>
  // expected-error @+1 {{intermediate variables must be index}}
  %e = "ktdp.construct_indirect_access_tile"(%v) ({
  ^bb0(%p: i32):
    "ktdp.region_terminator"() : () -> ()
  }) {per_dim_subscript_kinds = [false], operandSegmentSizes = array<i32: 1, 0, 0, 0>,
    per_dim_subscript_maps = [affine_map<(d0) -> (d0)>],
    variables_space_order = #same, variables_space_set = #space} : (memref<64xf16>) -> !ktdp.access_tile<8xindex>
  return
}

// -----

func.func @terminator() {
  // expected-error @+1 {{ktdp.region_terminator ends the body of ktdp.construct_indirect_access_tile, but stands in func.func}}
  ktdp.region_terminator
}
