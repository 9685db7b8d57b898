// Loops that count 0, 1, 2, ..., and loops whose step is a constant below 1.
//
// RUN: spyrec opt %s --normalize-loops > %t && spyrec opt %s > %t.same && diff %t %t.same

func.func @as_it_is(%n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cm1 = arith.constant -1 : index
  scf.for %i = %c0 to %n step %c1 {
    %0 = arith.addi %i, %i : index
  }
  scf.for %i = %c0 to %n step %cm1 {
    %0 = arith.addi %i, %i : index
  }
  return
}
