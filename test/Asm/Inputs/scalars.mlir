#id = affine_map<(d0) -> (d0)>
func.func @s(%x: tensor<64xf16>, %i: i32, %d: !spyreop.df16, %f: f32) {
  %e = tensor.empty() : tensor<64xf16>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<64xf16>) outs(%e : tensor<64xf16>) {
    ^bb0(%a: f16, %o: f16):
      %s = spyreop.sigmoid %a : f16
      %m = spyreop.realdiv %a, %s : f16
      linalg.yield %m : f16
  } -> tensor<64xf16>
  %m = linalg.map { spyreop.exp } ins(%x : tensor<64xf16>) outs(%e : tensor<64xf16>)
  %j = spyreop.addi32toi32 %i, %i
  %k = spyreop.compare <equal> %d, %d : !spyreop.df16
  %k2 = spyreop.compare #spyreop.compare_predicate<notequal> %d, %d : !spyreop.df16
  %c = spyreop.constant 1.0 : f16
  %c2 = spyreop.constant 2.5e-3 : f32
  %sel = spyreop.select %k, %d, %k2 : !spyreop.df16
  %sp = spyreop.softplus %d beta 1.0 threshold 20.0 : !spyreop.df16
  %n = "spyreop.exp"(%f) {my.attr = 3 : i64} : (f32) -> f32
  return
}
