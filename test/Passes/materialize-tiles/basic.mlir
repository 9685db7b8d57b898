// Reads and writes become transfers with a buffer, a unit and a route; a value that is written as it was read goes out of the same buffer.
//
// RUN: spyrec opt %s --materialize-tiles | filecheck %s
// RUN: spyrec opt %s --materialize-tiles --one-shot-bufferize --canonicalize | filecheck %s --check-prefix=BUFFERS

// CHECK-LABEL: func.func @copy(%x: index, %y: index)
// CHECK: %[[AT:.*]] = affine.apply
// CHECK: %[[B:.*]] = dataflow.alloc {name = "x"} : memref<2x64xf16, "lx">
// CHECK: dataflow.data_transfer from @device[%[[AT]] from %x] strides [64, 1] to %[[B]] {route = ["ddr", "load", "lx"], unit = @load} : memref<2x64xf16, "lx">
// CHECK: %[[T:.*]] = bufferization.to_tensor %[[B]] restrict
// CHECK: %[[M:.*]] = bufferization.to_buffer %[[T]] read_only : tensor<2x64xf16> to memref<2x64xf16, "lx">
// CHECK: dataflow.data_transfer from %[[M]] to @device[%[[AT]] from %y] strides [128, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<2x64xf16, "lx">
// BUFFERS: %[[B:.*]] = dataflow.alloc
// BUFFERS: dataflow.data_transfer from @device{{.*}} to %[[B]]
// BUFFERS-NOT: memref.
// BUFFERS: dataflow.data_transfer from %[[B]] to @device
func.func @copy(%x: index, %y: index) attributes {grid = [32]} {
  %t = dataflow.tile_id
  %o = affine.apply affine_map<(d0) -> (d0 * 128)>(%t)
  %a = dataflow.read @device[%o from %x] strides [64, 1] : tensor<2x64xf16>
  dataflow.write %a, @device[%o from %y] strides [128, 1] : tensor<2x64xf16>
  return
}

// Without an argument there is no name to take.
// CHECK-LABEL: func.func @literal
// CHECK: dataflow.alloc {name = "tile"} : memref<f32, "lx">
// CHECK: dataflow.data_transfer from @device[%{{.*}}] strides [] to
func.func @literal() attributes {grid = [1]} {
  %o = arith.constant 4096 : index
  %a = dataflow.read @device[%o] strides [] : tensor<f32>
  dataflow.write %a, @device[%o] strides [] : tensor<f32>
  return
}
