// A depth that somebody has chosen, and buffers that no loop is around.
//
// RUN: spyrec opt %s --choose-buffer-depth > %t && spyrec opt %s | cmp - %t
// RUN: spyrec opt %s --choose-buffer-depth=depth=4 | cmp - %t

func.func private @elsewhere(index)

func.func @chosen(%x: index, %n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %once = dataflow.alloc {depth = 1 : i64, name = "once"} : memref<64xf16, "lx">
  scf.for %i = %c0 to %n step %c1 {
    %a = dataflow.alloc {depth = 3 : i64, name = "x"} : memref<64xf16, "lx">
    dataflow.data_transfer from @device[%i from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
  }
  return
}
