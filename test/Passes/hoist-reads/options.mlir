// What stays in LX may take so much of it: the second read would be one byte in 256 too much.
//
// RUN: spyrec opt %s --hoist-reads=percent=50 | filecheck %s
// RUN: not 2 spyrec opt %s --hoist-reads=percent=101 2>&1 | filecheck %s --check-prefix=MORE
// RUN: spyrec opt %s --hoist-reads=percent=0 > %t && spyrec opt %s > %t.same && diff %t %t.same

// MORE: percent must be from 0 to 100, but is 101

// CHECK: dataflow.read @device[%c0 from %x]
// CHECK: scf.for
// CHECK: dataflow.read @device[%c0 from %y]
func.func @room(%x: index, %y: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %a = dataflow.read @device[%c0 from %x] strides [1024, 1] : tensor<256x1024xf16>
    %b = dataflow.read @device[%c0 from %y] strides [1024, 1] : tensor<257x1024xf16>
    dataflow.write %a, @device[%c0 from %z] strides [1024, 1] : tensor<256x1024xf16>
    dataflow.write %b, @device[%c0 from %z] strides [1024, 1] : tensor<257x1024xf16>
  }
  return
}
