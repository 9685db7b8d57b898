// Every refusal has a place, a reason and a way out.
//
// RUN: spyrec opt %s --legality --split-input-file --verify-diagnostics

func.func @argument(%x: tensor<4x64xf16>) attributes {grid = [1]} {
  // expected-error@-1 {{argument 'x' of type tensor<4x64xf16> is not compiled yet: an argument is an address (index) or a number}}
  // expected-note@-2 {{take the address of a tensor as index, and make a view of it}}
  return
}

// -----

#twice = affine_map<(d0) -> (d0 * 2)>
#id = affine_map<(d0) -> (d0)>
func.func @strided_map() attributes {grid = [1]} {
  %a = tensor.empty() : tensor<8xf16>
  %e = tensor.empty() : tensor<4xf16>
  %w = tensor.empty() : tensor<4x2xf16>
  // expected-error@+2 {{its input map (d0) -> (d0 * 2) does more than pick loops}}
  // expected-note@+1 {{cut what is needed out with tensor.extract_slice}}
  %r = linalg.generic {indexing_maps = [#twice, #id], iterator_types = ["parallel"]} ins(%a : tensor<8xf16>) outs(%e : tensor<4xf16>) {
  ^bb0(%x: f16, %o: f16):
    linalg.yield %x : f16
  } -> tensor<4xf16>
  // expected-error@+2 {{its output map (d0) -> (d0, 1) leaves a part of the output as it was}}
  // expected-note@+1 {{write it with tensor.insert_slice}}
  %s = linalg.generic {indexing_maps = [#id, affine_map<(d0) -> (d0, 1)>], iterator_types = ["parallel"]} ins(%e : tensor<4xf16>) outs(%w : tensor<4x2xf16>) {
  ^bb0(%x: f16, %o: f16):
    linalg.yield %x : f16
  } -> tensor<4x2xf16>
  return
}

// -----

func.func @carried(%n: index, %x: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<8xf16>
  %f = ktdp.construct_memory_view %x, sizes: [4], strides: [1] {coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<4xf16>
  // expected-error@+2 {{scf.for that hands out memref<4xf16> is not compiled yet: only tensors and numbers are carried}}
  // expected-note@+1 {{make it inside, of what is carried}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %f) -> (memref<4xf16>) {
    scf.yield %t : memref<4xf16>
  }
  // expected-error@+2 {{scf.while that hands out tensor<8xf16> is not compiled yet: the condition of a loop hands on integers alone}}
  // expected-note@+1 {{use scf.for, with an scf.if inside}}
  %w = scf.while (%t = %e) : (tensor<8xf16>) -> tensor<8xf16> {
    %go = arith.cmpi slt, %c0, %n : index
    scf.condition(%go) %t : tensor<8xf16>
  } do {
  ^bb0(%t: tensor<8xf16>):
    scf.yield %t : tensor<8xf16>
  }
  // expected-error@+2 {{scf.execute_region is not compiled yet: control flow must be structured}}
  // expected-note@+1 {{use scf.for and scf.if}}
  scf.execute_region {
    cf.br ^next
  ^next:
    scf.yield
  }
  // expected-error@+2 {{tensor.extract_slice is not compiled yet: strides of a slice are constants, and not below 0}}
  // expected-note@+1 {{cut slices of constant extents and steps}}
  %s = tensor.extract_slice %e[0] [4] [%n] : tensor<8xf16> to tensor<4xf16>
  return
}

// -----

func.func @scalars(%f: f32, %wide: i128) attributes {grid = [1]} {
  // expected-error@-1 {{argument 'wide' of type i128 is not compiled yet}}
  // expected-note@-2 {{take the address}}
  %double = arith.extf %f : f32 to f64
  // expected-error@-1 {{a scalar of type f64 is not compiled here: the vector unit has no lanes for f64}}
  // expected-note@-2 {{cast it to a type that the vector unit has}}
  %e = tensor.empty() : tensor<8xf64>
  // expected-error@-1 {{tensor<8xf64> is not compiled yet: the vector unit has no lanes for f64}}
  // expected-note@-2 {{convert it on the host}}
  // A type is refused once: what follows has it from there.
  %again = tensor.empty() : tensor<4xf64>
  // expected-error@+2 {{arith.constant is not compiled yet: more than 64 of its numbers differ from the most frequent one}}
  // expected-note@+1 {{pass the table as an argument and load it}}
  %t = arith.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0, 20.0, 21.0, 22.0, 23.0, 24.0, 25.0, 26.0, 27.0, 28.0, 29.0, 30.0, 31.0, 32.0, 33.0, 34.0, 35.0, 36.0, 37.0, 38.0, 39.0, 40.0, 41.0, 42.0, 43.0, 44.0, 45.0, 46.0, 47.0, 48.0, 49.0, 50.0, 51.0, 52.0, 53.0, 54.0, 55.0, 56.0, 57.0, 58.0, 59.0, 60.0, 61.0, 62.0, 63.0, 64.0, 65.0]> : tensor<66xf16>
  %u = arith.negf %t : tensor<66xf16>
  %p = tensor.empty() : tensor<4x1xindex>
  // expected-error@-1 {{tensor<4x1xindex> is not compiled yet: the vector unit has no lanes for index}}
  // expected-note@-2 {{convert it on the host}}
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
func.func @body(%x: index) attributes {grid = [1]} {
  %e = tensor.empty() : tensor<8xi32>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e : tensor<8xi32>) {
  ^bb0(%o: i32):
    %i = linalg.index 0 : index
    // expected-error@+2 {{tensor.extract in the body of linalg.generic is not compiled yet: every lane would read an element of its own}}
    // expected-note@+1 {{load the elements through an indirect access tile}}
    %j = tensor.extract %e[%i] : tensor<8xi32>
    linalg.yield %j : i32
  } -> tensor<8xi32>
  %g = tensor.generate {
  ^bb0(%i: index):
    // expected-error@+2 {{tensor.extract in the body of tensor.generate is not compiled yet: every lane would read}}
    // expected-note@+1 {{load the elements through an indirect access tile}}
    %j = tensor.extract %e[%i] : tensor<8xi32>
    tensor.yield %j : i32
  } : tensor<8xi32>
  %p = tensor.splat %x : tensor<8x1xindex>
  // expected-error@-1 {{tensor<8x1xindex> is not compiled yet: the vector unit has no lanes for index}}
  // expected-note@-2 {{convert it on the host}}
  // expected-error@+2 {{tensor.dim is not compiled yet: which dimension it asks for is not known here}}
  // expected-note@+1 {{use a constant}}
  %d = tensor.dim %e, %x : tensor<8xi32>
  return
}

// -----

#all = affine_set<(r, c)[s] : (r >= 0, -r + s - 1 >= 0, c >= 0, -c + 63 >= 0)>
#fixed = affine_set<(r, c) : (r >= 0, -r + 15 >= 0, c >= 0, -c + 63 >= 0)>
#id = affine_map<(r, c) -> (r, c)>
func.func @views(%x: index, %n: index, %if: i1) attributes {grid = [1]} {
  %y = ktdp.construct_memory_view %x, sizes: [16, 64], strides: [64, 1] {coordinate_set = #fixed, memory_space = #ktdp.memory_space<global>} : memref<16x64xf16>
  %z = ktdp.construct_memory_view %x, sizes: [16, 64], strides: [64, 1] {coordinate_set = #fixed, memory_space = #ktdp.memory_space<global>} : memref<16x64xf16>
  // expected-error@+2 {{a tile whose extents only the run knows is not compiled: its buffer in LX has a fixed size}}
  // expected-note@+1 {{use a tile of the largest extents; its set may say, with symbols, how many of its points there are}}
  %d = ktdp.construct_access_tile %z[0, 0] symbols(%n) {access_tile_set = #all, access_tile_order = #id} : memref<16x64xf16> -> !ktdp.access_tile<?x64xindex>
  // expected-error@+2 {{memref<16x64xf16> is not compiled yet: values are tensors}}
  // expected-note@+1 {{use a tensor}}
  %v = arith.select %if, %y, %z : memref<16x64xf16>
  // expected-error@+2 {{a tile of the result of arith.select is not compiled: where it lies is not known here}}
  // expected-note@+1 {{make tiles of the result of ktdp.construct_memory_view}}
  %e = ktdp.construct_access_tile %v[0, 0] {access_tile_set = #fixed, access_tile_order = #id} : memref<16x64xf16> -> !ktdp.access_tile<16x64xindex>
  return
}

// -----

// expected-error@+2 {{func.func is not compiled yet: it is declared only}}
// expected-note@+1 {{define it in this file}}
func.func private @elsewhere(index)

func.func @calls(%x: index) attributes {grid = [1]} {
  // expected-error@+2 {{func.call is not compiled yet: the call could not be inlined}}
  // expected-note@+1 {{define the callee in this file}}
  func.call @elsewhere(%x) : (index) -> ()
  return
}

// -----

#all = affine_set<(c) : (c >= 0, -c + 63 >= 0)>
#id = affine_map<(c) -> (c)>
func.func @picked_tile(%x: index, %y: index, %if: i1, %wide: i64) attributes {grid = [1]} {
  %v = ktdp.construct_memory_view %x, sizes: [64], strides: [1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<64xf16>
  %w = ktdp.construct_memory_view %y, sizes: [64], strides: [1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<64xf16>
  %a = ktdp.construct_access_tile %v[0] {access_tile_set = #all, access_tile_order = #id} : memref<64xf16> -> !ktdp.access_tile<64xindex>
  %b = ktdp.construct_access_tile %w[0] {access_tile_set = #all, access_tile_order = #id} : memref<64xf16> -> !ktdp.access_tile<64xindex>
  // expected-error@+2 {{arith.select is not compiled yet: a unit has registers of 64 bits, and none for !ktdp.access_tile}}
  // expected-note@+1 {{compute with i64 or index}}
  %t = arith.select %if, %a, %b : !ktdp.access_tile<64xindex>
  // expected-error@+2 {{ktdp.load is not compiled: its tile is handed on by something else}}
  // expected-note@+1 {{use ktdp.construct_access_tile at the access}}
  %l = ktdp.load %t : <64xindex> -> tensor<64xf16>
  // expected-error@+2 {{arith.extsi is not compiled yet: a unit has registers of 64 bits, and none for i128}}
  // expected-note@+1 {{compute with i64 or index}}
  %e = arith.extsi %wide : i64 to i128
  return
}
