// RUN: spyrec opt --verify-diagnostics --split-input-file --allow-unregistered-dialect %s

#points = affine_set<(r, c) : (r >= 0, -r + 15 >= 0, c >= 0, -c + 63 >= 0)>
func.func @size_against_type(%x: index) {
  %v = ktdp.construct_memory_view %x, sizes: [
    16,
    // expected-error @+1 {{sizes[1] is 64, but dimension 1 of memref<16x32xf16> is 32}}
    64
  ], strides: [64, 1] {coordinate_set = #points, memory_space = #ktdp.memory_space<global>} : memref<16x32xf16>
  return
}

// -----

#points = affine_set<(r, c) : (r >= 0, -r + 15 >= 0, c >= 0, -c + 63 >= 0)>
func.func @a_near_name(%x: index) {
  %v = ktdp.construct_memory_view %x, sizes: [16, 64], strides: [64, 1] {
    coordinate_set = #points, memory_space = #ktdp.memory_space<global>,
    // expected-error @+2 {{ktdp.construct_memory_view has no attribute memory_spce}}
    // expected-note @+1 {{did you mean memory_space?}}
    memory_spce = 1
  } : memref<16x64xf16>
  return
}

// -----

#points = affine_set<(r, c) : (r >= 0, -r + 15 >= 0, c >= 0, -c + 63 >= 0)>
func.func @a_missing_attribute(%x: index) {
  // expected-error @+2 {{ktdp.construct_memory_view needs the attribute memory_space}}
  // expected-note @+1 {{the memory}}
  %v = ktdp.construct_memory_view %x, sizes: [16, 64], strides: [64, 1] {coordinate_set = #points} : memref<16x64xf16>
  return
}

// -----

func.func @all_of_them(%t: !ktdp.access_tile<4x64xindex>) {
  // expected-error @+2 {{the tile has shape 4x64, but the tensor is tensor<64xf16>}}
  // expected-note @+1 {{they must be equal}}
  %a = ktdp.load %t : <4x64xindex> -> tensor<64xf16>
  // expected-error @+1 {{type of data_tile must be a ranked tensor, but is tensor<*xf16>}}
  %b = "test.data"() : () -> tensor<*xf16>  ktdp.store %b, %t : tensor<*xf16>, <4x64xindex>
  return
}

// -----

func.func @index_of_a_shared_memory(%x: index) {
  %v = ktdp.construct_memory_view %x, sizes: [], strides: [] {
    coordinate_set = affine_set<() : (0 == 0)>,
    // expected-error @+1 {{ct_id belongs to ct_local, but the memory is global}}
    memory_space = #ktdp.memory_space<global, ct_id = 3>
  } : memref<f32>
  return
}

// -----

func.func @elements_of_a_tile() {
  // expected-error @+1 {{an access tile is a shape of index, such as <4x64xindex>, but this one is <4xf32>}}
  %t = "test.tile"() : () -> !ktdp.access_tile<4xf32>
  return
}

// -----

func.func @ids_and_grid() attributes {grid = [4, 2]} {
  // expected-error @+2 {{3 ids are taken, but the grid [4, 2] has 2 dimensions}}
  // expected-note @+1 {{take one id, or one per dimension}}
  %i:3 = ktdp.get_compute_tile_id : index, index, index
  return
}
