// RUN: spyrec opt %s --verify-program --split-input-file --verify-diagnostics

func.func @left_over(%x: index) attributes {grid = [1]} {
  // expected-error@+1 {{dataflow.tile_id is still here at stage program; split-units should have removed it}}
  %t = dataflow.tile_id
  // expected-error@+1 {{dataflow.alloc is still here at stage program; split-units should have removed it}}
  %a = dataflow.alloc {address = 0, slot_bytes = 128} : memref<64xf16, "lx">
  return
}

// -----

func.func @buffers() attributes {grid = [1]} {
  // expected-error@+1 {{buffer @a ends at byte 2097280 of LX, which has 2097152; assign-addresses should have seen that}}
  dataflow.buffer @a {address = 2097024, slot_bytes = 128, depth = 2}
  // expected-error@+1 {{address is 64, which is no multiple of 128; assign-addresses aligns buffers}}
  dataflow.buffer @b {address = 64, slot_bytes = 128, depth = 1}
  return
}

// -----

func.func @units(%x: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  dataflow.buffer @a {address = 0, slot_bytes = 128, depth = 1}
  // expected-error@+1 {{device 'spyre' has no unit 'loader'}}
  dataflow.program_unit @loader(%core) {
  }
  dataflow.program_unit @sfu(%core) {
    // expected-error@+1 {{unit 'sfu' (a vector unit) cannot execute dataflow.transfer}}
    dataflow.transfer @device[%c0 from %x] strides [2] to @lx[%c0 in @a] strides [2] counts [64] {element_bytes = 2}
  }
  dataflow.program_unit @load(%core) {
    // expected-error@+1 {{there is no buffer @b}}
    dataflow.transfer @device[%c0 from %x] strides [2] to @lx[%c0 in @b] strides [2] counts [64] {element_bytes = 2}
  }
  // expected-error@+1 {{unit 'load' has two programs on corelet 0; split-units makes one}}
  dataflow.program_unit @load(%core) {
  }
  return
}

// -----

func.func @channels() attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error@+1 {{@nowhere joins a unit 'pt' that has no program}}
  dataflow.channel @nowhere from @load to @pt {init = 0}
  dataflow.channel @turned from @sfu to @load {init = 0}
  dataflow.channel @once from @load to @sfu {init = 0}
  dataflow.channel @lost from @load to @sfu {init = 0}
  dataflow.program_unit @load(%core) {
    // expected-error@+1 {{there is no channel @missing}}
    dataflow.post @missing
    // expected-error@+1 {{@turned is posted by unit 'sfu', not by 'load'}}
    dataflow.post @turned
    // expected-error@+1 {{@once is posted once and waited for never in the program itself; the two must be equal}}
    dataflow.post @once
    // expected-error@+1 {{@lost is posted twice and waited for once in the program itself; the two must be equal}}
    dataflow.post @lost
    dataflow.post @lost
  }
  dataflow.program_unit @sfu(%core) {
    // expected-error@+1 {{@turned is waited for by unit 'load', not by 'sfu'}}
    dataflow.wait @turned
    dataflow.wait @lost
    scf.for %i = %c0 to %c4 step %c1 {
      dataflow.wait @once
    }
  }
  return
}

// -----

func.func @other_bounds(%n: index, %m: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note@+1 {{the channel}}
  dataflow.channel @c from @load to @sfu {init = 0}
  dataflow.program_unit @load(%core) {
    scf.for %i = %c0 to %n step %c1 {
      // expected-error@+1 {{@c ends at 1, it began at 0: @load posts 3 times, @sfu waits 2 times}}
      dataflow.post @c
    }
  }
  dataflow.program_unit @sfu(%core) {
    scf.for %i = %c0 to %m step %c1 {
      dataflow.wait @c
    }
  }
  return
}
