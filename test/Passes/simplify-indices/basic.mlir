// RUN: spyrec opt %s --simplify-indices | filecheck %s

// CHECK-DAG: #[[TWICE:.*]] = affine_map<(d0) -> (d0 * 2)>
// CHECK-DAG: #[[FIFTH:.*]] = affine_map<(d0) -> (d0 floordiv 5)>

// What Triton leaves: i32 arithmetic, a division that is exact and a remainder that is 0.
// CHECK-LABEL: func.func @triton
// CHECK: %[[T:.*]] = dataflow.tile_id
// CHECK: %[[Q:.*]] = affine.apply #[[TWICE]](%[[T]])
// CHECK: %[[R:.*]] = arith.constant 0 : index
// CHECK-NOT: arith.
// CHECK: ktdp.construct_access_tile %{{.*}}[%[[Q]], %[[R]]]
#v = affine_set<(r, c) : (r >= 0, -r + 63 >= 0, c >= 0, -c + 63 >= 0)>
#t = affine_set<(r, c) : (r == 0, c >= 0, -c + 63 >= 0)>
#id = affine_map<(r, c) -> (r, c)>
func.func @triton(%x: index) attributes {grid = [32]} {
  %tile = dataflow.tile_id
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %t = arith.index_cast %tile : index to i32
  %o = arith.muli %t, %c128 : i32
  %q = arith.divsi %o, %c64 : i32
  %r = arith.remsi %o, %c64 : i32
  %qi = arith.index_cast %q : i32 to index
  %ri = arith.index_cast %r : i32 to index
  %v = ktdp.construct_memory_view %x, sizes: [64, 64], strides: [64, 1] {coordinate_set = #v, memory_space = #ktdp.memory_space<global>} : memref<64x64xf16>
  %a = ktdp.construct_access_tile %v[%qi, %ri] {access_tile_set = #t, access_tile_order = #id} : memref<64x64xf16> -> !ktdp.access_tile<1x64xindex>
  %b = ktdp.load %a : <1x64xindex> -> tensor<1x64xf16>
  return
}

// Unsigned operations on what is never negative are signed, comparisons are of index values.
// CHECK-LABEL: func.func @unsigned
// CHECK: %[[Q:.*]] = affine.apply #[[FIFTH]](%{{.*}})
// CHECK: %[[IF:.*]] = arith.cmpi slt, %{{.*}}, %[[Q]] : index
// CHECK: scf.if %[[IF]]
func.func @unsigned() attributes {grid = [32]} {
  %tile = dataflow.tile_id
  %c3 = arith.constant 3 : i32
  %c5 = arith.constant 5 : i32
  %t = arith.index_cast %tile : index to i32
  %q = arith.divui %t, %c5 : i32
  %if = arith.cmpi ult, %c3, %q : i32
  scf.if %if {
  }
  return
}

// A condition that ranges decide is a constant.
// CHECK-LABEL: func.func @decided
// CHECK: %[[TRUE:.*]] = arith.constant true
// CHECK: scf.if %[[TRUE]]
func.func @decided() attributes {grid = [32]} {
  %t = dataflow.tile_id
  %c31 = arith.constant 31 : index
  %if = arith.cmpi ule, %t, %c31 : index
  scf.if %if {
  }
  return
}

// A bit that is extended by zeros is 1 for every use, and 1 in affine forms.
// CHECK-LABEL: func.func @bits
// CHECK-NOT: arith.index_cast %b
// CHECK: %[[BIT:.*]] = arith.index_castui %b : i1 to index
// CHECK-NEXT: arith.index_cast %[[BIT]] : index to i32
// CHECK-NEXT: %[[BIT:.*]] = arith.index_castui %b : i1 to index
// CHECK: affine.apply #[[TWICE]](%[[BIT]])
func.func @bits(%b: i1) -> (i32, index) {
  %c2 = arith.constant 2 : index
  %n = arith.extui %b : i1 to i32
  %i = arith.index_cast %n : i32 to index
  %d = arith.muli %i, %c2 : index
  return %n, %d : i32, index
}
