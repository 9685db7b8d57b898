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

// Many iterations, of which some are left out: in both units the same ones, though one has a loop more inside.

// CHECK-LABEL: func.func @a_loop_more
func.func @a_loop_more(%x: index, %y: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c900 = arith.constant 900 : index
  dataflow.buffer @b {address = 0, slot_bytes = 128, depth = 1}
  dataflow.channel @full from @load to @store {init = 0}
  dataflow.channel @free from @store to @load {init = 1}
  dataflow.program_unit @load(%core) {
    scf.for %i = %c0 to %c900 step %c1 {
      scf.for %j = %c0 to %c2 step %c1 {
        scf.for %k = %c0 to %c2 step %c1 {
          dataflow.wait @free
          scf.for %half = %c0 to %c2 step %c1 {
            %at = affine.apply affine_map<(i, j, k, h)[c] -> ((((c * 900 + i) * 2 + j) * 2 + k) * 128 + h * 64)>(%i, %j, %k, %half)[%core]
            %to = affine.apply affine_map<(h) -> (h * 64)>(%half)
            dataflow.transfer @device[%at from %x] strides [2] to @lx[%to in @b] strides [2] counts [32] {element_bytes = 2}
          }
          dataflow.post @full
        }
      }
    }
  }
  dataflow.program_unit @store(%core) {
    scf.for %i = %c0 to %c900 step %c1 {
      scf.for %j = %c0 to %c2 step %c1 {
        scf.for %k = %c0 to %c2 step %c1 {
          dataflow.wait @full
          %at = affine.apply affine_map<(i, j, k)[c] -> ((((c * 900 + i) * 2 + j) * 2 + k) * 128)>(%i, %j, %k)[%core]
          dataflow.transfer @lx[%c0 in @b] strides [2] to @device[%at from %y] strides [2] counts [64] {element_bytes = 2}
          dataflow.post @free
        }
      }
    }
  }
  return
}
