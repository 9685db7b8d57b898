// Where all tensors together take more than LX (twice 513 KiB and twice 512), a read that leaves its loop must not stay
// in another one. Before the outermost loop it is beside nothing that it was not beside before.
//
// RUN: spyrec opt %s --hoist-reads | filecheck %s
// RUN: spyrec opt %s --hoist-reads=percent=0 | filecheck %s
// RUN: not 2 spyrec opt %s --hoist-reads=percent=101 2>&1 | filecheck %s --check-prefix=MORE

// MORE: percent must be from 0 to 100, but is 101

// CHECK: dataflow.read @device[%c0 from %x]
// CHECK: scf.for
// CHECK-NEXT: scf.for
// CHECK-NEXT: dataflow.read @device[%c0 from %y]
func.func @room(%x: index, %y: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %a = dataflow.read @device[%c0 from %x] strides [1024, 1] : tensor<256x1024xf16>
    scf.for %j = %c0 to %c4 step %c1 {
      %b = dataflow.read @device[%c0 from %y] strides [1024, 1] : tensor<257x1024xf16>
      dataflow.write %a, @device[%c0 from %z] strides [1024, 1] : tensor<256x1024xf16>
      dataflow.write %b, @device[%c0 from %z] strides [1024, 1] : tensor<257x1024xf16>
    }
  }
  return
}
