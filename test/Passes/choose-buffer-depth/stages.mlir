// Depths are what fits into each memory: in LX (256 KiB) three slots of 24 KiB each, in the stage (64 KiB) two of one and one of the other.
//
// RUN: spyrec opt %s --device=%S/../../Devices/Inputs/staged.mlir --choose-buffer-depth=depth=3 | filecheck %s

// CHECK-LABEL: func.func @two_memories
// CHECK: dataflow.alloc {depth = 3 : i64, name = "x"} : memref<12288xf16, "lx">
// CHECK: dataflow.alloc {depth = 2 : i64, name = "x_l1"} : memref<8192xf16, "l1">
// CHECK: dataflow.alloc {depth = 3 : i64, name = "y"} : memref<12288xf16, "lx">
// CHECK: dataflow.alloc {depth = 1 : i64, name = "y_l1"} : memref<12288xf16, "l1">
func.func @two_memories(%n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = dataflow.alloc {name = "x"} : memref<12288xf16, "lx">
    %b = dataflow.alloc {name = "x_l1"} : memref<8192xf16, "l1">
    %c = dataflow.alloc {name = "y"} : memref<12288xf16, "lx">
    %d = dataflow.alloc {name = "y_l1"} : memref<12288xf16, "l1">
  }
  return
}
