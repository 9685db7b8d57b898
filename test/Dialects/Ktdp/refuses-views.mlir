// RUN: spyrec opt --verify-diagnostics --split-input-file %s

#points = affine_set<(r, c) : (r >= 0, -r + 15 >= 0, c >= 0, -c + 63 >= 0)>
func.func @strides_of_a_layout(%x: index) {
  // expected-error @+1 {{strides[0] is 64, but stride 0 of memref<16x64xf16, strided<[128, 1]>> is 128}}
  %v = ktdp.construct_memory_view %x, sizes: [16, 64], strides: [64, 1]
    {coordinate_set = #points, memory_space = #ktdp.memory_space<global>} : memref<16x64xf16, strided<[128, 1]>>
  // Strides that only the run knows, on either side, and a layout that is none, say nothing.
  %w = ktdp.construct_memory_view %x, sizes: [16, 64], strides: [%x, 1]
    {coordinate_set = #points, memory_space = #ktdp.memory_space<global>} : memref<16x64xf16, strided<[128, 1]>>
  %u = ktdp.construct_memory_view %x, sizes: [16, 64], strides: [64, 1]
    {coordinate_set = #points, memory_space = #ktdp.memory_space<global>} : memref<16x64xf16, strided<[?, 1]>>
  %t = ktdp.construct_memory_view %x, sizes: [16, 64], strides: [1, 16]
    {coordinate_set = #points, memory_space = #ktdp.memory_space<global>} : memref<16x64xf16>
  return
}

// -----

#points = affine_set<(r, c) : (r >= 0, -r + 15 >= 0, c >= 0, -c + 63 >= 0)>
func.func @memory_of_the_type(%x: index) {
  // expected-error @+3 {{the view lies in #ktdp.memory_space<global>, but its type says #ktdp.memory_space<ct_local>}}
  %v = ktdp.construct_memory_view %x, sizes: [16, 64], strides: [64, 1]
    {coordinate_set = #points, memory_space = #ktdp.memory_space<global>}
    : memref<16x64xf16, #ktdp.memory_space<ct_local>>
  // expected-error @+3 {{but its type says #ktdp.memory_space<ct_local, ct_id = 2>}}
  %w = ktdp.construct_memory_view %x, sizes: [16, 64], strides: [64, 1]
    {coordinate_set = #points, memory_space = #ktdp.memory_space<ct_local, ct_id = 1>}
    : memref<16x64xf16, #ktdp.memory_space<ct_local, ct_id = 2>>
  // The type may leave out whose scratchpad it is.
  %u = ktdp.construct_memory_view %x, sizes: [16, 64], strides: [64, 1]
    {coordinate_set = #points, memory_space = #ktdp.memory_space<ct_local, ct_id = 1>}
    : memref<16x64xf16, #ktdp.memory_space<ct_local>>
  return
}

// -----

#box = affine_set<(r, c) : (r >= 0, -r + 16 >= 0, c >= 0, -c + 63 >= 0)>
#wedge = affine_set<(r, c) : (r >= 0, c >= 0, -c + 63 >= 0, -r - c + 70 >= 0)>
#odd = affine_set<(r, c) : (r >= 0, -r + 15 >= 0, c mod 2 - 1 == 0, c >= 0, -c + 65 >= 0)>
func.func @room_for_the_points(%x: index) {
  // expected-error @+2 {{coordinate_set holds the points [0..16, 0..63], but the sizes [16, 64] only allow [0..15, 0..63]}}
  %v = ktdp.construct_memory_view %x, sizes: [16, 64], strides: [64, 1]
    {coordinate_set = #box, memory_space = #ktdp.memory_space<global>} : memref<16x64xf16>
  // expected-error @+2 {{coordinate_set holds the point (16, 0), for which the sizes [16, 64] have no room}}
  %w = ktdp.construct_memory_view %x, sizes: [16, 64], strides: [64, 1]
    {coordinate_set = #wedge, memory_space = #ktdp.memory_space<global>} : memref<16x64xf16>
  // expected-error @+2 {{coordinate_set holds the point (0, 65), for which the sizes [16, 64] have no room}}
  %u = ktdp.construct_memory_view %x, sizes: [16, 64], strides: [64, 1]
    {coordinate_set = #odd, memory_space = #ktdp.memory_space<global>} : memref<16x64xf16>
  return
}

// -----

#shifted = affine_set<(r)[n] : (r - n >= 0, -r + 2 * n - 1 >= 0)>
#upto = affine_set<(r)[n] : (r >= 0, -r + n - 1 >= 0)>
#constant = affine_set<(r) : (r >= 0, -r + 15 >= 0)>
func.func @dynamic_sizes(%x: index, %n: index) {
  // expected-error @+2 {{for which the sizes [?] have no room}}
  %v = ktdp.construct_memory_view %x, sizes: [%n], strides: [1]
    {coordinate_set = #shifted, memory_space = #ktdp.memory_space<global>} : memref<?xf16>
  %w = ktdp.construct_memory_view %x, sizes: [%n], strides: [1]
    {coordinate_set = #upto, memory_space = #ktdp.memory_space<global>} : memref<?xf16>
  // This set may leave out points, or have too many; only the run knows.
  %u = ktdp.construct_memory_view %x, sizes: [%n], strides: [1]
    {coordinate_set = #constant, memory_space = #ktdp.memory_space<global>} : memref<?xf16>
  // expected-error @+2 {{coordinate_set has 1 symbols, but there are 0 sizes that are operands}}
  %t = ktdp.construct_memory_view %x, sizes: [16], strides: [1]
    {coordinate_set = #upto, memory_space = #ktdp.memory_space<global>} : memref<16xf16>
  return
}

// -----

#upto = affine_set<(r)[n] : (r >= 0, -r + n - 1 >= 0)>
func.func @constants_as_sizes(%x: index) {
  %c24 = arith.constant 24 : index
  // expected-error @+1 {{sizes[0] is 24, but dimension 0 of memref<16xf16> is 16}}
  %v = ktdp.construct_memory_view %x, sizes: [%c24], strides: [1]
    {coordinate_set = #upto, memory_space = #ktdp.memory_space<global>} : memref<16xf16>
  return
}

// -----

#low = affine_set<(r) : (r >= 0, -r + 7 >= 0)>
#high = affine_set<(r) : (r - 8 >= 0, -r + 16 >= 0)>
func.func @size_of_a_part(%x: index) {
  %a = ktdp.construct_memory_view %x, sizes: [8], strides: [1]
    {coordinate_set = #low, memory_space = #ktdp.memory_space<global>} : memref<8xf16>
  // expected-error @+3 {{coordinate_set spans 9 points, but the sizes are [8]}}
  // expected-note @+2 {{the sizes of a part are its own; its set says where it lies in the whole view}}
  %b = ktdp.construct_memory_view %x, sizes: [8], strides: [1]
    {coordinate_set = #high, memory_space = #ktdp.memory_space<global>} : memref<8xf16>
  // expected-warning @+2 {{part 1 holds (16), which is outside of memref<16xf16>}}
  // expected-note @-3 {{part 1 is made here}}
  %all = ktdp.construct_distributed_memory_view (%a, %b : memref<8xf16>, memref<8xf16>) : memref<16xf16>
  return
}

// -----

func.func @parts(%a: memref<8x64xf16>, %b: memref<8xf16>, %c: memref<8x64xf32>) {
  // expected-error @+2 {{part 1, memref<8xf16>, has 1 dimensions, but memref<16x64xf16> has 2}}
  %v = ktdp.construct_distributed_memory_view
    (%a, %b : memref<8x64xf16>, memref<8xf16>) : memref<16x64xf16>
  // expected-error @+2 {{part 1 holds f32, but the whole view holds f16}}
  %w = ktdp.construct_distributed_memory_view
    (%a, %c : memref<8x64xf16>, memref<8x64xf32>) : memref<16x64xf16>
  // expected-error @+1 {{a distributed view has at least one part}}
  %u = ktdp.construct_distributed_memory_view () : memref<16x64xf16>
  return
}

// -----

#low = affine_set<(r) : (r >= 0, -r + 7 >= 0)>
#middle = affine_set<(r) : (r - 6 >= 0, -r + 13 >= 0)>
#mixed = affine_set<(r) : (r - 16 >= 0, -r + 23 >= 0, r mod 2 == 0)>
func.func @overlap_and_hole(%x: index) {
  %a = ktdp.construct_memory_view %x, sizes: [8], strides: [1]
    {coordinate_set = #low, memory_space = #ktdp.memory_space<global>} : memref<8xf16>
  // expected-note @+1 {{part 1 is made here}}
  %b = ktdp.construct_memory_view %x, sizes: [8], strides: [1]
    {coordinate_set = #middle, memory_space = #ktdp.memory_space<global>} : memref<8xf16>
  %c = ktdp.construct_memory_view %x, sizes: [8], strides: [1]
    {coordinate_set = #mixed, memory_space = #ktdp.memory_space<global>} : memref<8xf16>
  // expected-warning @+2 {{parts 0 and 1 both hold (6)}}
  // expected-warning @+1 {{no part holds (14), which is a point of memref<16xf16>}}
  %v = ktdp.construct_distributed_memory_view (%a, %b : memref<8xf16>, memref<8xf16>) : memref<16xf16>
  // expected-warning @+1 {{no part holds (8), which is a point of memref<24xf16>}}
  %w = ktdp.construct_distributed_memory_view (%a, %c : memref<8xf16>, memref<8xf16>) : memref<24xf16>
  return
}

// -----

#points = affine_set<(r) : (r >= 0, -r + 15 >= 0)>
func.func @ranks(%x: index) {
  // expected-error @+1 {{there are 1 sizes, but memref<16x1xf16> has 2 dimensions}}
  %v = ktdp.construct_memory_view %x, sizes: [16], strides: [1]
    {coordinate_set = #points, memory_space = #ktdp.memory_space<global>} : memref<16x1xf16>
  return
}

// -----

func.func @no_view(%m: memref<8x64xf16>) {
  %a = memref.alloc() : memref<8x64xf16>
  // expected-error@+2 {{part 1 is the result of memref.alloc, and nothing says which points it holds}}
  // expected-note@+1 {{make it with ktdp.construct_memory_view, whose coordinate_set says so}}
  %all = ktdp.construct_distributed_memory_view (%m, %a : memref<8x64xf16>, memref<8x64xf16>) : memref<16x64xf16>
  return
}
