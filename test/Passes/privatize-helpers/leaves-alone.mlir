// Kernels, also one that another one calls; functions that nobody calls; and what is private.
//
// RUN: spyrec opt %s --privatize-helpers > %t && spyrec opt %s | cmp - %t

func.func private @own(%x: index) -> index {
  return %x : index
}

func.func @called(%x: index) attributes {grid = [4]} {
  return
}

func.func @kernel(%x: index) attributes {grid = [32]} {
  %0 = func.call @own(%x) : (index) -> index
  func.call @called(%0) : (index) -> ()
  return
}

func.func @alone() {
  return
}
