// A pair that a loop swaps, and one that starts from the same constant twice and is permuted: the constant is used
// after the loop again.
func.func @carried(%x: index, %y: index, %n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c192 = arith.constant 192 : index
  %f1 = arith.constant 1.0 : f16
  %a = dataflow.read @device[%c0 from %x] strides [1] : tensor<64xf16>
  %b = dataflow.read @device[%c64 from %x] strides [1] : tensor<64xf16>
  %e = tensor.empty() : tensor<64xf16>
  %one = linalg.fill ins(%f1 : f16) outs(%e : tensor<64xf16>) -> tensor<64xf16>
  %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %a, %t = %b, %p = %one, %q = %one) -> (tensor<64xf16>, tensor<64xf16>, tensor<64xf16>, tensor<64xf16>) {
    %sum = arith.addf %p, %q : tensor<64xf16>
    scf.yield %t, %s, %q, %sum : tensor<64xf16>, tensor<64xf16>, tensor<64xf16>, tensor<64xf16>
  }
  %more = arith.addf %r#2, %one : tensor<64xf16>
  dataflow.write %r#0, @device[%c0 from %y] strides [1] : tensor<64xf16>
  dataflow.write %r#1, @device[%c64 from %y] strides [1] : tensor<64xf16>
  dataflow.write %more, @device[%c128 from %y] strides [1] : tensor<64xf16>
  dataflow.write %r#3, @device[%c192 from %y] strides [1] : tensor<64xf16>
  return
}
