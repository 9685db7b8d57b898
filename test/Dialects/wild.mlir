// RUN: spyrec opt --verify-diagnostics --split-input-file %s

// What people write that is no valid KTIR: each gets a message that says what to write.

func.func @comparison(%x: f16) -> i1 {
  // expected-error @+2 {{'lhs' must be signless-non-zero-bitwidth-integer-like, but got 'f16'}}
  // expected-note @+1 {{arith.cmpi compares integers; floating-point numbers take arith.cmpf}}
  %c = arith.cmpi slt, %x, %x : f16
  return %c : i1
}

// -----

// expected-note @+1 {{prior use here}}
func.func @select(%c: tensor<4xi1>, %x: tensor<4xf16>) -> tensor<4xf16> {
  // expected-error @+2 {{'%c' expects different type than prior uses: 'i1' vs 'tensor<4xi1>'}}
  // expected-note @+1 {{a condition that is a tensor is stated too: arith.select %c, %x, %y : tensor<4xi1>, tensor<4xf16>}}
  %r = arith.select %c, %x, %x : tensor<4xf16>
  return %r : tensor<4xf16>
}

// -----

func.func @expand(%x: tensor<128xf16>) -> tensor<1x128xf16> {
  // expected-error @+2 {{expected 'output_shape'}}
  // expected-note @+1 {{state the sizes of the result: tensor.expand_shape %x [[0, 1]] output_shape [1, 128]}}
  %r = tensor.expand_shape %x [[0, 1]] : tensor<128xf16> into tensor<1x128xf16>
  return %r : tensor<1x128xf16>
}

// -----

func.func @infinity() {
  // expected-error @+2 {{expected constant integer or floating point value}}
  // expected-note @+1 {{an infinity is written by its bits: -inf is 0xFC00 : f16}}
  %m = arith.constant -inf : f16
  return
}

// -----

func.func @forgotten_yield(%n: index, %x: tensor<4xf16>) {
  // expected-error @+2 {{scf.yield hands on 0 values, but scf.for carries 1}}
  // expected-note @+1 {{end each of its regions with scf.yield}}
  %r = scf.for %i = %n to %n step %n iter_args(%s = %x) -> tensor<4xf16> {
    %t = arith.addf %s, %s : tensor<4xf16>
  }
  return
}

// -----

func.func @other_yield(%n: index, %x: tensor<4xf16>) {
  // expected-error @+1 {{value 0 that scf.yield hands on has type 'tensor<4xf32>', but scf.for carries 'tensor<4xf16>'}}
  %r = scf.for %i = %n to %n step %n iter_args(%s = %x) -> tensor<4xf16> {
    %t = arith.extf %s : tensor<4xf16> to tensor<4xf32>
    // expected-note @+1 {{handed on here}}
    scf.yield %t : tensor<4xf32>
  }
  return
}

// -----

func.func @transposed(%a: tensor<4x8xf16>, %b: tensor<16x8xf16>, %o: tensor<4x16xf32>) -> tensor<4x16xf32> {
  // expected-error @+2 {{there is no op linalg.matmul_transpose_b}}
  // expected-note @+1 {{write linalg.matmul with indexing_maps whose second map is transposed}}
  %r = linalg.matmul_transpose_b ins(%a, %b : tensor<4x8xf16>, tensor<16x8xf16>) outs(%o : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// -----

// As the design document has it: an index view without its sign, bare subscripts, / and %.
func.func @paged(%pool: memref<64x8x64x64xf16>, %pages: memref<4x32xi32>) {
  // expected-error @+3 {{expected an index view such as %view, but found 'pages'}}
  // expected-note @+2 {{write ind(%pages[...])}}
  %t = ktdp.construct_indirect_access_tile intermediate_variables(%b, %h, %s, %d)
    %pool[pages[%b, %s / 64], %h, %s % 64, %d]
  return
}

// -----

func.func @bare(%pool: memref<64x8x64x64xf16>, %pages: memref<4x32xi32>) {
  // expected-error @+3 {{a subscript that is a coordinate stands in parentheses}}
  // expected-note @+2 {{write (%s mod 64)}}
  %t = ktdp.construct_indirect_access_tile intermediate_variables(%b, %h, %s, %d)
    %pool[ind(%pages[%b, %s floordiv 64]), (%h), %s % 64, %d]
  return
}

// -----

func.func @numbers(%x: f16, %i: i32) {
  // expected-error @+2 {{must be signless-non-zero-bitwidth-integer-like, but got 'f16'}}
  // expected-note @+1 {{floating-point numbers take arith.addf}}
  %a = arith.addi %x, %x : f16
  return
}

// -----

func.func @more_numbers(%x: f16, %i: i32) {
  // expected-error @+2 {{must be floating-point-like, but got 'i32'}}
  // expected-note @+1 {{integers take arith.muli}}
  %a = arith.mulf %i, %i : i32
  return
}

// -----

func.func @gather(%f: index) {
  // expected-error @+1 {{no published dialect has ktdp.inter_tile_gather: it exists in design documents only}}
  %g = ktdp.inter_tile_gather(%f) : index
  return
}

// -----

#all = affine_set<(i) : (i >= 0, -i + 63 >= 0)>
func.func @a_pointer_of_64_bits(%p: i64) { // expected-note {{prior use here}}
  // expected-error @+2 {{expects different type than prior uses: 'index' vs 'i64'}}
  // expected-note @+1 {{take the argument as index, or convert the number with arith.index_cast}}
  %v = ktdp.construct_memory_view %p, sizes: [64], strides: [1]
    {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<64xf16>
  return
}

// -----

func.func @a_loop_of_32_bits(%n: i32) { // expected-note {{prior use here}}
  // expected-error @+2 {{expects different type than prior uses: 'index' vs 'i32'}}
  // expected-note @+1 {{a loop over other integers than index states their type}}
  scf.for %i = %n to %n step %n {
  }
  return
}

// -----

func.func @on_its_way_to_ktir() {
  // expected-error @+2 {{there is no dialect tt, so no op tt.get_program_id}}
  // expected-note @+1 {{this is Triton's IR: the Spyre backend of Triton makes KTIR of it}}
  %0 = tt.get_program_id x : i32
  return
}

// -----

func.func @on_its_way_from_ktir() {
  // expected-error @+2 {{there is no dialect ktdf, so no op ktdf.create_token}}
  // expected-note @+1 {{this is the public scheduler's IR: give the KTIR that it was made from}}
  %0 = ktdf.create_token : !ktdf.token
  return
}
