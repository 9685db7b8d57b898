// What tiles offer one another needs a schedule between cores.
//
// RUN: spyrec opt %s --materialize-tiles --verify-diagnostics

func.func @swap(%x: tensor<64xf16>) attributes {grid = [2]} {
  %c1 = arith.constant 1 : index
  %t = dataflow.tile_id
  %other = arith.subi %c1, %t : index
  // expected-error@+2 {{an exchange of values is not compiled yet: exchange between cores is not scheduled yet}}
  // expected-note@+1 {{store to device memory in one kernel, and load in the next}}
  %o = dataflow.offer %x to [[1], [0]] : tensor<64xf16>
  %r = dataflow.take %o from %other : tensor<64xf16>
  return
}
