// IR around passes comes on standard error, under MLIR's banners and in our assembly.
//
// RUN: spyrec opt %s --cse --select-kernel=name=b --mlir-print-ir-after-all -o /dev/null 2>&1 | filecheck %s --check-prefix=ALL
// RUN: spyrec opt %s --cse --canonicalize --mlir-print-ir-before=canonicalize -o /dev/null 2>&1 | filecheck %s --check-prefix=BEFORE
// RUN: spyrec opt %s --canonicalize --cse --mlir-print-ir-after-change -o /dev/null 2>&1 | filecheck %s --check-prefix=CHANGE
// RUN: rm -rf %t && spyrec opt %s --cse --mlir-print-ir-after-all --mlir-print-ir-tree-dir=%t -o /dev/null && filecheck %s --check-prefix=TREE < %t/builtin_module_no-symbol-name/0_cse.mlir

// ALL: // -----// IR Dump After CSEPass: cse //----- //
// ALL-NEXT: module {
// ALL: ktdp.get_compute_tile_id : index
// ALL: // -----// IR Dump After SelectKernel: select-kernel{name=b} //----- //
// BEFORE-NOT: CSEPass
// BEFORE: // -----// IR Dump Before CanonicalizerPass: canonicalize{{{.*}}} //----- //
// BEFORE-NOT: Dump
// CHANGE-NOT: CanonicalizerPass
// CHANGE: // -----// IR Dump After CSEPass: cse //----- //
// TREE: // -----// IR Dump After CSEPass: cse //----- //

func.func @b(%x: index) -> index {
  %t = ktdp.get_compute_tile_id : index
  %0 = arith.addi %x, %t : index
  %1 = arith.addi %x, %t : index
  %2 = arith.muli %0, %1 : index
  return %2 : index
}
