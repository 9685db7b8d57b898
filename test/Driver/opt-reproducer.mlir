// A reproducer holds the IR right before the pass that failed, and that pass alone; --run-reproducer takes it.
//
// RUN: rm -rf %t && mkdir %t
// RUN: not 1 spyrec opt %s --cse --transform-interpreter --canonicalize --mlir-pass-pipeline-crash-reproducer=%t/r.mlir --mlir-pass-pipeline-local-reproducer 2>&1 | filecheck %s --check-prefix=SAID
// RUN: filecheck %s --check-prefix=SMALL < %t/r.mlir
// RUN: not 1 spyrec opt --run-reproducer %t/r.mlir 2>&1 | filecheck %s --check-prefix=AGAIN

// SAID: error: could not find a nested named sequence
// SAID: note: to reproduce: spyrec opt --run-reproducer {{.*}}/r.mlir
// SMALL: arith.addi
// SMALL-NOT: arith.addi
// SMALL: external_resources:
// SMALL: mlir_reproducer:
// SMALL: pipeline: "builtin.module(transform-interpreter)"
// SMALL: verify_each: true
// AGAIN: error: could not find a nested named sequence

// One of a run that does not fail has the whole pipeline and what was read; MLIR's own key words.
//
// RUN: spyrec opt %s --pass-pipeline='builtin.module(func.func(cse,canonicalize))' --verify-each=false --mlir-generate-reproducer=%t/g.mlir -o %t/once.mlir
// RUN: filecheck %s --check-prefix=WHOLE < %t/g.mlir
// RUN: spyrec opt --run-reproducer %t/g.mlir | cmp - %t/once.mlir

// WHOLE: arith.addi
// WHOLE-NEXT: arith.addi
// WHOLE: pipeline: "builtin.module(func.func(cse,canonicalize))"
// WHOLE-NEXT: disable_threading: true
// WHOLE-NEXT: verify_each: false

// A pass that refuses what the user wrote leaves none when nobody asked for it.
//
// RUN: env SPYREC_DUMP_DIR=%t/none not 1 spyrec opt %s --transform-interpreter
// RUN: not ls %t/none

func.func @f(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %x, %x : i32
  %2 = arith.muli %0, %1 : i32
  return %2 : i32
}
