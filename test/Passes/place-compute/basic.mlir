// Compute on buffers names the vector unit of the device at hand; what has a unit, and what is on tensors, stays.
//
// RUN: spyrec opt %s --place-compute | filecheck %s
// RUN: spyrec opt %s --device=%S/../materialize-tiles/Inputs/one_way.mlir --place-compute | filecheck %s --check-prefix=LANES

#id = affine_map<(c) -> (c)>

// CHECK: attrs = {{.*}}{dataflow.unit = @sfu}
// CHECK: attrs = {{.*}}{dataflow.unit = @pt}
// CHECK-NOT: dataflow.unit
// LANES: attrs = {{.*}}{dataflow.unit = @lanes}
// LANES: attrs = {{.*}}{dataflow.unit = @pt}
func.func @computes(%t: tensor<64xf16>) {
  %b = dataflow.alloc : memref<64xf16, "lx">
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%b : memref<64xf16, "lx">) {
  ^bb0(%o: f16):
    linalg.yield %o : f16
  }
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%b : memref<64xf16, "lx">) attrs = {dataflow.unit = @pt} {
  ^bb0(%o: f16):
    linalg.yield %o : f16
  }
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%t : tensor<64xf16>) {
  ^bb0(%o: f16):
    linalg.yield %o : f16
  } -> tensor<64xf16>
  return
}
