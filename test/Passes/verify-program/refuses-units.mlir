// What one unit does wrong all by itself, found by following its control and addresses.
//
// RUN: spyrec opt %s --verify-program --split-input-file --verify-diagnostics

func.func @outside(%x: index) attributes {grid = [1]} {
  %far = arith.constant 2097088 : index
  %o = arith.constant 0 : index
  dataflow.buffer @b {address = 0, slot_bytes = 128, depth = 1}
  dataflow.program_unit @load(%core) {
    // expected-error@+1 {{bytes 2097088 to 2097215 leave LX, which has 2097152}}
    dataflow.transfer @device[%o from %x] strides [2] to @lx[%far in @b] strides [2] counts [64] {element_bytes = 2}
  }
  return
}

// -----

func.func @onto_itself(%x: index) attributes {grid = [1]} {
  %o = arith.constant 0 : index
  dataflow.buffer @b {address = 0, slot_bytes = 128, depth = 1}
  dataflow.program_unit @load(%core) {
    // expected-error@+1 {{two elements are written to the same bytes of LX}}
    dataflow.transfer @device[%o from %x] strides [2] to @lx[%o in @b] strides [0] counts [64] {element_bytes = 2}
  }
  return
}

// -----

func.func @wide(%x: index) attributes {grid = [1]} {
  %o = arith.constant 0 : index
  dataflow.buffer @b {address = 0, slot_bytes = 128, depth = 1}
  dataflow.program_unit @load(%core) {
    // expected-error@+1 {{one access spans 268435458 bytes of device memory; the limit is 268431360}}
    dataflow.transfer @device[%o from %x] strides [268435456] to @lx[%o in @b] strides [2] counts [2] {element_bytes = 2}
  }
  return
}

// -----

func.func @nobody() attributes {grid = [2]} {
  %o = arith.constant 0 : index
  %far = arith.constant 2 : index
  dataflow.buffer @b {address = 0, slot_bytes = 128, depth = 1}
  dataflow.program_unit @ring(%core) {
    // expected-error@+1 {{names core 2; the program runs on 2 cores}}
    dataflow.transfer @lx[%o in @b] strides [2] to @lx[%o in @b] strides [2] counts [64] get %far {element_bytes = 2}
  }
  return
}

// -----

func.func @divided(%x: index) attributes {grid = [1]} {
  %o = arith.constant 0 : index
  dataflow.buffer @b {address = 0, slot_bytes = 128, depth = 1}
  dataflow.program_unit @load(%core) {
    // expected-error@+1 {{an integer is divided by zero}}
    %at = arith.divsi %o, %core : index
    dataflow.transfer @device[%at from %x] strides [2] to @lx[%o in @b] strides [2] counts [64] {element_bytes = 2}
  }
  return
}

// -----

func.func @kept(%x: index) attributes {grid = [1]} {
  %o = arith.constant 0 : index
  dataflow.buffer @b {address = 0, slot_bytes = 128, depth = 1}
  dataflow.channel @full from @load to @pt {init = 0}
  dataflow.program_unit @load(%core) {
    dataflow.transfer @device[%o from %x] strides [2] to @lx[%o in @b] strides [2] counts [64] {element_bytes = 2}
    dataflow.post @full
  }
  dataflow.program_unit @pt(%core) {
    dataflow.wait @full
    // expected-error@+1 {{goes on from 32 sums in the unit, which has kept nothing}}
    dataflow.contract counts [4, 8, 2] lhs @b[%o] strides [4, 0, 2] : f16 rhs @b[%o] strides [0, 2, 16] : f16 acc @b[%o] strides [32, 4, 0] : f32 {start = "unit"}
  }
  return
}
