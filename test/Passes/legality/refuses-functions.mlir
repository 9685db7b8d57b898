// RUN: spyrec opt --legality --split-input-file --verify-diagnostics %s

// What a file may hold, and what a kernel is.

// expected-error@+2 {{memref.global is not compiled yet: a file holds functions}}
// expected-note@+1 {{write kernels as func.func}}
memref.global "private" @elsewhere : memref<4xf32>

// -----

// expected-error@+2 {{func.func is not compiled yet: it is declared only}}
// expected-note@+1 {{define it in this file, or remove the declaration}}
func.func private @away()

// -----

// expected-error@+2 {{func.func is not compiled yet: control flow must be structured}}
// expected-note@+1 {{use scf.for and scf.if}}
func.func @blocks() attributes {grid = [1]} {
  cf.br ^next
^next:
  return
}

// -----

// expected-error@+2 {{func.func is not compiled yet: a kernel returns nothing, and nobody in this file calls it}}
// expected-note@+1 {{store results through ktdp.store}}
func.func @gives(%x: index) -> index attributes {grid = [1]} {
  return %x : index
}

// -----

func.func @dynamic(%n: index) attributes {grid = [1]} {
  // expected-error@+2 {{tensor<?x64xf16> is not compiled yet: its buffer in LX has a fixed size}}
  // expected-note@+1 {{use tensors of constant shape}}
  %e = tensor.empty(%n) : tensor<?x64xf16>
  return
}
