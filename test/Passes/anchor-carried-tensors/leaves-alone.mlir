// Scalars that are carried, loops and branches that hand on nothing, and tensors that pass through unchanged.
//
// RUN: spyrec opt %s --anchor-carried-tensors > %t && spyrec opt %s > %t.same && diff %t %t.same

func.func @as_it_is(%x: tensor<64xf16>, %n: index, %c: i1) -> (tensor<64xf16>, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x, %k = %c0) -> (tensor<64xf16>, index) {
    %m = arith.addi %k, %i : index
    scf.yield %p, %m : tensor<64xf16>, index
  }
  %s = scf.if %c -> index {
    scf.yield %c0 : index
  } else {
    scf.yield %n : index
  }
  scf.for %i = %c0 to %n step %c1 {
    %t = scf.while (%k = %i) : (index) -> index {
      %more = arith.cmpi slt, %k, %n : index
      scf.condition(%more) %k : index
    } do {
    ^bb0(%k: index):
      %m = arith.addi %k, %c1 : index
      scf.yield %m : index
    }
  }
  return %r#0, %r#1, %s : tensor<64xf16>, index, index
}
