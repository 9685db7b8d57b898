// A fresh tensor of its own, and ops on memrefs.
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
