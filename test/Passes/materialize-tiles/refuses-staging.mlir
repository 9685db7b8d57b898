// Bytes that would have to rest in a memory that is no stage are refused; the way back has no such memory.
//
// RUN: spyrec opt %s --device=%S/Inputs/staged.mlir --materialize-tiles --verify-diagnostics

func.func @copy(%x: index, %y: index, %v: tensor<64xf16>) attributes {grid = [2]} {
  %o = arith.constant 0 : index
  // expected-error@+2 {{the route far -> fetch -> mid -> pull -> near rests in 'mid', which is no stage, and no unit links the two memories}}
  // expected-note@+1 {{let one exec_unit of the device file link the two memories by datapaths}}
  %a = dataflow.read @device[%o from %x] strides [1] : tensor<64xf16>
  dataflow.write %v, @device[%o from %y] strides [1] : tensor<64xf16>
  return
}
