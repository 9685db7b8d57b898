// RUN: spyrec opt %s --normalize-reductions --verify-diagnostics

#id = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>
func.func @two_starts(%x: tensor<4x64xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%o = %e, %last = %e) -> (tensor<4xf32>, tensor<4xf32>) {
    // expected-remark@+2 {{maximumf starts from its identity}}
    // expected-note@+1 {{here}}
    %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x64xf32>) outs(%o : tensor<4xf32>) {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.maximumf %b, %a : f32
      linalg.yield %0 : f32
    } -> tensor<4xf32>
    // expected-remark@+3 {{addf starts from its identity}}
    // expected-error@+2 {{arith.addf would start from an empty tensor that arith.maximumf starts from, too}}
    // expected-note@+1 {{fill the initial value of both}}
    %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x64xf32>) outs(%o : tensor<4xf32>) {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %b, %a : f32
      linalg.yield %0 : f32
    } -> tensor<4xf32>
    scf.yield %m, %s : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}
