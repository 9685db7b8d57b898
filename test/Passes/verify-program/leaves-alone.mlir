// What the passes make holds, also after MLIR has joined nested branches in one unit and not in the other.
//
// RUN: spyrec opt %s --verify-program | filecheck %s
// RUN: spyrec opt %s --canonicalize --verify-program | filecheck %s

// CHECK-LABEL: func.func @nested
func.func @nested(%n: index, %p: index, %q: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  dataflow.channel @c from @load to @sfu {init = 0}
  dataflow.channel @d from @sfu to @load {init = 1}
  dataflow.program_unit @load(%core) {
    scf.for %i = %c0 to %n step %c1 {
      %a = arith.cmpi slt, %i, %p : index
      scf.if %a {
        dataflow.wait @d
        %b = arith.cmpi slt, %core, %q : index
        scf.if %b {
          dataflow.post @c
        }
      }
    }
  }
  dataflow.program_unit @sfu(%core) {
    scf.for %i = %c0 to %n step %c1 {
      %a = arith.cmpi slt, %i, %p : index
      %b = arith.cmpi slt, %core, %q : index
      scf.if %a {
        scf.if %b {
          dataflow.wait @c
        }
      }
      scf.if %a {
        dataflow.post @d
      }
    }
  }
  return
}
