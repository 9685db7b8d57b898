// Buffers of memories that the device does not have, and a function without a body.
//
// RUN: spyrec opt %s --assign-addresses > %t && spyrec opt %s | cmp - %t

func.func private @elsewhere(index)

func.func @others(%m: memref<64xf16>) attributes {grid = [1]} {
  %a = dataflow.alloc {name = "a"} : memref<64xf16, "l9">
  return
}
