// Reads and writes stand where the load and the store did, by the locations of a frontend too; so does what computes their offsets.
//
// RUN: spyrec opt %s --resolve-views --mlir-print-debuginfo | filecheck %s

#all = affine_set<(c) : (c >= 0, -c + 127 >= 0)>
#half = affine_set<(c) : (c >= 0, -c + 63 >= 0)>
#id = affine_map<(c) -> (c)>
// CHECK: %[[AT:.*]] = affine.apply #{{.*}}(%{{.*}}) loc(#[[LOAD:.*]])
// CHECK: dataflow.read @device[%[[AT]] from %x] strides [1] : tensor<64xf16> loc(#[[LOAD]])
// CHECK: dataflow.write {{.*}} loc(#[[STORE:.*]])
// CHECK-DAG: #[[LOAD]] = loc("kernel.py":7:9)
// CHECK-DAG: #[[STORE]] = loc("kernel.py":8:5)
func.func @half(%x: index) attributes {grid = [2]} {
  %t = dataflow.tile_id
  %v = ktdp.construct_memory_view %x, sizes: [128], strides: [1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<128xf16>
  %a = ktdp.construct_access_tile %v[%t * 64] {access_tile_set = #half, access_tile_order = #id} : memref<128xf16> -> !ktdp.access_tile<64xindex>
  %b = ktdp.load %a : <64xindex> -> tensor<64xf16> loc("kernel.py":7:9)
  ktdp.store %b, %a : tensor<64xf16>, <64xindex> loc("kernel.py":8:5)
  return
}
