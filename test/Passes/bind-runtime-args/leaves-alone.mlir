// Arguments without such a type, and one that a loop hands on: legality says so.
//
// RUN: spyrec opt %s --bind-runtime-args | filecheck %s

// CHECK-LABEL: func.func @plain(%x: index, %n: i32) {
func.func @plain(%x: index, %n: i32) {
  return
}

// CHECK-LABEL: func.func @carried(%x: index, %n: !ktdp.runtime_arg<index>) {
// CHECK: ktdp.runtime_arg_extract value from
func.func @carried(%x: index, %n: !ktdp.runtime_arg<index>) {
  %c = arith.constant true
  %m = scf.if %c -> (!ktdp.runtime_arg<index>) {
    scf.yield %n : !ktdp.runtime_arg<index>
  } else {
    scf.yield %n : !ktdp.runtime_arg<index>
  }
  %v = ktdp.runtime_arg_extract value from %m : <index> -> index
  return
}
