// Buffers of two memories share no byte though their addresses are the same: each is ordered by itself, as deep as it is. Then a
// program has the buffers of both, and each unit its leg.
//
// RUN: spyrec opt %s --device=%S/../../Devices/Inputs/staged.mlir --insert-synchronization | filecheck %s
// RUN: spyrec opt %s --device=%S/../../Devices/Inputs/staged.mlir --insert-synchronization --split-units | filecheck %s --check-prefix=SPLIT

// CHECK-LABEL: func.func @copy
// CHECK-DAG: dataflow.channel @s_full from @fetch to @fill {init = 0 : i64}
// CHECK-DAG: dataflow.channel @x_full from @fill to @drain {init = 0 : i64}
// CHECK-DAG: dataflow.channel @s_free from @fill to @fetch {init = 3 : i64}
// CHECK-DAG: dataflow.channel @x_free from @drain to @fill {init = 2 : i64}
// CHECK-NOT: dataflow.channel
// CHECK: scf.for

// SPLIT-LABEL: func.func @copy
// SPLIT-DAG: dataflow.buffer @s {address = 0 : i64, depth = 3 : i64, slot_bytes = 128 : i64, space = "l1"}
// SPLIT-DAG: dataflow.buffer @x {address = 0 : i64, depth = 2 : i64, slot_bytes = 128 : i64}
// SPLIT: dataflow.program_unit @fetch
// SPLIT: dataflow.transfer @device[%{{.*}} from %x] strides [2] to @l1[%{{.*}} in @s] strides [2] counts [64]
// SPLIT: dataflow.program_unit @fill
// SPLIT: dataflow.transfer @l1[%{{.*}} in @s] strides [2] to @lx[%{{.*}} in @x] strides [2] counts [64]
func.func @copy(%x: index, %z: index, %n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %o = affine.apply affine_map<(i) -> (i * 64)>(%i)
    %s = dataflow.alloc {address = 0, depth = 3, name = "s", slot_bytes = 128} : memref<64xf16, "l1">
    dataflow.data_transfer from @device[%o from %x] strides [1] to %s {route = ["ddr", "fetch", "l1"], unit = @fetch} : memref<64xf16, "l1">
    %b = dataflow.alloc {address = 0, depth = 2, name = "x", slot_bytes = 128} : memref<64xf16, "lx">
    dataflow.data_transfer from %s to %b {route = ["l1", "fill", "lx"], unit = @fill} : memref<64xf16, "l1">, memref<64xf16, "lx">
    dataflow.data_transfer from %b to @device[%o from %z] strides [1] {route = ["lx", "drain", "ddr"], unit = @drain} : memref<64xf16, "lx">
  }
  return
}
