// What may lie anywhere is looked at where each other argument lies.
//
// RUN: spyrec opt %s --verify-program --split-input-file --verify-diagnostics

func.func @on_the_other(%x: index, %y: index {spyrec.may_alias}) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  dataflow.buffer @b {address = 0, slot_bytes = 128, depth = 2}
  dataflow.channel @full from @load to @store {init = 0}
  dataflow.program_unit @load(%core) {
    scf.for %i = %c0 to %c2 step %c1 {
      %at = affine.apply affine_map<(i) -> (i * 128)>(%i)
      // expected-note@+1 {{the other access}}
      dataflow.transfer @device[%at from %x] strides [2] to @lx[%at in @b] strides [2] counts [64] {element_bytes = 2}
      dataflow.post @full
    }
  }
  dataflow.program_unit @store(%core) {
    scf.for %i = %c0 to %c2 step %c1 {
      %at = affine.apply affine_map<(i) -> (i * 128)>(%i)
      %to = affine.apply affine_map<(i) -> (i * 128 + 128)>(%i)
      dataflow.wait @full
      // expected-error@+1 {{@store writes bytes 128 to 255 of %x; @load reads them too, and no channel orders the two}}
      dataflow.transfer @lx[%at in @b] strides [2] to @device[%to from %y] strides [2] counts [64] {element_bytes = 2}
    }
  }
  return
}

// -----

func.func @apart(%x: index, %y: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  dataflow.buffer @b {address = 0, slot_bytes = 128, depth = 2}
  dataflow.channel @full from @load to @store {init = 0}
  dataflow.program_unit @load(%core) {
    scf.for %i = %c0 to %c2 step %c1 {
      %at = affine.apply affine_map<(i) -> (i * 128)>(%i)
      dataflow.transfer @device[%at from %x] strides [2] to @lx[%at in @b] strides [2] counts [64] {element_bytes = 2}
      dataflow.post @full
    }
  }
  dataflow.program_unit @store(%core) {
    scf.for %i = %c0 to %c2 step %c1 {
      %at = affine.apply affine_map<(i) -> (i * 128)>(%i)
      %to = affine.apply affine_map<(i) -> (i * 128 + 128)>(%i)
      dataflow.wait @full
      dataflow.transfer @lx[%at in @b] strides [2] to @device[%to from %y] strides [2] counts [64] {element_bytes = 2}
    }
  }
  return
}
