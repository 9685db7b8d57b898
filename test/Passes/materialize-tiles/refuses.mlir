// A route has to exist, one unit has to drive it, and no memory may be in between.
//
// RUN: spyrec opt %s --device=%S/Inputs/one_way.mlir --materialize-tiles --verify-diagnostics

func.func @copy(%x: index, %y: index) attributes {grid = [2]} {
  %o = arith.constant 0 : index
  // expected-error@+2 {{the route far -> fetch -> relay -> near passes not one unit, and one has to run the transfer}}
  // expected-note@+1 {{let one exec_unit of the device file link the two memories by datapaths}}
  %a = dataflow.read @device[%o from %x] strides [1] : tensor<64xf16>
  // expected-error@+2 {{device 'one_way' has no route from 'near' to 'far'}}
  // expected-note@+1 {{let one exec_unit of the device file link the two memories by datapaths}}
  dataflow.write %a, @device[%o from %y] strides [1] : tensor<64xf16>
  return
}
