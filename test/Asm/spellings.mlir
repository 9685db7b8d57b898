// What people write, and the one spelling that is printed. The second run reads the first one's output.
//
// RUN: spyrec opt %s > %t && filecheck %s < %t
// RUN: spyrec opt %t | filecheck %s
// RUN: spyrec opt %s --mlir-print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: spyrec opt %s --mlir-print-debuginfo | filecheck %s --check-prefix=PLACES
// RUN: spyrec opt %s --verify-roundtrip > %t

#box = affine_set<(r, c) : (r >= 0, -r + 15 >= 0, c >= 0, -c + 63 >= 0)>
#row = affine_set<(r, c)[s] : (r >= 0, -r + s - 1 >= 0, c >= 0, -c + 63 >= 0)>
#same = affine_map<(r, c) -> (r, c)>

// CHECK: func.func @k(%x_ptr: index, %n: index)
// PLACES: func.func @k(%x_ptr: index loc("x_ptr"(#loc
func.func @k(%x_ptr: index loc("x_ptr"("k.py":1:7)), %n: index) attributes {grid = [4]} {
  // An old memory space, attributes in any order.
  // CHECK-NEXT: %x = ktdp.construct_memory_view %x_ptr, sizes: [16, 64], strides: [64, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<16x64xf16>
  %x = ktdp.construct_memory_view %x_ptr, sizes: [16, 64], strides: [64, 1]
    {memory_space = #ktdp.spyre_memory_space<HBM>, coordinate_set = #box} : memref<16x64xf16>
  // Generic form with properties.
  // CHECK-NEXT: %y = ktdp.construct_memory_view %n, sizes: [16, 64], strides: [%n, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<ct_local, ct_id = 7>} : memref<16x64xf16>
  // GENERIC: %y = "ktdp.construct_memory_view"(%n, %n) {{[{].*}}operandSegmentSizes = array<i32: 1, 0, 1>
  %y = "ktdp.construct_memory_view"(%n, %n) <{
    coordinate_set = #box, memory_space = #ktdp.spyre_memory_space<LX, core = 7>, operandSegmentSizes = array<i32: 1, 0, 1>,
    static_sizes = array<i64: 16, 64>, static_strides = array<i64: -9223372036854775808, 1>
  }> : (index, index) -> memref<16x64xf16>
  // CHECK-NEXT: %t = ktdp.construct_access_tile %x[%n * 2 + 1, symbol(%n)] symbols(%n) {access_tile_order = #map, access_tile_set = #set1} : memref<16x64xf16> -> !ktdp.access_tile<?x64xindex>
  // PLACES: ktdp.construct_access_tile {{.*}} loc(#loc
  %t = ktdp.construct_access_tile %x[1 + 2 * %n, symbol(%n)] symbols(%n)
    {access_tile_set = #row, access_tile_order = #same} : memref<16x64xf16> -> !ktdp.access_tile<?x64xindex>
  // Long types where short ones are printed; two statements on a line; a dotted attribute that nobody declared.
  // CHECK-NEXT: %a = ktdp.load %t {my.note = 1 : i64} : <?x64xindex> -> tensor<?x64xf16>
  // CHECK-NEXT: ktdp.store %a, %t : tensor<?x64xf16>, <?x64xindex>
  %a = ktdp.load %t {my.note = 1} : !ktdp.access_tile<?x64xindex> -> tensor<?x64xf16> ktdp.store %a, %t : tensor<?x64xf16>, !ktdp.access_tile<?x64xindex>
  // CHECK-NEXT: return
  // PLACES: return loc(#loc
  return loc("k.py":9:1)
}
// PLACES-DAG: loc("k.py":9:1)
// PLACES-DAG: loc("{{.*}}spellings.mlir":{{[0-9]+}}:8)
