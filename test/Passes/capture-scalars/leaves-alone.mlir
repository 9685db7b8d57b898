// A tensor of rank 0 is memory that a stream walks with stride 0.
//
// RUN: spyrec opt %s --capture-scalars > %t && spyrec opt %s > %t.same && diff %t %t.same

#id = affine_map<(c) -> (c)>
#none = affine_map<(c) -> ()>
func.func @rank_0(%x: tensor<f16>, %e: tensor<64xf16>) -> tensor<64xf16> {
  %r = linalg.generic {indexing_maps = [#none, #id], iterator_types = ["parallel"]} ins(%x : tensor<f16>) outs(%e : tensor<64xf16>) {
  ^bb0(%a: f16, %o: f16):
    linalg.yield %a : f16
  } -> tensor<64xf16>
  return %r : tensor<64xf16>
}
