// What is called and has no grid is no kernel; inlining and symbol-dce then leave nothing of it.
//
// RUN: spyrec opt %s --privatize-helpers | filecheck %s
// RUN: spyrec opt %s --privatize-helpers --inline --symbol-dce | filecheck %s --check-prefix=GONE

// CHECK: func.func private @half
// CHECK: func.func @kernel
// CHECK: func.func @uncalled
// CHECK: func.func @other_kernel
// GONE-NOT: @half
// GONE: func.func @kernel
// GONE: arith.muli
func.func @half(%x: index) -> index {
  %0 = arith.muli %x, %x : index
  return %0 : index
}

func.func private @elsewhere(index)

func.func @kernel(%x: index) attributes {grid = [32]} {
  %0 = func.call @half(%x) : (index) -> index
  func.call @elsewhere(%0) : (index) -> ()
  func.call @other_kernel(%0) : (index) -> ()
  return
}

func.func @uncalled() {
  return
}

func.func @other_kernel(%x: index) attributes {grid = [1]} {
  return
}
