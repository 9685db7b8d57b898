// RUN: spyrec opt --verify-roundtrip %s | filecheck %s

// Subscripts with and without ind, captured values, names that shadow, symbols, rank 0; the newest spelling is printed.

#square = affine_set<(a, b) : (a >= 0, -a + 7 >= 0, b >= 0, -b + 63 >= 0)>
#rows = affine_set<(a, b)[m] : (a >= 0, -a + m - 1 >= 0, b >= 0, -b + 63 >= 0)>
#same = affine_map<(a, b) -> (a, b)>
#swap = affine_map<(a, b) -> (b, a)>

// CHECK-LABEL: func.func @gathers
func.func @gathers(%v: memref<512x64xf16>, %i: memref<4x8xi32>, %j: memref<64xsi32>, %s: index, %m: index) {
  // CHECK: ktdp.construct_indirect_access_tile intermediate_variables(%p, %c) %v[ind(%i[%s, %p]), (%c)] {
  // CHECK-SAME: variables_space_order = #{{.*}}, variables_space_set = #{{.*}}}
  // CHECK-SAME: : memref<512x64xf16>, memref<4x8xi32> -> !ktdp.access_tile<8x64xindex>
  %t1 = ktdp.construct_indirect_access_tile intermediate_variables(%p, %c) %v[ind(%i[%s, %p]), (%c)]
    {variables_space_set = #square, variables_space_order = #same}
    : memref<512x64xf16>, memref<4x8xi32> -> !ktdp.access_tile<8x64xindex>
  // CHECK: ktdp.load %t1 : <8x64xindex> -> tensor<8x64xf16>
  %l = ktdp.load %t1 : !ktdp.access_tile<8x64xindex> -> tensor<8x64xf16>

  // An index view needs no ind around it.
  // CHECK: intermediate_variables(%p, %c) %v[ind(%i[%s, %p]), (%c)]
  %t2 = ktdp.construct_indirect_access_tile intermediate_variables(%p, %c) %v[%i[%s, %p], (%c)]
    {variables_space_set = #square, variables_space_order = #same}
    : memref<512x64xf16>, memref<4x8xi32> -> !ktdp.access_tile<8x64xindex>

  // A variable may have the name of a value outside: the view is %v, the second subscript the variable %v.
  // CHECK: intermediate_variables(%s_0, %v_1) %v[ind(%i[%m, %s_0]), (%v_1)]
  %t3 = ktdp.construct_indirect_access_tile intermediate_variables(%s, %v) %v[ind(%i[%m, %s]), (%v)]
    {variables_space_set = #square, variables_space_order = #same}
    : memref<512x64xf16>, memref<4x8xi32> -> !ktdp.access_tile<8x64xindex>

  // Two index views; expressions of variables and captured values; the order transposes the tile.
  // CHECK: %v[ind(%i[%m, %p mod 8]), ind(%j[%c floordiv 2 + %s + %p + 3])]
  // CHECK-SAME: memref<512x64xf16>, memref<4x8xi32>, memref<64xsi32> -> !ktdp.access_tile<64x8xindex>
  %t4 = ktdp.construct_indirect_access_tile intermediate_variables(%p, %c)
      %v[ind(%i[%m, (%p mod 8)]), ind(%j[%c floordiv 2 + %s + 3 + %p])]
    {variables_space_set = #square, variables_space_order = #swap}
    : memref<512x64xf16>, memref<4x8xi32>, memref<64xsi32> -> !ktdp.access_tile<64x8xindex>

  // CHECK: %v[(%p), ind(%j[%c])] symbols(%m) {
  // CHECK-SAME: -> !ktdp.access_tile<?x64xindex>
  %t5 = ktdp.construct_indirect_access_tile intermediate_variables(%p, %c) %v[(%p), ind(%j[%c])] symbols(%m)
    {variables_space_set = #rows, variables_space_order = #same}
    : memref<512x64xf16>, memref<64xsi32> -> !ktdp.access_tile<?x64xindex>

  // CHECK: intermediate_variables() %v[ind(%j[%s]), (%s)]
  // CHECK-SAME: -> !ktdp.access_tile<index>
  %t6 = ktdp.construct_indirect_access_tile intermediate_variables() %v[ind(%j[%s]), (%s)]
    {variables_space_set = affine_set<() : ()>, variables_space_order = affine_map<() -> ()>}
    : memref<512x64xf16>, memref<64xsi32> -> !ktdp.access_tile<index>
  return
}

// The generic form has the region, the kinds and the maps, and segments as the public dialects count them.
// CHECK-LABEL: func.func @generic
func.func @generic(%v: memref<512x64xf16>, %j: memref<64xi32>, %s: index) {
  // CHECK: intermediate_variables(%p, %c) %v[ind(%j[%s + %p]), (%c)]
  %t = "ktdp.construct_indirect_access_tile"(%v, %j, %s) <{
    per_dim_subscript_kinds = [true, false], operandSegmentSizes = array<i32: 1, 1, 1, 0>,
    per_dim_subscript_maps = [affine_map<(d0, d1, d2) -> (d0 + d1)>, affine_map<(d0, d1, d2) -> (d2)>],
    variables_space_order = #same, variables_space_set = #square}> ({
  ^bb0(%p: index, %c: index):
    "ktdp.region_terminator"() : () -> ()
  }) : (memref<512x64xf16>, memref<64xi32>, index) -> !ktdp.access_tile<8x64xindex>
  return
}
