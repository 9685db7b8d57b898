// A number of iterations that only the launch knows, but that has bounds: two at most need no channel back, with two slots.
//
// RUN: spyrec opt %s --verify-program --split-input-file --verify-diagnostics

func.func @at_most_two(%x: index, %y: index, %n: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %trips = affine.apply affine_map<(n) -> ((n mod 5) floordiv 2)>(%n)
  dataflow.buffer @b {address = 0, slot_bytes = 128, depth = 2}
  dataflow.channel @full from @load to @store {init = 0}
  dataflow.program_unit @load(%core) {
    scf.for %i = %c0 to %trips step %c1 {
      %at = affine.apply affine_map<(i)[c] -> ((c * 2 + i) * 128)>(%i)[%core]
      %slot = affine.apply affine_map<(i) -> ((i mod 2) * 128)>(%i)
      dataflow.transfer @device[%at from %x] strides [2] to @lx[%slot in @b] strides [2] counts [64] {element_bytes = 2}
      dataflow.post @full
    }
  }
  dataflow.program_unit @store(%core) {
    scf.for %i = %c0 to %trips step %c1 {
      %at = affine.apply affine_map<(i)[c] -> ((c * 2 + i) * 128)>(%i)[%core]
      %slot = affine.apply affine_map<(i) -> ((i mod 2) * 128)>(%i)
      dataflow.wait @full
      dataflow.transfer @lx[%slot in @b] strides [2] to @device[%at from %y] strides [2] counts [64] {element_bytes = 2}
    }
  }
  return
}

// -----

func.func @at_most_three(%x: index, %y: index, %n: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %trips = affine.apply affine_map<(n) -> ((n mod 7) floordiv 2)>(%n)
  dataflow.buffer @b {address = 0, slot_bytes = 128, depth = 2}
  dataflow.channel @full from @load to @store {init = 0}
  dataflow.program_unit @load(%core) {
    scf.for %i = %c0 to %trips step %c1 {
      %at = affine.apply affine_map<(i)[c] -> ((c * 3 + i) * 128)>(%i)[%core]
      %slot = affine.apply affine_map<(i) -> ((i mod 2) * 128)>(%i)
      // expected-note@+1 {{the other access}}
      dataflow.transfer @device[%at from %x] strides [2] to @lx[%slot in @b] strides [2] counts [64] {element_bytes = 2}
      dataflow.post @full
    }
  }
  dataflow.program_unit @store(%core) {
    scf.for %i = %c0 to %trips step %c1 {
      %at = affine.apply affine_map<(i)[c] -> ((c * 3 + i) * 128)>(%i)[%core]
      %slot = affine.apply affine_map<(i) -> ((i mod 2) * 128)>(%i)
      dataflow.wait @full
      // expected-error@+1 {{@store reads bytes 0 to 127 of LX; @load writes them too, and no channel orders the two}}
      dataflow.transfer @lx[%slot in @b] strides [2] to @device[%at from %y] strides [2] counts [64] {element_bytes = 2}
    }
  }
  return
}

// -----

func.func @at_most_what_it_promises(%x: index, %y: index, %n: index {spyrec.granularity = 2 : i64, spyrec.upperbound = 4 : i64}) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %trips = affine.apply affine_map<(n) -> (n floordiv 2)>(%n)
  dataflow.buffer @b {address = 0, slot_bytes = 128, depth = 2}
  dataflow.channel @full from @load to @store {init = 0}
  dataflow.program_unit @load(%core) {
    scf.for %i = %c0 to %trips step %c1 {
      %at = affine.apply affine_map<(i)[c] -> ((c * 2 + i) * 128)>(%i)[%core]
      %slot = affine.apply affine_map<(i) -> ((i mod 2) * 128)>(%i)
      dataflow.transfer @device[%at from %x] strides [2] to @lx[%slot in @b] strides [2] counts [64] {element_bytes = 2}
      dataflow.post @full
    }
  }
  dataflow.program_unit @store(%core) {
    scf.for %i = %c0 to %trips step %c1 {
      %at = affine.apply affine_map<(i)[c] -> ((c * 2 + i) * 128)>(%i)[%core]
      %slot = affine.apply affine_map<(i) -> ((i mod 2) * 128)>(%i)
      dataflow.wait @full
      dataflow.transfer @lx[%slot in @b] strides [2] to @device[%at from %y] strides [2] counts [64] {element_bytes = 2}
    }
  }
  return
}

// -----

// What is left over of a loop of two halves runs for odd counts only, and moves bytes for a count of 1 only.
func.func @the_odd_one(%x: index, %y: index, %n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = affine.apply affine_map<(n) -> (n floordiv 2)>(%n)
  %pairs = arith.maxsi %half, %c0 : index
  %done = affine.apply affine_map<(n) -> (n * 2)>(%pairs)
  %odd = arith.cmpi slt, %done, %n : index
  %left = affine.apply affine_map<(n) -> (n * -64 + 64)>(%pairs)
  dataflow.buffer @a {address = 0, slot_bytes = 128, depth = 1}
  dataflow.buffer @b {address = 128, slot_bytes = 128, depth = 1}
  dataflow.channel @full from @load to @store {init = 0}
  dataflow.channel @free from @store to @load {init = 1}
  dataflow.program_unit @load(%core) {
    scf.for %i = %c0 to %pairs step %c1 {
      dataflow.wait @free
      dataflow.transfer @device[%c0 from %x] strides [2] to @lx[%c0 in @a] strides [2] counts [64] {element_bytes = 2}
      dataflow.post @full
    }
    scf.if %odd {
      %at = arith.constant 128 : index
      // expected-note@+1 {{the other access}}
      dataflow.transfer @device[%at from %x] strides [2] to @lx[%at in @b] strides [2] counts [64] {element_bytes = 2}
    }
  }
  dataflow.program_unit @store(%core) {
    scf.for %i = %c0 to %pairs step %c1 {
      dataflow.wait @full
      dataflow.transfer @lx[%c0 in @a] strides [2] to @device[%c0 from %y] strides [2] counts [64] {element_bytes = 2}
      dataflow.post @free
    }
    scf.if %odd {
      %at = arith.constant 128 : index
      // expected-error@+1 {{@store reads bytes 128 to 255 of LX; @load writes them too, and no channel orders the two}}
      dataflow.transfer @lx[%at in @b] strides [2] to @device[%at from %y] strides [2] counts [64] clip [0] to [%left] {element_bytes = 2}
    }
  }
  return
}
