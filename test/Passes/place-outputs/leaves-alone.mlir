// A fresh tensor of its own, what a reduction accumulates into though nobody uses it, and ops on memrefs.
//
// RUN: spyrec opt %s --place-outputs > %t && spyrec opt %s > %t.same && diff %t %t.same

#id = affine_map<(c) -> (c)>
func.func @as_it_is(%x: tensor<64xf16>, %m: memref<64xf16, "lx">) -> tensor<64xf16> {
  %f = bufferization.alloc_tensor() {memory_space = "lx"} : tensor<64xf16>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<64xf16>) outs(%f : tensor<64xf16>) {
  ^bb0(%a: f16, %o: f16):
    linalg.yield %a : f16
  } -> tensor<64xf16>
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%m : memref<64xf16, "lx">) {
  ^bb0(%o: f16):
    linalg.yield %o : f16
  }
  return %p : tensor<64xf16>
}

#none = affine_map<(c) -> ()>
func.func @accumulates(%x: tensor<64xf16>, %m: tensor<f16>, %n: tensor<f16>) -> tensor<f16> {
  %r:2 = linalg.generic {indexing_maps = [#id, #none, #none], iterator_types = ["reduction"]} ins(%x : tensor<64xf16>) outs(%m, %n : tensor<f16>, tensor<f16>) {
  ^bb0(%a: f16, %o: f16, %p: f16):
    %0 = arith.maximumf %a, %o : f16
    %1 = arith.addf %0, %p : f16
    linalg.yield %0, %1 : f16, f16
  } -> (tensor<f16>, tensor<f16>)
  return %r#1 : tensor<f16>
}
