// RUN: spyrec opt --verify-diagnostics --split-input-file %s

#four = affine_set<(a, b) : (a >= 0, -a + 3 >= 0, b >= 0, -b + 63 >= 0)>
#wedge = affine_set<(a, b) : (a >= 0, b >= 0, -a - b + 4 >= 0)>
#rows = affine_set<(a, b)[m] : (a >= 0, -a + m - 1 >= 0, b >= 0, -b + 63 >= 0)>
#same = affine_map<(a, b) -> (a, b)>
#swap = affine_map<(a, b) -> (b, a)>
#twice = affine_map<(a, b) -> (a, a)>
#sum = affine_map<(a, b) -> (a + b, b)>
func.func @sets_and_orders(%v: memref<16x64xf16>, %m: index) {
  // expected-error @+3 {{access_tile_set has 4 x 64 points, but the tile only 1 x 64}}
  // expected-note @+2 {{the type of the tile must have room for every point of its set}}
  %a = ktdp.construct_access_tile %v[0, 0]
    {access_tile_order = #same, access_tile_set = #four} : memref<16x64xf16> -> !ktdp.access_tile<1x64xindex>
  // expected-error @+2 {{access_tile_set has 64 x 4 points, but the tile only 4 x 64}}
  %b = ktdp.construct_access_tile %v[0, 0]
    {access_tile_order = #swap, access_tile_set = #four} : memref<16x64xf16> -> !ktdp.access_tile<4x64xindex>
  // expected-error @+2 {{access_tile_set has 5 x 5 points, but the tile only 4 x 8}}
  %c = ktdp.construct_access_tile %v[0, 0]
    {access_tile_order = #same, access_tile_set = #wedge} : memref<16x64xf16> -> !ktdp.access_tile<4x8xindex>
  // expected-error @+2 {{access_tile_set has ? x 64 points, but the tile only ? x 32}}
  %d = ktdp.construct_access_tile %v[0, 0] symbols(%m)
    {access_tile_order = #same, access_tile_set = #rows} : memref<16x64xf16> -> !ktdp.access_tile<?x32xindex>
  // expected-error @+3 {{access_tile_order must be a permutation of its dimensions, but is (d0, d1) -> (d0, d0)}}
  // expected-note @+2 {{each dimension of the tile stands once on the right side}}
  %e = ktdp.construct_access_tile %v[0, 0] {
    access_tile_order = #twice, access_tile_set = #four} : memref<16x64xf16> -> !ktdp.access_tile<4x64xindex>
  // expected-error @+2 {{access_tile_order must be a permutation of its dimensions, but is (d0, d1) -> (d0 + d1, d1)}}
  %f = ktdp.construct_access_tile %v[0, 0] {
    access_tile_order = #sum, access_tile_set = #four} : memref<16x64xf16> -> !ktdp.access_tile<4x64xindex>
  // A smaller set is right: the rest of the tile is 0.
  %g = ktdp.construct_access_tile %v[0, 0]
    {access_tile_order = #same, access_tile_set = #wedge} : memref<16x64xf16> -> !ktdp.access_tile<16x64xindex>
  return
}

// -----

#points = affine_set<(r, c) : (r >= 0, -r + 15 >= 0, c >= 0, -c + 63 >= 0)>
#four = affine_set<(a, b) : (a >= 0, -a + 3 >= 0, b >= 0, -b + 63 >= 0)>
#wedge = affine_set<(r, c) : (r >= 0, c >= 0, -c + 63 >= 0, -r - c + 15 >= 0)>
#same = affine_map<(a, b) -> (a, b)>
func.func @outside(%x: index, %n: index, %far: memref<16x64xf16>) {
  %c16 = arith.constant 16 : index
  // expected-note @+1 {{the view is made here}}
  %v = ktdp.construct_memory_view %x, sizes: [16, 64], strides: [64, 1]
    {coordinate_set = #points, memory_space = #ktdp.memory_space<global>} : memref<16x64xf16>
  // expected-error @+1 {{the tile is wholly outside at 16 in dimension 0, but the view runs from 0 to 15 there}}
  %a = ktdp.construct_access_tile %v[%c16, 0]
    {access_tile_order = #same, access_tile_set = #four} : memref<16x64xf16> -> !ktdp.access_tile<4x64xindex>
  // expected-error @+1 {{the tile starts at -1 in dimension 1, but the view runs from 0 to 63 there}}
  %b = ktdp.construct_access_tile %v[0, -1]
    {access_tile_order = #same, access_tile_set = #four} : memref<16x64xf16> -> !ktdp.access_tile<4x64xindex>
  // expected-note @+1 {{the view is made here}}
  %w = ktdp.construct_memory_view %x, sizes: [16, 64], strides: [64, 1]
    {coordinate_set = #wedge, memory_space = #ktdp.memory_space<global>} : memref<16x64xf16>
  // expected-error @+1 {{the tile at (12, 12) has no point of its view, which is no box}}
  %c = ktdp.construct_access_tile %w[12, 12]
    {access_tile_order = #same, access_tile_set = #four} : memref<16x64xf16> -> !ktdp.access_tile<4x64xindex>
  // expected-error @+2 {{the tile is wholly outside at 16 in dimension 0, but the view runs from 0 to 15 there}}
  // expected-note @-18 {{the view is made here}}
  %d = ktdp.construct_access_tile %far[16, %n]
    {access_tile_order = #same, access_tile_set = #four} : memref<16x64xf16> -> !ktdp.access_tile<4x64xindex>
  // A tile that sticks out is clipped, and only the run knows about %n.
  %e = ktdp.construct_access_tile %v[14, %n]
    {access_tile_order = #same, access_tile_set = #four} : memref<16x64xf16> -> !ktdp.access_tile<4x64xindex>
  return
}

// -----

#low = affine_set<(r) : (r >= 0, -r + 7 >= 0)>
#high = affine_set<(r) : (r - 16 >= 0, -r + 23 >= 0)>
#two = affine_set<(a) : (a >= 0, -a + 1 >= 0)>
#same = affine_map<(a) -> (a)>
func.func @between_two_parts(%x: index) {
  %a = ktdp.construct_memory_view %x, sizes: [8], strides: [1]
    {coordinate_set = #low, memory_space = #ktdp.memory_space<global>} : memref<8xf16>
  %b = ktdp.construct_memory_view %x, sizes: [8], strides: [1]
    {coordinate_set = #high, memory_space = #ktdp.memory_space<global>} : memref<8xf16>
  // expected-warning @+3 {{no part holds (8)}}
  // expected-note @+2 {{the view is made here}}
  // expected-note @+1 {{loading such a point is an error}}
  %v = ktdp.construct_distributed_memory_view (%a, %b : memref<8xf16>, memref<8xf16>) : memref<24xf16>
  // expected-error @+1 {{the tile at (10) has no point of its view, which is no box}}
  %t = ktdp.construct_access_tile %v[10]
    {access_tile_order = #same, access_tile_set = #two} : memref<24xf16> -> !ktdp.access_tile<2xindex>
  return
}

// -----

#points = affine_set<(r) : (r >= 0, -r + 15 >= 0)>
#same = affine_map<(r) -> (r)>
func.func @elements(%x: index, %i: memref<16xi32>, %data: tensor<16xf32>) {
  %v = ktdp.construct_memory_view %x, sizes: [16], strides: [1]
    {coordinate_set = #points, memory_space = #ktdp.memory_space<global>} : memref<16x!spyreop.df16>
  %a = ktdp.construct_access_tile %v[0]
    {access_tile_order = #same, access_tile_set = #points} : memref<16x!spyreop.df16> -> !ktdp.access_tile<16xindex>
  // expected-error @+1 {{the view holds !spyreop.df16, but the tensor holds f16}}
  %l = ktdp.load %a : <16xindex> -> tensor<16xf16>
  %m = ktdp.load %a : <16xindex> -> tensor<16x!spyreop.df16>
  %b = ktdp.construct_indirect_access_tile intermediate_variables(%r) %v[ind(%i[%r])]
    {variables_space_order = #same, variables_space_set = #points}
    : memref<16x!spyreop.df16>, memref<16xi32> -> !ktdp.access_tile<16xindex>
  // expected-error @+1 {{the view holds !spyreop.df16, but the tensor holds f32}}
  ktdp.store %data, %b : tensor<16xf32>, <16xindex>
  return
}

// -----

#points = affine_set<(r) : (r >= 0, -r + 15 >= 0)>
#same = affine_map<(r) -> (r)>
func.func @without_rank(%v: tensor<*xf16>, %i: memref<16xi32>) {
  // expected-error @+1 {{tensor<*xf16> has no rank, so it has no coordinates}}
  %a = ktdp.construct_access_tile %v[0] {access_tile_order = #same, access_tile_set = #points} : tensor<*xf16> -> !ktdp.access_tile<16xindex>
  // expected-error @+3 {{tensor<*xf16> has no rank, so it has no coordinates}}
  %b = ktdp.construct_indirect_access_tile intermediate_variables(%r) %v[ind(%i[%r])]
    {variables_space_order = #same, variables_space_set = #points}
    : tensor<*xf16>, memref<16xi32> -> !ktdp.access_tile<16xindex>
  return
}
