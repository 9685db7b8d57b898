// Coordinates that are looked up: the list of indices is read first. An index that is not in its view is read as -1.
//
// RUN: spyrec opt %s --resolve-views 2>/dev/null | filecheck %s

#table = affine_set<(r, c) : (r >= 0, -r + 99 >= 0, c >= 0, -c + 63 >= 0)>
#pages = affine_set<(p, s, c) : (p >= 0, -p + 31 >= 0, s >= 0, -s + 15 >= 0, c >= 0, -c + 63 >= 0)>
#line = affine_set<(r) : (r >= 0, -r + 31 >= 0)>
#block = affine_set<(r, c) : (r >= 0, -r + 7 >= 0, c >= 0, -c + 63 >= 0)>
#long = affine_set<(t, c) : (t >= 0, -t + 39 >= 0, c >= 0, -c + 63 >= 0)>
#id = affine_map<(r, c) -> (r, c)>
#swap = affine_map<(r, c) -> (c, r)>

// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[FIRST:.*]] = affine_map<(d0, d1) -> (0)>
// CHECK-DAG: #[[PAGE:.*]] = affine_map<(d0, d1, d2) -> (d0)>
// CHECK-DAG: #[[REST:.*]] = affine_set<(d0, d1, d2) : (d0 * 16 + d1 - 5 >= 0, d0 * -16 - d1 + 44 >= 0)>

// CHECK-LABEL: func.func @gather
// CHECK: %[[L:.*]] = dataflow.read @device[%{{.*}} from %i] strides [1] : tensor<8xi32>
// CHECK: dataflow.read @device[%{{.*}} from %x] strides [0, 1] index(%[[L]] : tensor<8xi32>) below [100] {index_maps = [#[[ROW]]], index_scales = array<i64: 64>} : tensor<8x64xf16>
// CHECK: %[[M:.*]] = dataflow.read @device[%{{.*}} from %i] strides [1] clip [0] to [%{{.*}}] fill -1 : tensor<8xi32>
// CHECK: dataflow.read @device[%{{.*}} from %x] strides [1, 0] index(%[[M]] : tensor<8xi32>) below [100] {index_maps = [#[[COLUMN]]], index_scales = array<i64: 64>} : tensor<64x8xf16>
func.func @gather(%x: index, %i: index) attributes {grid = [4]} {
  %t = dataflow.tile_id
  %v = ktdp.construct_memory_view %x, sizes: [100, 64], strides: [64, 1] {coordinate_set = #table, memory_space = #ktdp.memory_space<global>} : memref<100x64xf16>
  %l = ktdp.construct_memory_view %i, sizes: [32], strides: [1] {coordinate_set = #line, memory_space = #ktdp.memory_space<global>} : memref<32xsi32>
  %first = affine.apply affine_map<(d0) -> (d0 * 8)>(%t)
  %a = ktdp.construct_indirect_access_tile intermediate_variables(%r, %c) %v[ind(%l[%first + %r]), (%c)]
    {variables_space_set = #block, variables_space_order = #id} : memref<100x64xf16>, memref<32xsi32> -> !ktdp.access_tile<8x64xindex>
  %b = ktdp.load %a : <8x64xindex> -> tensor<8x64xf16>
  %d = ktdp.construct_indirect_access_tile intermediate_variables(%r, %c) %v[ind(%l[%first + %r + 1]), (%c)]
    {variables_space_set = #block, variables_space_order = #swap} : memref<100x64xf16>, memref<32xsi32> -> !ktdp.access_tile<64x8xindex>
  %e = ktdp.load %d : <64x8xindex> -> tensor<64x8xf16>
  return
}

// One index for all points is a list too.
// CHECK-LABEL: func.func @page
// CHECK: %[[L:.*]] = dataflow.read @device[%{{.*}} from %i] strides [0] clip [0] to [%{{.*}}] fill -1 : tensor<1xi64>
// CHECK: dataflow.write %{{.*}}, @device[%{{.*}} from %x] strides [64, 1] index(%{{.*}} : tensor<1xi64>) below [32] {index_maps = [#[[FIRST]]], index_scales = array<i64: 1024>} : tensor<8x64xf16>
func.func @page(%x: index, %i: index, %n: index) attributes {grid = [1]} {
  %v = ktdp.construct_memory_view %x, sizes: [32, 16, 64], strides: [1024, 64, 1] {coordinate_set = #pages, memory_space = #ktdp.memory_space<global>} : memref<32x16x64xf16>
  %l = ktdp.construct_memory_view %i, sizes: [32], strides: [1] {coordinate_set = #line, memory_space = #ktdp.memory_space<global>} : memref<32xi64>
  %a = ktdp.construct_indirect_access_tile intermediate_variables(%s, %c) %v[ind(%l[%n]), (%s + 8), (%c)]
    {variables_space_set = #block, variables_space_order = #id} : memref<32x16x64xf16>, memref<32xi64> -> !ktdp.access_tile<8x64xindex>
  %b = ktdp.construct_indirect_access_tile intermediate_variables(%s, %c) %v[ind(%l[%n]), (%s), (%c)]
    {variables_space_set = #block, variables_space_order = #id} : memref<32x16x64xf16>, memref<32xi64> -> !ktdp.access_tile<8x64xindex>
  %d = ktdp.load %b : <8x64xindex> -> tensor<8x64xf16>
  ktdp.store %d, %a : tensor<8x64xf16>, <8x64xindex>
  return
}

// A variable that is divided is two dimensions of the box, and one of the tensor again: here from token 5 on.
// CHECK-LABEL: func.func @divided
// CHECK: %[[L:.*]] = dataflow.read @device[%{{.*}} from %i] strides [1] : tensor<3xi32>
// CHECK: %[[B:.*]] = dataflow.read @device[%{{.*}} from %x] strides [0, 64, 1] set #[[REST]] index(%[[L]] : tensor<3xi32>) below [32] {index_maps = [#[[PAGE]]], index_scales = array<i64: 1024>} : tensor<3x16x64xf16>
// CHECK: %[[C:.*]] = tensor.collapse_shape %[[B]] {{\[\[}}0, 1], [2]] : tensor<3x16x64xf16> into tensor<48x64xf16>
// CHECK: tensor.extract_slice %[[C]][5, 0] [40, 64] [1, 1] : tensor<48x64xf16> to tensor<40x64xf16>
func.func @divided(%x: index, %i: index) attributes {grid = [1]} {
  %v = ktdp.construct_memory_view %x, sizes: [32, 16, 64], strides: [1024, 64, 1] {coordinate_set = #pages, memory_space = #ktdp.memory_space<global>} : memref<32x16x64xf16>
  %l = ktdp.construct_memory_view %i, sizes: [32], strides: [1] {coordinate_set = #line, memory_space = #ktdp.memory_space<global>} : memref<32xi32>
  %a = ktdp.construct_indirect_access_tile intermediate_variables(%t, %c) %v[ind(%l[(%t + 5) floordiv 16]), ((%t + 5) mod 16), (%c)]
    {variables_space_set = #long, variables_space_order = #id} : memref<32x16x64xf16>, memref<32xi32> -> !ktdp.access_tile<40x64xindex>
  %b = ktdp.load %a : <40x64xindex> -> tensor<40x64xf16>
  return
}
