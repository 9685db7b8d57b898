// RUN: spyrec opt %s --materialize-exchange --verify-diagnostics

func.func @elsewhere(%x: tensor<64xf16>, %n: index) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+2 {{an exchange that ends in another loop or branch is not compiled yet: its takers may come several times or never}}
  // expected-note@+1 {{produce and consume in one block}}
  %o = dataflow.offer %x to [[0, 1], []] {dataflow.taken_elsewhere} : tensor<64xf16>
  scf.for %i = %c0 to %n step %c1 {
    %w = dataflow.take %o from %c0 : tensor<64xf16>
  }
  return
}
