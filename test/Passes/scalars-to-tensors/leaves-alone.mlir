// Scalars, and constants of several values.
//
// RUN: spyrec opt %s --scalars-to-tensors > %t && spyrec opt %s > %t.same && diff %t %t.same

func.func @as_it_is(%x: tensor<2xf16>) -> (tensor<2xf16>, f16) {
  %s = arith.constant 2.0 : f16
  %t = arith.constant dense<[1.0, 2.0]> : tensor<2xf16>
  %a = arith.addf %x, %t : tensor<2xf16>
  return %a, %s : tensor<2xf16>, f16
}
