// RUN: spyrec opt %s --tile-and-fuse --split-input-file --verify-diagnostics

#map = affine_map<(d0, d1) -> (d0, d1)>

// Each row is read after the row before it has been written: in tiles, the second tile would read what the first wrote.
func.func @moves_down(%x: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  // expected-error@below {{dataflow.read cannot be cut into tiles of 8 of dimension 0: results would change}}
  %a = dataflow.read @device[%c0 from %x] strides [64, 1] {dataflow.tiles = [array<i64: 0, 8>]} : tensor<100x64xf16>
  dataflow.write %a, @device[%c64 from %x] strides [64, 1] : tensor<100x64xf16>
  return
}

// -----

// What is read in a tile may be what the launch lets overlap with what is written.
func.func @aliases(%x: index {spyrec.may_alias}, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  // expected-error@below {{dataflow.read cannot be cut into tiles of 8 of dimension 0: results would change}}
  %a = dataflow.read @device[%c0 from %x] strides [64, 1] {dataflow.tiles = [array<i64: 0, 8>]} : tensor<100x64xf16>
  dataflow.write %a, @device[%c0 from %z] strides [64, 1] : tensor<100x64xf16>
  return
}

// -----

// A literal address may be that of an argument.
func.func @literal(%x: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  // expected-error@below {{dataflow.read cannot be cut into tiles of 8 of dimension 0: results would change}}
  %a = dataflow.read @device[%c0 from %x] strides [64, 1] {dataflow.tiles = [array<i64: 0, 8>]} : tensor<100x64xf16>
  dataflow.write %a, @device[%c0] strides [64, 1] : tensor<100x64xf16>
  return
}

// -----

// A write that does not have the dimension stays behind a read that has it.
func.func @waits(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %one = dataflow.read @device[%c0 from %z] strides [1] : tensor<64xf16>
  // expected-error@below {{dataflow.read cannot be cut into tiles of 8 of dimension 0: results would change}}
  %a = dataflow.read @device[%c0 from %x] strides [64, 1] {dataflow.tiles = [array<i64: 0, 8>]} : tensor<100x64xf16>
  dataflow.write %one, @device[%c0 from %x] strides [1] : tensor<64xf16>
  dataflow.write %a, @device[%c0 from %z] strides [64, 1] : tensor<100x64xf16>
  return
}

// -----

// Every row is added to its column: one dimension twice.
func.func @diagonal(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %a = dataflow.read @device[%c0 from %x] strides [64, 1] : tensor<64x64xf16>
  %e = tensor.empty() : tensor<64x64xf16>
  // expected-error@below {{linalg.generic cannot be cut into tiles of 8 of dimension 0: results would change}}
  %s = linalg.generic {dataflow.tiles = [array<i64: 0, 8>], indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%a, %a : tensor<64x64xf16>, tensor<64x64xf16>) outs(%e : tensor<64x64xf16>) {
  ^bb0(%p: f16, %q: f16, %out: f16):
    %r = arith.addf %p, %q : f16
    linalg.yield %r : f16
  } -> tensor<64x64xf16>
  dataflow.write %s, @device[%c0 from %z] strides [64, 1] : tensor<64x64xf16>
  return
}

// -----

func.func @no_pair(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  // expected-error@below {{dataflow.read cannot be cut into tiles: results would change}}
  %a = dataflow.read @device[%c0 from %x] strides [64, 1] {dataflow.tiles = 8 : i64} : tensor<100x64xf16>
  dataflow.write %a, @device[%c0 from %z] strides [64, 1] : tensor<100x64xf16>
  return
}

// -----

func.func @too_large(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  // expected-error@below {{dataflow.read cannot be cut into tiles of 8 of dimension 0, then tiles of 64 of dimension 1}}
  %a = dataflow.read @device[%c0 from %x] strides [64, 1] {dataflow.tiles = [array<i64: 0, 8>, array<i64: 1, 64>]} : tensor<100x64xf16>
  dataflow.write %a, @device[%c0 from %z] strides [64, 1] : tensor<100x64xf16>
  return
}

// -----

func.func @no_tensor_op(%n: index) attributes {grid = [1]} {
  // expected-error@below {{arith.addi cannot be cut into tiles}}
  %a = arith.addi %n, %n {dataflow.tiles = [array<i64: 0, 8>]} : index
  return
}
