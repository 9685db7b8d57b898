// A tile that may start past the end of its view is likely to be a mistake, unless something around it may keep it out.
//
// RUN: spyrec opt %s --resolve-views --verify-diagnostics -o /dev/null

#all = affine_set<(c) : (c >= 0, -c + 99 >= 0)>
#half = affine_set<(c) : (c >= 0, -c + 31 >= 0)>
#id = affine_map<(c) -> (c)>

// The last one starts at 96 and sticks out.
func.func @sticks_out(%x: index) attributes {grid = [4]} {
  %t = dataflow.tile_id
  // expected-note@+1 {{the view is made here}}
  %v = ktdp.construct_memory_view %x, sizes: [100], strides: [1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<100xf16>
  // expected-remark@+1 {{the tile may take 0..127 in dimension 0, and the view only has 0..99: it is clipped}}
  %a = ktdp.construct_access_tile %v[%t * 32] {access_tile_set = #half, access_tile_order = #id} : memref<100xf16> -> !ktdp.access_tile<32xindex>
  %b = ktdp.load %a : <32xindex> -> tensor<32xf16>
  ktdp.store %b, %a : tensor<32xf16>, <32xindex>
  return
}

func.func @spare_tile(%x: index) attributes {grid = [5]} {
  %t = dataflow.tile_id
  // expected-note@+1 {{the view is made here}}
  %v = ktdp.construct_memory_view %x, sizes: [100], strides: [1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<100xf16>
  // expected-warning@+1 {{the tile starts at up to 128 in dimension 0, and the view only has 0..99: it may have no point}}
  %a = ktdp.construct_access_tile %v[%t * 32] {access_tile_set = #half, access_tile_order = #id} : memref<100xf16> -> !ktdp.access_tile<32xindex>
  %b = ktdp.load %a : <32xindex> -> tensor<32xf16>
  ktdp.store %b, %a : tensor<32xf16>, <32xindex>
  return
}

func.func @kept_out(%x: index, %n: index) attributes {grid = [5]} {
  %t = dataflow.tile_id
  // expected-note@+1 {{the view is made here}}
  %v = ktdp.construct_memory_view %x, sizes: [100], strides: [1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<100xf16>
  %is = arith.cmpi slt, %t, %n : index
  scf.if %is {
    // expected-remark@+1 {{the tile may take 0..159 in dimension 0, and the view only has 0..99: it is clipped}}
    %a = ktdp.construct_access_tile %v[%t * 32] {access_tile_set = #half, access_tile_order = #id} : memref<100xf16> -> !ktdp.access_tile<32xindex>
    %b = ktdp.load %a : <32xindex> -> tensor<32xf16>
    ktdp.store %b, %a : tensor<32xf16>, <32xindex>
  }
  return
}

// How far only the run knows.
func.func @anywhere(%x: index, %n: index) attributes {grid = [1]} {
  // expected-note@+1 {{the view is made here}}
  %v = ktdp.construct_memory_view %x, sizes: [100], strides: [1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<100xf16>
  // expected-remark@+1 {{the tile may lie anywhere in dimension 0, and the view only has 0..99: it is clipped}}
  %a = ktdp.construct_access_tile %v[%n] {access_tile_set = #half, access_tile_order = #id} : memref<100xf16> -> !ktdp.access_tile<32xindex>
  %b = ktdp.load %a : <32xindex> -> tensor<32xf16>
  ktdp.store %b, %a : tensor<32xf16>, <32xindex>
  return
}
