// Our passes and MLIR's run in one pipeline, spelled as flags or as text, with one dash or two.
//
// RUN: spyrec opt %s --select-kernel=name=b --cse | filecheck %s
// RUN: spyrec opt -select-kernel=name=b -cse %s | filecheck %s
// RUN: spyrec opt --pass-pipeline='builtin.module(select-kernel{name=b},func.func(cse))' < %s | filecheck %s
// RUN: spyrec-opt -pass-pipeline 'builtin.module(select-kernel{name=b},func.func(cse))' %s -o %t && filecheck %s < %t
// RUN: spyrec opt --pass-pipeline='builtin.module(func.func(cse,simplify-indices),select-kernel{name=b})' --dump-pass-pipeline %s 2>&1 >/dev/null | filecheck %s --check-prefix=DUMP
// RUN: spyrec opt --verify-roundtrip %s | filecheck %s --check-prefix=KEPT
// RUN: spyrec opt %s --mlir-print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: spyrec opt %s --mlir-print-debuginfo | filecheck %s --check-prefix=DEBUG
// RUN: spyrec opt %s --cse --mlir-timing 2>&1 >/dev/null | filecheck %s --check-prefix=TIMING

// CHECK-NOT: @a
// CHECK: func.func @b(%[[X:.*]]: i32) -> i32
// CHECK-NEXT: %[[S:.*]] = arith.addi %[[X]], %[[X]] : i32
// CHECK-NEXT: arith.muli %[[S]], %[[S]]
// DUMP: Pass Manager with 2 passes:
// DUMP-NEXT: {{^}}builtin.module(
// DUMP-NEXT: {{^}}  func.func(
// DUMP-NEXT: {{^}}    cse,
// DUMP-NEXT: {{^}}    simplify-indices
// DUMP-NEXT: {{^}}  ),
// DUMP-NEXT: {{^}}  select-kernel{name=b}
// DUMP-NEXT: {{^}})
// KEPT: func.func @a
// KEPT: func.func @b
// GENERIC: "func.func"()
// GENERIC: "arith.addi"(
// DEBUG: func.func @b
// DEBUG: loc(
// TIMING: Execution time report
// TIMING: Parser
// TIMING: CSEPass
// TIMING: Output

func.func @a() {
  return
}

func.func @b(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %x, %x : i32
  %2 = arith.muli %0, %1 : i32
  return %2 : i32
}
