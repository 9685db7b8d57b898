// Cores without a unit between them exchange nothing.
//
// RUN: spyrec opt %s --device=%S/../materialize-tiles/Inputs/one_way.mlir --materialize-exchange --verify-diagnostics

func.func @swap(%x: tensor<64xf16>) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  // expected-error@+2 {{device 'one_way' has no unit between its cores}}
  // expected-note@+1 {{give an exec_unit of it the role 'ring'}}
  %o = dataflow.offer %x to [[1], []] : tensor<64xf16>
  %r = dataflow.take %o from %c0 : tensor<64xf16>
  return
}
