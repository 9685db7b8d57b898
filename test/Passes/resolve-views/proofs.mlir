// Tiles that are inside their view for reasons that take some looking.
//
// RUN: spyrec opt %s --resolve-views | filecheck %s

#all = affine_set<(r, c) : (r >= 0, -r + 99 >= 0, c >= 0, -c + 63 >= 0)>
#some = affine_set<(r, c) : (r - 4 >= 0, -r + 11 >= 0, c >= 0, -c + 63 >= 0)>
#row = affine_set<(r, c) : (r == 0, c >= 0, -c + 63 >= 0)>
#empty = affine_set<(r, c) : (r >= 0, -r - 1 >= 0, c >= 0, -c + 63 >= 0)>
#id = affine_map<(r, c) -> (r, c)>

// 32 tiles of four rows are more than 100 rows: the last tiles end early.
// CHECK-LABEL: func.func @ragged
// CHECK: dataflow.read
func.func @ragged(%x: index) attributes {grid = [32]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c100 = arith.constant 100 : index
  %t = dataflow.tile_id
  %first = arith.muli %t, %c4 : index
  %next = arith.addi %first, %c4 : index
  %last = arith.minsi %next, %c100 : index
  %rows = arith.subi %last, %first : index
  %v = ktdp.construct_memory_view %x, sizes: [100, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<100x64xf16>
  scf.for %i = %c0 to %rows step %c1 {
    %a = ktdp.construct_access_tile %v[%first + %i, 0] {access_tile_set = #row, access_tile_order = #id} : memref<100x64xf16> -> !ktdp.access_tile<1x64xindex>
    %b = ktdp.load %a : <1x64xindex> -> tensor<1x64xf16>
  }
  return
}

// The condition around the access bounds it, in i32 and negated.
// CHECK-LABEL: func.func @guarded
// CHECK: scf.if
// CHECK: else
// CHECK: dataflow.read
func.func @guarded(%x: index, %n: i32) attributes {grid = [32]} {
  %c0 = arith.constant 0 : i32
  %c100 = arith.constant 100 : i32
  %low = arith.cmpi slt, %n, %c0 : i32
  %high = arith.cmpi sge, %n, %c100 : i32
  %outside = arith.ori %low, %high : i1
  %r = arith.index_cast %n : i32 to index
  %v = ktdp.construct_memory_view %x, sizes: [100, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<100x64xf16>
  scf.if %outside {
  } else {
    %a = ktdp.construct_access_tile %v[%r, 0] {access_tile_set = #row, access_tile_order = #id} : memref<100x64xf16> -> !ktdp.access_tile<1x64xindex>
    %b = ktdp.load %a : <1x64xindex> -> tensor<1x64xf16>
  }
  return
}

// A coordinate set smaller than the sizes bounds the view; remainders stay below their divisor.
// CHECK-LABEL: func.func @remainder
// CHECK-SAME: end = 768 : i64
// CHECK-SAME: offset = 256 : i64
// CHECK: dataflow.read
func.func @remainder(%x: index, %n: index) attributes {grid = [32]} {
  %c7 = arith.constant 7 : index
  %m = arith.andi %n, %c7 : index
  %v = ktdp.construct_memory_view %x, sizes: [100, 64], strides: [64, 1] {coordinate_set = #some, memory_space = #ktdp.memory_space<global>} : memref<100x64xf16>
  %a = ktdp.construct_access_tile %v[%m + 4, 0] {access_tile_set = #row, access_tile_order = #id} : memref<100x64xf16> -> !ktdp.access_tile<1x64xindex>
  %b = ktdp.load %a : <1x64xindex> -> tensor<1x64xf16>
  return
}

// Nothing is loaded and nothing stored where a tile has no points, or where control never comes; a tile without points is outside nothing.
// CHECK-LABEL: func.func @nowhere
// CHECK-NOT: dataflow.write
// CHECK: scf.for
// CHECK: dataflow.read
func.func @nowhere(%x: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = ktdp.construct_memory_view %x, sizes: [100, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<100x64xf16>
  %a = ktdp.construct_access_tile %v[200, 0] {access_tile_set = #empty, access_tile_order = #id} : memref<100x64xf16> -> !ktdp.access_tile<0x64xindex>
  %b = ktdp.load %a : <0x64xindex> -> tensor<0x64xf16>
  ktdp.store %b, %a : tensor<0x64xf16>, <0x64xindex>
  scf.for %i = %c1 to %c0 step %c1 {
    %d = ktdp.construct_access_tile %v[%i + 200, 0] {access_tile_set = #row, access_tile_order = #id} : memref<100x64xf16> -> !ktdp.access_tile<1x64xindex>
    %e = ktdp.load %d : <1x64xindex> -> tensor<1x64xf16>
  }
  return
}
