// Expectations belong to their part of the file: what one part says meets no comment of another.
//
// RUN: spyrec opt %s --split-input-file --verify-diagnostics -o /dev/null
// RUN: spyrec opt %s --split-input-file --verify-diagnostics=all -o /dev/null
// RUN: sed 's/expected-error-re@+[1]/nothing/' %s > %t && not 1 spyrec opt %t --split-input-file --verify-diagnostics 2>&1 | filecheck %s --check-prefix=LOST
// RUN: spyrec opt %t --split-input-file --verify-diagnostics=only-expected -o /dev/null
// RUN: sed 's/^\/\/ ----[-]/\/\/ ====/' %s > %t.other
// RUN: spyrec opt %t.other --split-input-file='// ====' --output-split-marker='// ++++' --verify-diagnostics | filecheck %s --check-prefix=MARKER

// LOST: .tmp:{{[0-9]+}}:10: error: unexpected error: {{.*}}%y
// LOST-NOT: error:
// MARKER: @first
// MARKER: {{^}}// ++++{{$}}
// MARKER-NEXT: // ++++

func.func @first(%x: i32) -> i32 {
  return %x : i32
}

// -----

func.func @second(%x: i32) -> i32 {
  // expected-error-re@+1 {{nothing {{.*}} defines {{%[[:alpha:]]$}}}}
  return %y : i32
}

// -----

func.func @third(%x: i32) -> i64 {
  return %x : i32
  // expected-error @above {{type of return operand}}
}
