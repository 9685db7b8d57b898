// Different cores in device memory: a read and a write of the same bytes, or two writes, that no channel orders.
//
// RUN: spyrec opt %s --verify-program --split-input-file --verify-diagnostics

// Each core stores its own row and loads the next core's.

func.func @neighbour(%x: index, %y: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  dataflow.buffer @b {address = 0, slot_bytes = 128, depth = 1}
  dataflow.channel @full from @load to @store {init = 0}
  dataflow.program_unit @load(%core) {
    %at = affine.apply affine_map<(c) -> (c * 128 + 64)>(%core)
    // expected-error@+1 {{@load on core 0 reads bytes 128 to 191 of %x; @store on core 1 writes them, and no channel orders the two}}
    dataflow.transfer @device[%at from %x] strides [2] to @lx[%c0 in @b] strides [2] counts [64] {element_bytes = 2}
    dataflow.post @full
  }
  dataflow.program_unit @store(%core) {
    %at = affine.apply affine_map<(c) -> (c * 128)>(%core)
    dataflow.wait @full
    // expected-note@+1 {{the other access}}
    dataflow.transfer @lx[%c0 in @b] strides [2] to @device[%at from %x] strides [2] counts [64] {element_bytes = 2}
  }
  return
}

// -----

// The same at literal addresses, by the last core alone, which branches otherwise than the others.

func.func @literal() attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  dataflow.buffer @b {address = 0, slot_bytes = 128, depth = 1}
  dataflow.channel @full from @load to @store {init = 0}
  dataflow.program_unit @load(%core) {
    %last = arith.cmpi eq, %core, %c3 : index
    %at = affine.apply affine_map<(c) -> (c * 128)>(%core)
    scf.if %last {
      // expected-error@+1 {{@load on core 3 reads bytes 0 to 127 of device memory; @store on core 0 writes them}}
      dataflow.transfer @device[%c0] strides [2] to @lx[%c0 in @b] strides [2] counts [64] {element_bytes = 2}
    } else {
      dataflow.transfer @device[%at] strides [2] to @lx[%c0 in @b] strides [2] counts [64] {element_bytes = 2}
    }
    dataflow.post @full
  }
  dataflow.program_unit @store(%core) {
    %at = affine.apply affine_map<(c) -> (c * 128)>(%core)
    dataflow.wait @full
    // expected-note@+1 {{the other access}}
    dataflow.transfer @lx[%c0 in @b] strides [2] to @device[%at] strides [2] counts [64] {element_bytes = 2}
  }
  return
}

// -----

// Two cores write the same bytes: whether the values are equal only the data know.

func.func @both_write(%x: index, %y: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  dataflow.buffer @b {address = 0, slot_bytes = 128, depth = 1}
  dataflow.channel @full from @load to @store {init = 0}
  dataflow.program_unit @load(%core) {
    dataflow.transfer @device[%c0 from %x] strides [2] to @lx[%c0 in @b] strides [2] counts [64] {element_bytes = 2}
    dataflow.post @full
  }
  dataflow.program_unit @store(%core) {
    %at = affine.apply affine_map<(c) -> (c * 64)>(%core)
    dataflow.wait @full
    // expected-note@+2 {{the other write}}
    // expected-remark@+1 {{@store on core 0 and @store on core 1 both write bytes 64 to 127 of %y, in no order; that is right only if both write the same values}}
    dataflow.transfer @lx[%c0 in @b] strides [2] to @device[%at from %y] strides [2] counts [64] {element_bytes = 2}
  }
  return
}

// -----

// Right: how far cores are apart is what a launch says.

func.func @stride_of_the_launch(%x: index, %n: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  dataflow.buffer @b {address = 0, slot_bytes = 128, depth = 1}
  dataflow.channel @full from @load to @store {init = 0}
  dataflow.program_unit @load(%core) {
    %at = affine.apply affine_map<(c)[n] -> (c * n * 2)>(%core)[%n]
    dataflow.transfer @device[%at from %x] strides [2] to @lx[%c0 in @b] strides [2] counts [64] {element_bytes = 2}
    dataflow.post @full
  }
  dataflow.program_unit @store(%core) {
    %at = affine.apply affine_map<(c)[n] -> (c * n * 2)>(%core)[%n]
    dataflow.wait @full
    dataflow.transfer @lx[%c0 in @b] strides [2] to @device[%at from %x] strides [2] counts [64] {element_bytes = 2}
  }
  return
}

// -----

// Right: arguments are disjoint; the next core's row is read from another one. Those that may be one another, need not be.

func.func @other_argument(%x: index, %y: index, %a: index {spyrec.may_alias}, %b: index {spyrec.may_alias}) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  dataflow.buffer @v {address = 0, slot_bytes = 128, depth = 1}
  dataflow.buffer @w {address = 128, slot_bytes = 128, depth = 1}
  dataflow.channel @full from @load to @store {init = 0}
  dataflow.program_unit @load(%core) {
    %at = affine.apply affine_map<(c) -> (c * 128 + 128)>(%core)
    dataflow.transfer @device[%at from %x] strides [2] to @lx[%c0 in @v] strides [2] counts [64] {element_bytes = 2}
    %c128 = arith.constant 128 : index
    dataflow.transfer @device[%at from %a] strides [2] to @lx[%c128 in @w] strides [2] counts [64] {element_bytes = 2}
    dataflow.post @full
  }
  dataflow.program_unit @store(%core) {
    %at = affine.apply affine_map<(c) -> (c * 128)>(%core)
    %c128 = arith.constant 128 : index
    dataflow.wait @full
    dataflow.transfer @lx[%c0 in @v] strides [2] to @device[%at from %y] strides [2] counts [64] {element_bytes = 2}
    dataflow.transfer @lx[%c128 in @w] strides [2] to @device[%at from %b] strides [2] counts [64] {element_bytes = 2}
  }
  return
}

// -----

// Right: the neighbour is told.

func.func @told(%x: index, %y: index) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  dataflow.buffer @b {address = 0, slot_bytes = 128, depth = 1}
  dataflow.channel @full from @load to @store {init = 0}
  dataflow.channel @stored from @store to @load {init = 0, peers}
  dataflow.channel @again from @load to @store {init = 0}
  dataflow.program_unit @load(%core) {
    %other = affine.apply affine_map<(c) -> (1 - c)>(%core)
    %mine = affine.apply affine_map<(c) -> (c * 128)>(%core)
    %theirs = affine.apply affine_map<(c) -> (128 - c * 128)>(%core)
    dataflow.transfer @device[%mine from %x] strides [2] to @lx[%c0 in @b] strides [2] counts [64] {element_bytes = 2}
    dataflow.post @full
    dataflow.wait @stored from %other
    dataflow.wait @stored from %core
    dataflow.transfer @device[%theirs from %y] strides [2] to @lx[%c0 in @b] strides [2] counts [64] {element_bytes = 2}
    dataflow.post @again
  }
  dataflow.program_unit @store(%core) {
    %other = affine.apply affine_map<(c) -> (1 - c)>(%core)
    %mine = affine.apply affine_map<(c) -> (c * 128)>(%core)
    dataflow.wait @full
    dataflow.transfer @lx[%c0 in @b] strides [2] to @device[%mine from %y] strides [2] counts [64] {element_bytes = 2}
    dataflow.post @stored to %other
    dataflow.post @stored to %core
    dataflow.wait @again
  }
  return
}

// -----

// Not told: the store of the other core comes at any time.

func.func @not_told(%x: index, %y: index) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  dataflow.buffer @b {address = 0, slot_bytes = 128, depth = 1}
  dataflow.channel @full from @load to @store {init = 0}
  dataflow.channel @stored from @store to @load {init = 0, peers}
  dataflow.program_unit @load(%core) {
    %other = affine.apply affine_map<(c) -> (1 - c)>(%core)
    %mine = affine.apply affine_map<(c) -> (c * 128)>(%core)
    %theirs = affine.apply affine_map<(c) -> (128 - c * 128)>(%core)
    dataflow.transfer @device[%mine from %x] strides [2] to @lx[%c0 in @b] strides [2] counts [64] {element_bytes = 2}
    dataflow.post @full
    dataflow.wait @stored from %core
    // expected-error-re@+1 {{@load reads bytes {{.*}} of %y; @store writes them too, and no channel orders the two}}
    dataflow.transfer @device[%theirs from %y] strides [2] to @lx[%c0 in @b] strides [2] counts [64] {element_bytes = 2}
  }
  dataflow.program_unit @store(%core) {
    %mine = affine.apply affine_map<(c) -> (c * 128)>(%core)
    dataflow.wait @full
    // expected-note@+1 {{the other access}}
    dataflow.transfer @lx[%c0 in @b] strides [2] to @device[%mine from %y] strides [2] counts [64] {element_bytes = 2}
    dataflow.post @stored to %core
  }
  return
}

// -----

// Two outputs of one stream in one slot.

func.func @two_outputs(%x: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  dataflow.buffer @x {address = 0, slot_bytes = 128, depth = 1}
  dataflow.buffer @y {address = 128, slot_bytes = 128, depth = 1}
  dataflow.channel @full from @load to @sfu {init = 0}
  dataflow.program_unit @load(%core) {
    dataflow.transfer @device[%c0 from %x] strides [2] to @lx[%c0 in @x] strides [2] counts [64] {element_bytes = 2}
    dataflow.post @full
  }
  dataflow.program_unit @sfu(%core) {
    dataflow.wait @full
    // expected-error@+1 {{the outputs of a stream share bytes}}
    dataflow.stream counts [64] ins(@x[%c0] strides [2] : f16) outs(@y[%c128] strides [2] : f16, @y[%c128] strides [2] : f16) {
    ^bb0(%a: f16, %o: f16, %p: f16):
      %s = arith.addf %a, %a : f16
      %t = arith.mulf %a, %a : f16
      dataflow.yield %s, %t : f16, f16
    }
  }
  return
}
