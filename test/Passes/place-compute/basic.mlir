// Compute on buffers names the vector unit of the device at hand; what has a unit, and what is on tensors, stays.
//
// RUN: spyrec opt %s --place-compute | filecheck %s
// RUN: spyrec opt %s --device=%S/../materialize-tiles/Inputs/one_way.mlir --place-compute | filecheck %s --check-prefix=LANES

#id = affine_map<(c) -> (c)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
#id2 = affine_map<(m, n) -> (m, n)>

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

// Sums of products are for the matrix unit if it has the types of both factors: a second operand in the other order, an
// output that is narrower than the sum. Elsewhere, and for anything else than such a sum, the vector unit does it.
// CHECK-LABEL: func.func @contracts
// CHECK: {dataflow.unit = @pt}
// CHECK: {dataflow.unit = @sfu}
// CHECK: {dataflow.unit = @sfu}
// CHECK: {dataflow.unit = @sfu}
// LANES-LABEL: func.func @contracts
// LANES-NOT: @pt
func.func @contracts() {
  %a = dataflow.alloc : memref<16x32xf16, "lx">
  %b = dataflow.alloc : memref<8x32xf16, "lx">
  %c = dataflow.alloc : memref<16x8xf16, "lx">
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<16x32xf16, "lx">, memref<8x32xf16, "lx">) outs(%c : memref<16x8xf16, "lx">) {
  ^bb0(%p: f16, %q: f16, %o: f16):
    %0 = arith.mulf %p, %q : f16
    %1 = arith.addf %o, %0 : f16
    linalg.yield %1 : f16
  }
  // The product is rounded to f16 before it is widened: no unrounded sum.
  %w = dataflow.alloc : memref<16x8xf32, "lx">
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<16x32xf16, "lx">, memref<8x32xf16, "lx">) outs(%w : memref<16x8xf32, "lx">) {
  ^bb0(%p: f16, %q: f16, %o: f32):
    %0 = arith.mulf %p, %q : f16
    %1 = arith.extf %0 : f16 to f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  }
  // Nothing is summed: each product is rounded.
  %x = dataflow.alloc : memref<16x8xf16, "lx">
  linalg.generic {indexing_maps = [#id2, #id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%c, %x : memref<16x8xf16, "lx">, memref<16x8xf16, "lx">) outs(%x : memref<16x8xf16, "lx">) {
  ^bb0(%p: f16, %q: f16, %o: f16):
    %0 = arith.mulf %p, %q : f16
    %1 = arith.addf %o, %0 : f16
    linalg.yield %1 : f16
  }
  // No lanes for f32.
  %f = dataflow.alloc : memref<16x32xf32, "lx">
  %g = dataflow.alloc : memref<8x32xf32, "lx">
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%f, %g : memref<16x32xf32, "lx">, memref<8x32xf32, "lx">) outs(%w : memref<16x8xf32, "lx">) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
