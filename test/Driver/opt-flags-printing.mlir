// What is printed, and how: statistics, times, dumps into a tree, scopes, large constants, notes.
//
// RUN: spyrec opt %s --simplify-indices --cse --mlir-pass-statistics -o /dev/null 2>&1 | filecheck %s --check-prefix=STATISTICS
// RUN: spyrec opt %s --simplify-indices --cse -mlir-pass-statistics -mlir-pass-statistics-display=list -o /dev/null 2>&1 | filecheck %s --check-prefix=STATISTICS-LIST
// RUN: spyrec opt %s --cse --mlir-timing --mlir-timing-display=list -o /dev/null 2>&1 | filecheck %s --check-prefix=TIMES
// RUN: spyrec opt %s --cse --mlir-timing --mlir-output-format=json -o /dev/null 2>&1 | %python -c "import json, sys; assert json.load(sys.stdin)[-1]['name'] == 'Total'"
// RUN: rm -rf %t && spyrec opt %s --pass-pipeline='builtin.module(func.func(cse,canonicalize),symbol-dce)' --mlir-print-ir-before-all --mlir-print-ir-after-change --mlir-print-ir-tree-dir=%t -o /dev/null
// RUN: find %t -type f | sort | filecheck %s --check-prefix=TREE
// RUN: spyrec opt %s --mlir-print-local-scope | filecheck %s --check-prefix=LOCAL
// RUN: spyrec opt %s --mlir-print-local-scope | spyrec opt | filecheck %s --check-prefix=ALIASES
// RUN: spyrec opt %s --mlir-elide-elementsattrs-if-larger=4 | filecheck %s --check-prefix=ELIDED
// RUN: spyrec opt %s --cse --mlir-print-ir-after=cse --mlir-print-ir-module-scope --mlir-print-op-generic -o /dev/null 2>&1 | filecheck %s --check-prefix=SCOPE
// RUN: not 2 spyrec opt %s --mlir-print-ir-after=cze 2>&1 | filecheck %s --check-prefix=NAME
// RUN: sed 's/: tensor<8xi3[2]>/: tensor<9xi32>/' %s > %t.wrong && not 1 spyrec opt %t.wrong --mlir-disable-diagnostic-notes 2>&1 | filecheck %s --check-prefix=NOTES

// STATISTICS: ... Pass statistics report ...
// STATISTICS: 'func.func' Pipeline
// STATISTICS-NEXT: {{^}}  SimplifyIndices
// STATISTICS: {{^}}CSEPass
// STATISTICS-LIST: ... Pass statistics report ...
// STATISTICS-LIST-NOT: CSEPass
// TIMES: root
// TIMES: Rest
// TREE: /builtin_module_no-symbol-name/1_symbol-dce.mlir
// TREE-NEXT: /builtin_module_no-symbol-name/func_func_k/0_0_cse.mlir
// TREE-NEXT: /builtin_module_no-symbol-name/func_func_k/0_1_cse.mlir
// TREE-NEXT: /builtin_module_no-symbol-name/func_func_k/0_2_canonicalize.mlir
// TREE-NEXT: /builtin_module_no-symbol-name/func_func_k/0_3_canonicalize.mlir
// TREE-NOT: mlir
// LOCAL-NOT: {{^}}#
// LOCAL: affine_set<
// ALIASES: ktdp.construct_memory_view
// ELIDED: dense_resource<__elided__>
// SCOPE: IR Dump After CSEPass: cse ('builtin.module' operation) //
// SCOPE: "builtin.module"()
// NAME: error: --mlir-print-ir-after: there is no pass 'cze'; did you mean 'cse'?
// NOTES: error:
// NOTES-NOT: note:

#points = affine_set<(d) : (d >= 0, -d + 63 >= 0)>
func.func @k(%x: index) attributes {grid = [1]} {
  %t = ktdp.get_compute_tile_id : index
  %a = arith.addi %x, %t : index
  %b = arith.addi %x, %t : index
  %p = arith.muli %a, %b : index
  %v = ktdp.construct_memory_view %p, sizes: [64], strides: [1] {coordinate_set = #points, memory_space = #ktdp.memory_space<global>} : memref<64xf16>
  %c = arith.constant dense<[1, 2, 3, 4, 5, 6, 7, 8]> : tensor<8xi32>
  return
}
