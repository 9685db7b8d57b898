// Messages are checked against the comments, part by part; a message too many or too few fails.
//
// RUN: spyrec opt %s --split-input-file --verify-diagnostics
// RUN: not 1 spyrec opt %s --split-input-file 2>&1 | filecheck %s --check-prefix=SHOWN
// RUN: sed 's/expected-erro[r]/unexpected/' %s > %t && not 1 spyrec opt %t --split-input-file --verify-diagnostics 2>&1 | filecheck %s --check-prefix=MANY
// RUN: sed 's/%%y : i3[2]/%%x : i32/' %s > %t && not 1 spyrec opt %t --split-input-file --verify-diagnostics 2>&1 | filecheck %s --check-prefix=FEW

// SHOWN: opt-verify-diagnostics.mlir:14:10: error: {{.*}}%y
// MANY: error: unexpected error: {{.*}}%y
// FEW: error: expected error "%y" was not produced

func.func @f(%x: i32) -> i32 {
  // expected-error@+1 {{%y}}
  return %y : i32
}

// -----

func.func @g(%x: i32) -> i32 {
  return %x : i32
}
