// Bounds, conditions and conditions of loops that the run loads from LX; every unit that needs one loads it for itself.
//
// RUN: spyrec opt %s --verify-program --split-input-file | filecheck %s

// CHECK-LABEL: func.func @loaded_bound
func.func @loaded_bound(%n: index, %x: index, %y: index) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  dataflow.buffer @b {address = 0, slot_bytes = 128, depth = 2}
  dataflow.buffer @n {address = 256, slot_bytes = 128, depth = 1}
  dataflow.channel @known from @load to @store {init = 0}
  dataflow.channel @full from @load to @store {init = 0}
  dataflow.channel @free from @store to @load {init = 2}
  dataflow.program_unit @load(%core) {
    dataflow.transfer @device[%c0 from %n] strides [8] to @lx[%c256 in @n] strides [8] counts [1] {element_bytes = 8}
    dataflow.post @known
    %rows = dataflow.scalar_load @n[%c256] : index
    scf.for %i = %c0 to %rows step %c1 {
      %at = affine.apply affine_map<(i) -> (i * 128)>(%i)
      %slot = affine.apply affine_map<(i) -> ((i mod 2) * 128)>(%i)
      dataflow.wait @free
      dataflow.transfer @device[%at from %x] strides [2] to @lx[%slot in @b] strides [2] counts [64] {element_bytes = 2}
      dataflow.post @full
    }
  }
  dataflow.program_unit @store(%core) {
    dataflow.wait @known
    %rows = dataflow.scalar_load @n[%c256] : index
    scf.for %i = %c0 to %rows step %c1 {
      %at = affine.apply affine_map<(i) -> (i * 128)>(%i)
      %slot = affine.apply affine_map<(i) -> ((i mod 2) * 128)>(%i)
      dataflow.wait @full
      dataflow.transfer @lx[%slot in @b] strides [2] to @device[%at from %y] strides [2] counts [64] {element_bytes = 2}
      dataflow.post @free
    }
  }
  return
}

// -----

// CHECK-LABEL: func.func @loaded_while
func.func @loaded_while(%x: index, %y: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  dataflow.buffer @v {address = 0, slot_bytes = 128, depth = 1}
  dataflow.channel @full from @load to @store {init = 0}
  dataflow.channel @free from @store to @load {init = 1}
  dataflow.program_unit @load(%core) {
    %end = scf.while (%p = %c0) : (index) -> index {
      dataflow.wait @free
      dataflow.transfer @device[%p from %x] strides [8] to @lx[%c0 in @v] strides [8] counts [1] {element_bytes = 8}
      dataflow.post @full
      %v = dataflow.scalar_load @v[%c0] : index
      %more = arith.cmpi ne, %v, %c0 : index
      scf.condition(%more) %p : index
    } do {
    ^bb0(%p: index):
      %next = arith.addi %p, %c128 : index
      scf.yield %next : index
    }
  }
  dataflow.program_unit @store(%core) {
    %end = scf.while (%p = %c0) : (index) -> index {
      dataflow.wait @full
      %v = dataflow.scalar_load @v[%c0] : index
      dataflow.transfer @lx[%c0 in @v] strides [8] to @device[%p from %y] strides [8] counts [1] {element_bytes = 8}
      dataflow.post @free
      %more = arith.cmpi ne, %v, %c0 : index
      scf.condition(%more) %p : index
    } do {
    ^bb0(%p: index):
      %next = arith.addi %p, %c128 : index
      scf.yield %next : index
    }
  }
  return
}
