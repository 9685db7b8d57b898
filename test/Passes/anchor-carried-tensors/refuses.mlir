// Tensors that a loop carries whose iterations nobody can count.
//
// RUN: spyrec opt %s --anchor-carried-tensors --verify-diagnostics

func.func @repeats(%x: tensor<64xf16>, %n: index) -> tensor<64xf16> {
  %c1 = arith.constant 1 : index
  // expected-error@+2 {{'scf.while' hands on tensors, and only scf.for and scf.if may}}
  // expected-note@+1 {{carry the tensor through an scf.for, or store it}}
  %r:2 = scf.while (%k = %n, %t = %x) : (index, tensor<64xf16>) -> (index, tensor<64xf16>) {
    %more = arith.cmpi slt, %k, %n : index
    scf.condition(%more) %k, %t : index, tensor<64xf16>
  } do {
  ^bb0(%k: index, %t: tensor<64xf16>):
    %m = arith.addi %k, %c1 : index
    scf.yield %m, %t : index, tensor<64xf16>
  }
  return %r#1 : tensor<64xf16>
}
