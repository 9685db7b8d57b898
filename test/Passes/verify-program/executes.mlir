// Programs of which the form holds and the execution fails: both accesses of a race, the cycle of waiters of a deadlock.
//
// RUN: spyrec opt %s --verify-program --split-input-file --verify-diagnostics

func.func @a_credit_too_many(%x: index, %y: index, %n: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  dataflow.buffer @b {address = 0, slot_bytes = 128, depth = 2}
  dataflow.channel @full from @load to @store {init = 0}
  dataflow.channel @free from @store to @load {init = 3}
  dataflow.program_unit @load(%core) {
    scf.for %i = %c0 to %n step %c1 {
      %at = affine.apply affine_map<(i)[n, c] -> ((c * n + i) * 128)>(%i)[%n, %core]
      %slot = affine.apply affine_map<(i) -> ((i mod 2) * 128)>(%i)
      dataflow.wait @free
      // expected-note@+1 {{the other access}}
      dataflow.transfer @device[%at from %x] strides [2] to @lx[%slot in @b] strides [2] counts [64] {element_bytes = 2}
      dataflow.post @full
    }
  }
  dataflow.program_unit @store(%core) {
    scf.for %i = %c0 to %n step %c1 {
      %at = affine.apply affine_map<(i)[n, c] -> ((c * n + i) * 128)>(%i)[%n, %core]
      %slot = affine.apply affine_map<(i) -> ((i mod 2) * 128)>(%i)
      dataflow.wait @full
      // expected-error@+1 {{@store reads bytes 0 to 127 of LX; @load writes them too, and no channel orders the two}}
      dataflow.transfer @lx[%slot in @b] strides [2] to @device[%at from %y] strides [2] counts [64] {element_bytes = 2}
      dataflow.post @free
    }
  }
  return
}

// -----

func.func @wait_for_one_another() attributes {grid = [2]} {
  dataflow.channel @there from @load to @store {init = 0}
  dataflow.channel @back from @store to @load {init = 0}
  dataflow.program_unit @load(%core) {
    // expected-error@+1 {{units wait for one another: @load waits for @back from @store; @store waits for @there from @load}}
    dataflow.wait @back
    dataflow.post @there
  }
  dataflow.program_unit @store(%core) {
    // expected-note@+1 {{@store waits here}}
    dataflow.wait @there
    dataflow.post @back
  }
  return
}

// -----

// Only core 3 takes the branch: it is found among cores that do not.

func.func @one_core_differs(%x: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  dataflow.buffer @b {address = 0, slot_bytes = 128, depth = 1}
  dataflow.channel @full from @load to @store {init = 0}
  dataflow.program_unit @load(%core) {
    // expected-note@+1 {{the other access}}
    dataflow.transfer @device[%c0 from %x] strides [2] to @lx[%c0 in @b] strides [2] counts [64] {element_bytes = 2}
    %last = arith.cmpi ne, %core, %c3 : index
    scf.if %last {
      dataflow.post @full
    }
  }
  dataflow.program_unit @store(%core) {
    %last = arith.cmpi ne, %core, %c3 : index
    scf.if %last {
      dataflow.wait @full
    }
    // expected-error@+1 {{@store reads bytes 0 to 127 of LX; @load writes them too, and no channel orders the two}}
    dataflow.transfer @lx[%c0 in @b] strides [2] to @device[%c0 from %x] strides [2] counts [64] {element_bytes = 2}
  }
  return
}

// -----

// A condition that the run computes: both sides are executed, and one of them waits for ever.

func.func @one_side_posts(%x: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  dataflow.buffer @b {address = 0, slot_bytes = 128, depth = 1}
  dataflow.buffer @c {address = 128, slot_bytes = 128, depth = 1}
  // expected-note@+1 {{the channel}}
  dataflow.channel @full from @load to @store {init = 0}
  dataflow.program_unit @load(%core) {
    dataflow.transfer @device[%c0 from %x] strides [8] to @lx[%c0 in @b] strides [8] counts [1] {element_bytes = 8}
    %v = dataflow.scalar_load @b[%c0] : index
    %some = arith.cmpi sgt, %v, %c0 : index
    scf.if %some {
      dataflow.post @full
    }
  }
  dataflow.program_unit @store(%core) {
    // expected-error@+1 {{@store waits for @full for ever: @load, which posts it, has ended after 0 posts; this is wait number 1}}
    dataflow.wait @full
  }
  return
}

// -----

// Places that only the launch knows meet those of the same argument, not those of another one.
// CHECK-LABEL: func.func @paced
// CHECK: dataflow.program_unit @load
func.func @paced(%x: index, %y: index, %s: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  dataflow.buffer @b {address = 0, slot_bytes = 128, depth = 2}
  dataflow.channel @full from @load to @store {init = 0}
  dataflow.channel @free from @store to @load {init = 2}
  dataflow.program_unit @load(%core) {
    scf.for %i = %c0 to %c8 step %c1 {
      %far = arith.muli %i, %s : index
      %at = affine.apply affine_map<(r) -> (r * 128 + 384)>(%far)
      %slot = affine.apply affine_map<(i) -> ((i mod 2) * 128)>(%i)
      dataflow.wait @free
      dataflow.transfer @device[%at from %x] strides [2] to @lx[%slot in @b] strides [2] counts [64] {element_bytes = 2}
      dataflow.post @full
    }
  }
  dataflow.program_unit @store(%core) {
    scf.for %i = %c0 to %c8 step %c1 {
      %far = arith.muli %i, %s : index
      %at = affine.apply affine_map<(r) -> (r * 128 + 384)>(%far)
      %slot = affine.apply affine_map<(i) -> ((i mod 2) * 128)>(%i)
      dataflow.wait @full
      dataflow.transfer @lx[%slot in @b] strides [2] to @device[%at from %y] strides [2] counts [64] {element_bytes = 2}
      dataflow.post @free
    }
  }
  return
}
