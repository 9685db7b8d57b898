// What is in flight has to fit into the stages on the way, too: of 256 KiB in LX and 64 KiB in the stage the stage is the smaller.
//
// RUN: spyrec opt %s --device=%S/../../Devices/Inputs/staged.mlir --choose-tile-sizes=when=fit | filecheck %s
// RUN: spyrec opt %s --device=%S/../../Devices/Inputs/staged.mlir --set device.l1.size=262144 --choose-tile-sizes=when=fit | filecheck %s --check-prefix=WIDE

#map = affine_map<(d0, d1) -> (d0, d1)>

// 96 KiB, of which LX has room for both tensors and the stage for none: a tile of each with two slots is 32 KiB at most.
// CHECK-LABEL: func.func @large
// CHECK: linalg.generic {{.*}} attrs = {dataflow.tiles = [array<i64: 0, {{[1-9]|1[0-6]}}>]}
// WIDE-LABEL: func.func @large
// WIDE-NOT: dataflow.tiles
func.func @large(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %a = dataflow.read @device[%c0 from %x] strides [1024, 1] : tensor<48x1024xf16>
  %e = tensor.empty() : tensor<48x1024xf16>
  %s = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<48x1024xf16>) outs(%e : tensor<48x1024xf16>) {
  ^bb0(%p: f16, %out: f16):
    %r = math.exp %p : f16
    linalg.yield %r : f16
  } -> tensor<48x1024xf16>
  dataflow.write %s, @device[%c0 from %z] strides [1024, 1] : tensor<48x1024xf16>
  return
}

// Outside of loops a stage has the bytes of one transfer after the other: 48 KiB at a time, and not 144.
// CHECK-LABEL: func.func @in_turn
// CHECK-NOT: dataflow.tiles
// CHECK: return
func.func @in_turn(%x: index, %y: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %a = dataflow.read @device[%c0 from %x] strides [1024, 1] : tensor<24x1024xf16>
  %b = dataflow.read @device[%c0 from %y] strides [1024, 1] : tensor<24x1024xf16>
  %e = tensor.empty() : tensor<24x1024xf16>
  %s = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<24x1024xf16>, tensor<24x1024xf16>) outs(%e : tensor<24x1024xf16>) {
  ^bb0(%p: f16, %q: f16, %out: f16):
    %r = arith.addf %p, %q : f16
    linalg.yield %r : f16
  } -> tensor<24x1024xf16>
  dataflow.write %s, @device[%c0 from %z] strides [1024, 1] : tensor<24x1024xf16>
  return
}

// In a loop all of them are there at once: each group alone would fit, but not beside the other; one of them gives way.
// CHECK-LABEL: func.func @beside
// CHECK: dataflow.tiles
// CHECK-NOT: dataflow.tiles
// CHECK: return
// WIDE-LABEL: func.func @beside
// WIDE-NOT: dataflow.tiles
func.func @beside(%x: index, %y: index, %z: index, %n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %w = dataflow.read @device[%i from %y] strides [1] : tensor<15360xf16>
    %a = dataflow.read @device[%i from %x] strides [128, 1] : tensor<16x128xf16>
    %e = tensor.empty() : tensor<16x128xf16>
    %s = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<16x128xf16>) outs(%e : tensor<16x128xf16>) {
    ^bb0(%p: f16, %out: f16):
      %r = math.exp %p : f16
      linalg.yield %r : f16
    } -> tensor<16x128xf16>
    dataflow.write %s, @device[%i from %z] strides [128, 1] : tensor<16x128xf16>
    dataflow.write %w, @device[%i from %x] strides [1] : tensor<15360xf16>
  }
  return
}
