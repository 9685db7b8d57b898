// Ops that name a corelet already, what is on tensors, and what would gain less than it costs.
//
// RUN: spyrec opt %s --split-corelets > %t && spyrec opt %s | cmp - %t

#id = affine_map<(a, b) -> (a, b)>

func.func private @elsewhere(index)

func.func @cut(%x: memref<64x512xf16, "lx">, %y: memref<64x512xf16, "lx">) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x512xf16, "lx">) outs(%y : memref<64x512xf16, "lx">) attrs = {dataflow.corelet = 1 : i64, dataflow.unit = @sfu} {
  ^bb0(%p: f16, %o: f16):
    %0 = math.exp %p : f16
    linalg.yield %0 : f16
  }
  return
}

func.func @small(%x: memref<2x64xf16, "lx">, %y: memref<2x64xf16, "lx">) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<2x64xf16, "lx">) outs(%y : memref<2x64xf16, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f16, %o: f16):
    %0 = arith.negf %p : f16
    linalg.yield %0 : f16
  }
  return
}

func.func @tensors(%x: tensor<64x512xf16>) -> tensor<64x512xf16> {
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%x : tensor<64x512xf16>) {
  ^bb0(%o: f16):
    %0 = math.exp %o : f16
    linalg.yield %0 : f16
  } -> tensor<64x512xf16>
  return %r : tensor<64x512xf16>
}
