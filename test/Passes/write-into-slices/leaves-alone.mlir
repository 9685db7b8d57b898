// A result that is used twice, one that is inserted in another block, an accumulator, a tensor that others know of.
//
// RUN: spyrec opt %s --write-into-slices > %t && spyrec opt %s > %t.same && diff %t %t.same

#id = affine_map<(c) -> (c)>
func.func @as_it_is(%x: tensor<32xf16>, %w: tensor<64xf16>, %c: i1) -> (tensor<64xf16>, tensor<64xf16>, tensor<64xf16>, tensor<32xf16>) {
  %f = bufferization.alloc_tensor() {memory_space = "lx"} : tensor<32xf16>
  %twice = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<32xf16>) outs(%f : tensor<32xf16>) {
  ^bb0(%u: f16, %o: f16):
    linalg.yield %u : f16
  } -> tensor<32xf16>
  %a = tensor.insert_slice %twice into %w[0] [32] [1] : tensor<32xf16> into tensor<64xf16>
  %g = bufferization.alloc_tensor() {memory_space = "lx"} : tensor<32xf16>
  %inner = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<32xf16>) outs(%g : tensor<32xf16>) {
  ^bb0(%u: f16, %o: f16):
    linalg.yield %u : f16
  } -> tensor<32xf16>
  %b = scf.if %c -> tensor<64xf16> {
    %in = tensor.insert_slice %inner into %w[0] [32] [1] : tensor<32xf16> into tensor<64xf16>
    scf.yield %in : tensor<64xf16>
  } else {
    scf.yield %w : tensor<64xf16>
  }
  %sum = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<32xf16>) outs(%x : tensor<32xf16>) {
  ^bb0(%u: f16, %o: f16):
    %0 = arith.addf %u, %o : f16
    linalg.yield %0 : f16
  } -> tensor<32xf16>
  %d = tensor.insert_slice %sum into %w[0] [32] [1] : tensor<32xf16> into tensor<64xf16>
  return %a, %b, %d, %twice : tensor<64xf16>, tensor<64xf16>, tensor<64xf16>, tensor<32xf16>
}
