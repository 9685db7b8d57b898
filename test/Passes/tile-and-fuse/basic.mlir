// RUN: spyrec opt %s --tile-and-fuse --canonicalize | filecheck %s
// RUN: spyrec opt %s --tile-and-fuse --tile-and-fuse --canonicalize | filecheck %s
//
// A loop over tiles, and what is left behind it. What does not have the dimension stays in front.

#map = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>

// CHECK: #[[AT:.+]] = affine_map<(d0)[s0] -> (d0 * 512 + s0 * 6400)>
// CHECK-LABEL: func.func @rows
func.func @rows(%x: index, %b: index, %z: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  // CHECK: %t = dataflow.tile_id
  %t = dataflow.tile_id
  %o = affine.apply affine_map<(t) -> (t * 6400)>(%t)
  // CHECK: %[[BIAS:.+]] = dataflow.read @device[%{{.+}} from %b] strides [1] : tensor<64xf16>
  // CHECK: scf.for %[[I:.+]] = %c0 to %c12 step %c1 {
  // CHECK: %[[O:.+]] = affine.apply #[[AT]](%[[I]])[%t]
  // CHECK: %[[A:.+]] = dataflow.read @device[%[[O]] from %x] strides [64, 1] : tensor<8x64xf16>
  // CHECK: linalg.generic
  // CHECK-NOT: dataflow.tiles
  // CHECK-SAME: ins(%[[A]], %[[BIAS]] : tensor<8x64xf16>, tensor<64xf16>)
  // CHECK: dataflow.write
  // CHECK: }
  // CHECK: dataflow.read {{.*}} : tensor<4x64xf16>
  // CHECK: dataflow.write {{.*}} : tensor<4x64xf16>
  %a = dataflow.read @device[%o from %x] strides [64, 1] : tensor<100x64xf16>
  %c = dataflow.read @device[%c0 from %b] strides [1] : tensor<64xf16>
  %e = tensor.empty() : tensor<100x64xf16>
  %s = linalg.generic {dataflow.tiles = [array<i64: 0, 8>], indexing_maps = [#map, #row, #map], iterator_types = ["parallel", "parallel"]}
      ins(%a, %c : tensor<100x64xf16>, tensor<64xf16>) outs(%e : tensor<100x64xf16>) {
  ^bb0(%p: f16, %q: f16, %out: f16):
    %r = arith.addf %p, %q : f16
    linalg.yield %r : f16
  } -> tensor<100x64xf16>
  dataflow.write %s, @device[%o from %z] strides [64, 1] : tensor<100x64xf16>
  return
}

// A fold of halves is carried in f32, and rounded behind the loop.
// CHECK-LABEL: func.func @sum
func.func @sum(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  // CHECK: %[[START:.+]] = linalg.generic
  // CHECK: arith.extf
  // CHECK: -> tensor<4xf32>
  // CHECK: %[[SUM:.+]] = scf.for {{.*}} iter_args(%[[ACC:.+]] = %[[START]]) -> (tensor<4xf32>)
  // CHECK: linalg.generic {{.*}} ins(%{{.+}} : tensor<4x16xf16>) outs(%[[ACC]] : tensor<4xf32>)
  // CHECK: arith.addf {{.*}} : f32
  // CHECK: ins(%[[SUM]] : tensor<4xf32>)
  // CHECK: arith.truncf
  // CHECK: dataflow.write {{.*}} : tensor<4xf16>
  %old = dataflow.read @device[%c0 from %z] strides [1] : tensor<4xf16>
  %a = dataflow.read @device[%c0 from %x] strides [64, 1] : tensor<4x64xf16>
  %s = linalg.generic {dataflow.tiles = [array<i64: 1, 16>], indexing_maps = [#map, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<4x64xf16>) outs(%old : tensor<4xf16>) {
  ^bb0(%p: f16, %acc: f16):
    %r = arith.addf %acc, %p : f16
    linalg.yield %r : f16
  } -> tensor<4xf16>
  dataflow.write %s, @device[%c0 from %z] strides [1] : tensor<4xf16>
  return
}

// A loop that carries sums, with what starts it and what takes them: the other matrix is read for each tile.
// CHECK-LABEL: func.func @blocks
func.func @blocks(%x: index, %y: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x64xf32>
  // CHECK: scf.for %[[T:.+]] = %c0 to %c4 step %c1 {
  // CHECK: %[[F:.+]] = linalg.generic {{.*}} outs(%{{.+}} : tensor<8x64xf32>)
  // CHECK: %[[S:.+]] = scf.for %[[I:.+]] = %c0 to %c4 step %c1 iter_args(%[[ACC:.+]] = %[[F]]) -> (tensor<8x64xf32>) {
  // CHECK: %[[P:.+]] = affine.apply #{{.+}}(%[[T]], %[[I]])
  // CHECK: dataflow.read @device[%[[P]] from %x] strides [64, 1] : tensor<8x16xf32>
  // CHECK: dataflow.read @device[%{{.+}} from %y] strides [64, 1] : tensor<16x64xf32>
  // CHECK: outs(%[[ACC]] : tensor<8x64xf32>)
  // CHECK: dataflow.write %[[S]], @device[%{{.+}} from %z] strides [64, 1] : tensor<8x64xf32>
  %f = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<32x64xf32>) {
  ^bb0(%out: f32):
    linalg.yield %zero : f32
  } -> tensor<32x64xf32>
  %s = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %f) -> (tensor<32x64xf32>) {
    %p = affine.apply affine_map<(i) -> (i * 16)>(%i)
    %q = affine.apply affine_map<(i) -> (i * 1024)>(%i)
    %a = dataflow.read @device[%p from %x] strides [64, 1] : tensor<32x16xf32>
    %b = dataflow.read @device[%q from %y] strides [64, 1] : tensor<16x64xf32>
    %c = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<32x16xf32>, tensor<16x64xf32>) outs(%acc : tensor<32x64xf32>) {
    ^bb0(%l: f32, %r: f32, %o: f32):
      %t = arith.mulf %l, %r : f32
      %u = arith.addf %o, %t : f32
      linalg.yield %u : f32
    } -> tensor<32x64xf32>
    scf.yield %c : tensor<32x64xf32>
  } {dataflow.tiles = [array<i64: 0, 8>]}
  dataflow.write %s, @device[%c0 from %z] strides [64, 1] : tensor<32x64xf32>
  return
}

// Groups between each other: the loop of the second stands behind the one of the first, each with its own read.
// CHECK-LABEL: func.func @interleaved
// CHECK-NOT: tensor<32x64xf32>
// CHECK: scf.for
// CHECK: dataflow.read @device[%{{.+}} from %x] strides [64, 1] : tensor<8x64xf32>
// CHECK: dataflow.write %{{.+}}, @device[%{{.+}} from %z] strides [64, 1] : tensor<8x64xf32>
// CHECK: scf.for
// CHECK: dataflow.read @device[%{{.+}} from %y] strides [64, 1] : tensor<4x64xf32>
// CHECK: dataflow.write %{{.+}}, @device[%{{.+}} from %w] strides [64, 1] : tensor<4x64xf32>
// CHECK: return
func.func @interleaved(%x: index, %y: index, %z: index, %w: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %a = dataflow.read @device[%c0 from %x] strides [64, 1] : tensor<32x64xf32>
  %b = dataflow.read @device[%c0 from %y] strides [64, 1] {dataflow.tiles = [array<i64: 0, 4>]} : tensor<32x64xf32>
  dataflow.write %a, @device[%c0 from %z] strides [64, 1] {dataflow.tiles = [array<i64: 0, 8>]} : tensor<32x64xf32>
  dataflow.write %b, @device[%c0 from %w] strides [64, 1] : tensor<32x64xf32>
  return
}

// What stands on both sides of a loop with which it has nothing to do is cut as one.
// CHECK-LABEL: func.func @around
// CHECK: scf.for {{.*}} iter_args
// CHECK: scf.for
// CHECK-NEXT: affine.apply
// CHECK: %[[A:.+]] = dataflow.read @device[%{{.+}} from %x] strides [64, 1] : tensor<8x64xf32>
// CHECK: dataflow.write %[[A]], @device[%{{.+}} from %z] strides [64, 1] : tensor<8x64xf32>
func.func @around(%x: index, %y: index, %z: index, %w: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = dataflow.read @device[%c0 from %x] strides [64, 1] : tensor<32x64xf32>
  %e = tensor.empty() : tensor<64xf32>
  %f = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %e) -> (tensor<64xf32>) {
    %o = affine.apply affine_map<(i) -> (i * 64)>(%i)
    %b = dataflow.read @device[%o from %y] strides [1] : tensor<64xf32>
    scf.yield %b : tensor<64xf32>
  }
  dataflow.write %a, @device[%c0 from %z] strides [64, 1] {dataflow.tiles = [array<i64: 0, 8>]} : tensor<32x64xf32>
  dataflow.write %f, @device[%c0 from %w] strides [1] : tensor<64xf32>
  return
}
