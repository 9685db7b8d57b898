// RUN: spyrec opt --verify-roundtrip %s | filecheck %s

// Parts on different memories, with sets in the coordinates of the whole view; sizes that only the run knows.

#low = affine_set<(r, c) : (r >= 0, -r + 7 >= 0, c >= 0, -c + 63 >= 0)>
#high = affine_set<(r, c) : (r >= 8, -r + 15 >= 0, c >= 0, -c + 63 >= 0)>
#left = affine_set<(r, c)[n] : (r >= 0, -r + 7 >= 0, c >= 0, -c + n - 1 >= 0)>
#right = affine_set<(r, c)[n] : (r >= 0, -r + 7 >= 0, c - n >= 0, -c + 2 * n - 1 >= 0)>

// CHECK-LABEL: func.func @two_memories
func.func @two_memories(%x: index, %y: index) {
  %a = ktdp.construct_memory_view %x, sizes: [8, 64], strides: [64, 1]
    {coordinate_set = #low, memory_space = #ktdp.memory_space<global>} : memref<8x64xf16>
  %b = ktdp.construct_memory_view %y, sizes: [8, 64], strides: [64, 1]
    {coordinate_set = #high, memory_space = #ktdp.memory_space<ct_local, ct_id = 1>} : memref<8x64xf16>
  // CHECK: ktdp.construct_distributed_memory_view(%a, %b : memref<8x64xf16>, memref<8x64xf16>) {my.note} : memref<16x64xf16>
  %all = ktdp.construct_distributed_memory_view (%a, %b : memref<8x64xf16>, memref<8x64xf16>) {my.note} : memref<16x64xf16>
  return
}

// CHECK-LABEL: func.func @of_dynamic_size
func.func @of_dynamic_size(%x: index, %y: index, %n: index) {
  %a = ktdp.construct_memory_view %x, sizes: [8, %n], strides: [%n, 1]
    {coordinate_set = #left, memory_space = #ktdp.memory_space<global>} : memref<8x?xf16>
  %b = ktdp.construct_memory_view %y, sizes: [8, %n], strides: [%n, 1]
    {coordinate_set = #right, memory_space = #ktdp.memory_space<global>} : memref<8x?xf16>
  // CHECK: ktdp.construct_distributed_memory_view(%a, %b : memref<8x?xf16>, memref<8x?xf16>) : memref<8x?xf16>
  %all = "ktdp.construct_distributed_memory_view"(%a, %b) : (memref<8x?xf16>, memref<8x?xf16>) -> memref<8x?xf16>
  return
}

// Parts of types that differ: one of them is strided.
// CHECK-LABEL: func.func @types_differ
func.func @types_differ(%a: memref<8x64xf16>, %b: memref<8x64xf16, strided<[64, 1], offset: ?>>) {
  // CHECK: (%a, %b : memref<8x64xf16>, memref<8x64xf16, strided<[64, 1], offset: ?>>) : memref<16x64xf16>
  %all = ktdp.construct_distributed_memory_view
    (%a, %b : memref<8x64xf16>, memref<8x64xf16, strided<[64, 1], offset: ?>>) : memref<16x64xf16>
  return
}
