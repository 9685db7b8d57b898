// RUN: spyrec opt %s --tile-and-fuse | filecheck %s
//
// Nothing is marked here.

// CHECK-LABEL: func.func @copy
// CHECK-NOT: scf.for
// CHECK: tensor<100x64xf16>
func.func @copy(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %a = dataflow.read @device[%c0 from %x] strides [64, 1] : tensor<100x64xf16>
  dataflow.write %a, @device[%c0 from %z] strides [64, 1] : tensor<100x64xf16>
  return
}
