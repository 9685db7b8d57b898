// RUN: spyrec opt %s --choose-tile-sizes | filecheck %s --check-prefixes=CHECK,AUTO
// RUN: spyrec opt %s --choose-tile-sizes --choose-tile-sizes | filecheck %s --check-prefixes=CHECK,AUTO
// RUN: spyrec opt %s --choose-tile-sizes=when=fit | filecheck %s --check-prefixes=CHECK,FIT
// RUN: spyrec opt %s --choose-tile-sizes=when=never | filecheck %s --check-prefix=NEVER
// RUN: spyrec opt %s --choose-tile-sizes=size=8 | filecheck %s --check-prefix=EIGHT
// RUN: not 2 spyrec opt %s --choose-tile-sizes=size=-1 2>&1 | filecheck %s --check-prefix=NEGATIVE

// NEVER-NOT: dataflow.tiles
// NEGATIVE: size must be at least 0, but is -1

#map = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// 16 MiB in, 16 MiB out: it has to be cut, and into rows, which are whole sticks.
// CHECK-LABEL: func.func @large
// CHECK: dataflow.write {{.*}} {dataflow.tiles = [array<i64: 0, {{[0-9]+}}>]}
// EIGHT-LABEL: func.func @large
// EIGHT: {dataflow.tiles = [array<i64: 0, 8>]}
func.func @large(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %a = dataflow.read @device[%c0 from %x] strides [1024, 1] : tensor<4096x1024xf32>
  dataflow.write %a, @device[%c0 from %z] strides [1024, 1] : tensor<4096x1024xf32>
  return
}

// 256 KiB fit; in tiles, one is computed while another is loaded and a third is stored.
// CHECK-LABEL: func.func @fits
// AUTO: linalg.generic {{.*}} attrs = {dataflow.tiles = [array<i64: 0, {{[0-9]+}}>]}
// FIT-NOT: dataflow.tiles
// CHECK: return
func.func @fits(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %a = dataflow.read @device[%c0 from %x] strides [1024, 1] : tensor<128x1024xf16>
  %e = tensor.empty() : tensor<128x1024xf16>
  %s = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<128x1024xf16>) outs(%e : tensor<128x1024xf16>) {
  ^bb0(%p: f16, %out: f16):
    %r = math.exp %p : f16
    linalg.yield %r : f16
  } -> tensor<128x1024xf16>
  dataflow.write %s, @device[%c0 from %z] strides [1024, 1] : tensor<128x1024xf16>
  return
}

// One stick: nothing is gained.
// CHECK-LABEL: func.func @small
// CHECK-NOT: dataflow.tiles
// CHECK: return
func.func @small(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %a = dataflow.read @device[%c0 from %x] strides [64, 1] : tensor<1x64xf16>
  dataflow.write %a, @device[%c0 from %z] strides [64, 1] : tensor<1x64xf16>
  return
}

// Iterations overlap already.
// CHECK-LABEL: func.func @looped
// CHECK-NOT: dataflow.tiles
// CHECK: return
func.func @looped(%x: index, %z: index, %n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %o = affine.apply affine_map<(i) -> (i * 16384)>(%i)
    %a = dataflow.read @device[%o from %x] strides [1024, 1] : tensor<16x1024xf16>
    dataflow.write %a, @device[%o from %z] strides [1024, 1] : tensor<16x1024xf16>
  }
  return
}

// What is moved down by a row cannot be cut into rows. Its columns are cut.
// CHECK-LABEL: func.func @moves_down
// CHECK: dataflow.write {{.*}} {dataflow.tiles = [array<i64: 1, {{[0-9]+}}>]}
func.func @moves_down(%x: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %down = arith.constant 1024 : index
  %a = dataflow.read @device[%c0 from %x] strides [1024, 1] : tensor<4096x1024xf32>
  dataflow.write %a, @device[%down from %x] strides [1024, 1] : tensor<4096x1024xf32>
  return
}

// One row is larger than LX: what is folded is cut.
// CHECK-LABEL: func.func @row
// CHECK: linalg.generic {{.*}} attrs = {dataflow.tiles = [array<i64: 1, {{[0-9]+}}>]}
func.func @row(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %a = dataflow.read @device[%c0 from %x] strides [1048576, 1] : tensor<1x1048576xf32>
  %old = dataflow.read @device[%c0 from %z] strides [1] : tensor<1xf32>
  %s = linalg.generic {indexing_maps = [#map, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<1x1048576xf32>) outs(%old : tensor<1xf32>) {
  ^bb0(%p: f32, %acc: f32):
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<1xf32>
  dataflow.write %s, @device[%c0 from %z] strides [1] : tensor<1xf32>
  return
}

// Two groups side by side: each has a mark of its own.
// CHECK-LABEL: func.func @two
// CHECK: dataflow.write {{.*}} from %y] {{.*}} {dataflow.tiles = [array<i64: 0, {{[0-9]+}}>]}
// CHECK: dataflow.write {{.*}} from %w] {{.*}} {dataflow.tiles = [array<i64: 0, {{[0-9]+}}>]}
func.func @two(%x: index, %y: index, %z: index, %w: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %a = dataflow.read @device[%c0 from %x] strides [1024, 1] : tensor<4096x1024xf32>
  %b = dataflow.read @device[%c0 from %z] strides [1024, 1] : tensor<4096x1024xf32>
  dataflow.write %a, @device[%c0 from %y] strides [1024, 1] : tensor<4096x1024xf32>
  dataflow.write %b, @device[%c0 from %w] strides [1024, 1] : tensor<4096x1024xf32>
  return
}

// A loop in between with which it has nothing to do leaves a copy one group.
// CHECK-LABEL: func.func @around
// CHECK: %a = dataflow.read @device[%c0 from %x] strides [1024, 1] : tensor
// CHECK: dataflow.write %a, {{.*}} {dataflow.tiles = [array<i64: 0, {{[0-9]+}}>]}
// CHECK-NOT: dataflow.tiles
// CHECK: return
func.func @around(%x: index, %y: index, %z: index, %w: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = dataflow.read @device[%c0 from %x] strides [1024, 1] : tensor<4096x1024xf16>
  %e = tensor.empty() : tensor<64xf32>
  %f = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %e) -> (tensor<64xf32>) {
    %o = affine.apply affine_map<(i) -> (i * 64)>(%i)
    %b = dataflow.read @device[%o from %y] strides [1] : tensor<64xf32>
    scf.yield %b : tensor<64xf32>
  }
  dataflow.write %a, @device[%c0 from %z] strides [1024, 1] : tensor<4096x1024xf16>
  dataflow.write %f, @device[%c0 from %w] strides [1] : tensor<64xf32>
  return
}
