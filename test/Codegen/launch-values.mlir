// Launch values reach units through the parameter bank only: the host adds, the code names entries.
// RUN: spyrec compile --from-stage=program %s -o %t/
// RUN: filecheck %s --input-file %t/spyrecode.json --check-prefix PLAN
// RUN: spyrec disasm %t | filecheck %s --check-prefix CODE

// PLAN: "hcm": {
// PLAN-NEXT: "vdci": {},
// PLAN-NEXT: "senConstants": [],
// PLAN: "op": "addi"
// PLAN: "name": "k (spyrec-sim)"

// CODE: parameters 2
// CODE-LABEL: unit load
// CODE: param [[M:r[0-9]+]], 0
// CODE: param [[X:r[0-9]+]], 1
// CODE: muli [[M]], [[M]], 2
// CODE: add [[A:r[0-9]+]], [[X]], [[M]]
// CODE: xfer 2 device{{\[}}[[A]]] to lx[0 in b] [64: 2, 2]
// CODE: halt
func.func @k(%x: index, %n: index) attributes {grid = [2], dataflow.signature = [
    {arg = 0 : i64, name = "x", type = f16, sizes = array<i64: 64>, strides = array<i64: 1>, offset = 0 : i64, end = 64 : i64, access = "r"},
    {arg = 1 : i64, name = "n", type = index, scalar}]} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %m = arith.addi %n, %c64 : index
  dataflow.buffer @b {address = 0 : i64, slot_bytes = 128 : i64, depth = 1 : i64}
  dataflow.program_unit @load(%core) {
    %s = affine.apply affine_map<()[s0] -> (s0 * 2)>()[%m]
    dataflow.transfer @device[%s from %x] strides [2] to @lx[%c0 in @b] strides [2] counts [64] {element_bytes = 2 : i64}
  }
  return
}
