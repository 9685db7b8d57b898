// RUN: spyrec opt %s --normalize-control > %t && spyrec opt %s > %t.same && diff %t %t.same

func.func @as_it_is(%n: index, %if: i1) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0) -> (index) {
    %t = scf.if %if -> (index) {
      scf.yield %i : index
    } else {
      scf.yield %s : index
    }
    scf.yield %t : index
  }
  %b = scf.while (%k = %c0) : (index) -> index {
    %less = arith.cmpi slt, %k, %n : index
    scf.condition(%less) %k : index
  } do {
  ^bb0(%k: index):
    %next = arith.addi %k, %c1 : index
    scf.yield %next : index
  }
  return %a, %b : index, index
}
