// RUN: spyrec opt %s --insert-synchronization --split-input-file --verify-diagnostics

func.func @no_address(%x: index) attributes {grid = [1]} {
  // expected-error@+1 {{the buffer has no address yet: run assign-addresses first}}
  %a = dataflow.alloc : memref<64xf16, "lx">
  return
}

// -----

#same = affine_map<(d0) -> (d0)>
func.func @no_unit(%x: index) attributes {grid = [1]} {
  %a = dataflow.alloc {address = 0, slot_bytes = 128} : memref<64xf16, "lx">
  // expected-error@+1 {{the op does not name its unit: attribute dataflow.unit is missing}}
  linalg.generic {indexing_maps = [#same], iterator_types = ["parallel"]} outs(%a : memref<64xf16, "lx">) {
  ^bb0(%p: f16):
    linalg.yield %p : f16
  }
  return
}

// -----

func.func @carried(%x: f32, %n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{scf.for of a schedule hands out integers alone; what is in buffers stays there}}
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> (f32) {
    scf.yield %t : f32
  }
  return
}

// -----

func.func @pinned(%n: index) attributes {grid = [1]} {
  %a = dataflow.alloc {address = 0, slot_bytes = 128} : memref<64xf16, "lx">
  // expected-error@+1 {{bytes of LX of which nothing bounds the address could be those of any buffer}}
  dataflow.data_transfer from %a to @lx[%n] strides [1] {route = ["lx", "ring", "lx"], unit = @ring} : memref<64xf16, "lx">
  return
}
