// However many iterations there are, sizes that divide their number are not searched among all of them.
//
// RUN: spyrec opt %s --group-iterations | filecheck %s

// CHECK-LABEL: func.func @prime
// CHECK: dataflow.grouped
func.func @prime(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 99999999977 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = dataflow.read @device[%i from %x] strides [1] : tensor<1xi8>
    dataflow.write %a, @device[%i from %z] strides [1] : tensor<1xi8>
  }
  return
}
