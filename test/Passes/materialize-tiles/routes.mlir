// Each transfer takes the way over which its box arrives first: whole lines of 512 bytes at 256 bytes a cycle, or single grains of
// device memory (128 bytes) at 128.
//
// RUN: spyrec opt %s --device=%S/Inputs/two_ways.mlir --materialize-tiles | filecheck %s

// CHECK-LABEL: func.func @rows
func.func @rows(%x: index, %y: index, %s: index) attributes {grid = [2]} {
  %o = arith.constant 0 : index
  // One run of 4096 bytes.
  // CHECK: route = ["far", "bulk", "near"], unit = @bulk
  %a = dataflow.read @device[%o from %x] strides [1] : tensor<2048xf16>
  // 2048 runs of 2 bytes each.
  // CHECK: route = ["far", "single", "near"], unit = @single
  %b = dataflow.read @device[%o from %x] strides [1000] : tensor<2048xf16>
  // A stride that only the launch knows.
  // CHECK: route = ["far", "single", "near"], unit = @single
  %c = dataflow.read @device[%o from %x] strides [%s] : tensor<2048xf16>
  %d = arith.addf %a, %b : tensor<2048xf16>
  %e = arith.addf %d, %c : tensor<2048xf16>
  // There is one way out.
  // CHECK: route = ["near", "out", "far"], unit = @out
  dataflow.write %e, @device[%o from %y] strides [1] : tensor<2048xf16>
  return
}
