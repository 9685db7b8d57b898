// RUN: spyrec opt %s --resolve-views | filecheck %s

#all = affine_set<(r, c) : (r >= 0, -r + 95 >= 0, c >= 0, -c + 63 >= 0)>
#row = affine_set<(r, c) : (r == 0, c >= 0, -c + 63 >= 0)>
#late = affine_set<(r, c) : (r - 2 == 0, c - 8 >= 0, -c + 15 >= 0)>
#id = affine_map<(r, c) -> (r, c)>

// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0 * 192 + d1 * 64)>
// CHECK-DAG: #[[SHIFTED:.*]] = affine_map<(d0) -> (d0 * 192 + 4232)>

// Elements from the argument, which is bytes; the signature has the view, read and written.
// CHECK-LABEL: func.func @rows(%x: index)
// CHECK-SAME: dataflow.signature = [{access = "rw", arg = 0 : i64, col = 8 : i64, end = 6144 : i64, line = {{.*}} : i64, name = "x", offset = 0 : i64, sizes = array<i64: 96, 64>, strides = array<i64: 64, 1>, type = f16}]
// CHECK: %[[T:.*]] = dataflow.tile_id
// CHECK: scf.for %[[I:.*]] =
// CHECK: %[[AT:.*]] = affine.apply #[[ROW]](%[[T]], %[[I]])
// CHECK: %[[A:.*]] = dataflow.read @device[%[[AT]] from %x] strides [64, 1] : tensor<1x64xf16>
// CHECK: %[[TO:.*]] = affine.apply #[[ROW]](%[[T]], %[[I]])
// CHECK: dataflow.write %[[A]], @device[%[[TO]] from %x] strides [64, 1] : tensor<1x64xf16>
// CHECK-NOT: ktdp.
func.func @rows(%x: index) attributes {grid = [32]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %t = dataflow.tile_id
  %v = ktdp.construct_memory_view %x, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  scf.for %i = %c0 to %c3 step %c1 {
    %a = ktdp.construct_access_tile %v[%t * 3 + %i, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
    %b = ktdp.load %a : <1x64xindex> -> tensor<1x64xf16>
    ktdp.store %b, %a : tensor<1x64xf16>, <1x64xindex>
  }
  return
}

// A set that does not start at 0 moves the box; a literal address is part of the offset and the name of its view.
// CHECK-LABEL: func.func @literal()
// CHECK-SAME: arg = -1 : i64
// CHECK-SAME: end = 10240 : i64
// CHECK-SAME: name = "4096", offset = 4096 : i64
// CHECK: %[[AT:.*]] = affine.apply #[[SHIFTED]](%{{.*}})
// CHECK: dataflow.read @device[%[[AT]]] strides [64, 1] : tensor<1x8xf32>
func.func @literal() attributes {grid = [8]} {
  %t = dataflow.tile_id
  %at = arith.constant 4096 : index
  %v = ktdp.construct_memory_view %at, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf32>
  %a = ktdp.construct_access_tile %v[%t * 3, 0] {access_tile_set = #late, access_tile_order = #id} : memref<96x64xf32> -> !ktdp.access_tile<1x8xindex>
  %b = ktdp.load %a : <1x8xindex> -> tensor<1x8xf32>
  return
}

// A number of elements added to the address; an argument that is a number.
// CHECK-LABEL: func.func @number(%x: index, %n: index, %unused: index)
// CHECK-SAME: end = 6656 : i64
// CHECK-SAME: name = "x", offset = 512 : i64
// CHECK-SAME: {arg = 1 : i64, name = "n", scalar, type = index}]
// CHECK: scf.for %{{.*}} = %{{.*}} to %n
func.func @number(%x: index, %n: index, %unused: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c512 = arith.constant 512 : index
  %p = arith.addi %x, %c512 : index
  %v = ktdp.construct_memory_view %p, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  scf.for %i = %c0 to %n step %c1 {
    %a = ktdp.construct_access_tile %v[7, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
    %b = ktdp.load %a : <1x64xindex> -> tensor<1x64xf16>
  }
  return
}

// A view may begin below its array, when no tile of it does: the array is asked for what tiles touch.
// CHECK-LABEL: func.func @below(%x: index)
// CHECK-SAME: end = 5632 : i64
// CHECK-SAME: name = "x", offset = 128 : i64
func.func @below(%x: index) attributes {grid = [1]} {
  %c10 = arith.constant 10 : index
  %c12 = arith.constant 12 : index
  %c1 = arith.constant 1 : index
  %c512 = arith.constant 512 : index
  %p = arith.subi %x, %c512 : index
  %v = ktdp.construct_memory_view %p, sizes: [96, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
  scf.for %i = %c10 to %c12 step %c1 {
    %a = ktdp.construct_access_tile %v[%i, 0] {access_tile_set = #row, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
    %b = ktdp.load %a : <1x64xindex> -> tensor<1x64xf16>
  }
  return
}
