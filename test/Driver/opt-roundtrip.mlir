// --verify-roundtrip prints and reads what was read, in custom and generic form, with and without locations.
//
// RUN: spyrec opt --verify-roundtrip %s | filecheck %s
// RUN: spyrec opt --verify-roundtrip --mlir-print-debuginfo %s | spyrec opt --verify-roundtrip --mlir-print-debuginfo | filecheck %s --check-prefix=PLACES
// RUN: spyrec opt --mlir-print-op-generic --mlir-print-debuginfo %s | spyrec opt --verify-roundtrip | filecheck %s
// RUN: spyrec compile --emit=program --mlir-print-debuginfo %examples/swish_gate.mlir | spyrec opt --verify-roundtrip -o /dev/null

// CHECK: func.func @k(%x: index)
// CHECK: ktdp.get_compute_tile_id : index
// CHECK: !ktdp.access_tile<4x64xindex>
// PLACES-DAG: loc("k.py":1:2)
// PLACES-DAG: loc("k.py":27:12)
// PLACES-DAG: loc(callsite(

#points = affine_set<(r, c) : (r >= 0, -r + 127 >= 0, c >= 0, -c + 63 >= 0)>
#tile = affine_set<(r, c) : (r >= 0, -r + 3 >= 0, c >= 0, -c + 63 >= 0)>
func.func @k(%x: index loc("k.py":1:2)) attributes {grid = [32]} {
  %t = ktdp.get_compute_tile_id : index loc("k.py":27:12)
  %v = ktdp.construct_memory_view %x, sizes: [128, 64], strides: [64, 1] {coordinate_set = #points, memory_space = #ktdp.memory_space<global>} : memref<128x64xf16> loc(fused["view", callsite("f" at "g.py":1:1)])
  %a = ktdp.construct_access_tile %v[%t * 4, 0] {access_tile_order = affine_map<(r, c) -> (r, c)>, access_tile_set = #tile} : memref<128x64xf16> -> !ktdp.access_tile<4x64xindex>
  %e = ktdp.load %a : <4x64xindex> -> tensor<4x64xf16> loc(unknown)
  ktdp.store %e, %a : tensor<4x64xf16>, <4x64xindex>
  return
} loc("kernel"("k.py":3:3))
