// What is no schedule, and buffers of which nobody knows where they lie.
//
// RUN: spyrec opt %s --prune-synchronization --split-input-file --verify-diagnostics

func.func @no_address(%x: index, %y: index) attributes {grid = [1]} {
  dataflow.channel @x_full from @load to @store {init = 0}
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{the buffer has no address yet: run assign-addresses first}}
  %a = dataflow.alloc {name = "x"} : memref<64xf16, "lx">
  dataflow.data_transfer from @device[%c0 from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
  dataflow.post @x_full {unit = @load}
  dataflow.wait @x_full {unit = @store}
  dataflow.data_transfer from %a to @device[%c0 from %y] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
  return
}

// -----

func.func @tensors(%x: index) attributes {grid = [1]} {
  dataflow.channel @x_full from @load to @store {init = 0}
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{'dataflow.read' cannot be part of a schedule}}
  %a = dataflow.read @device[%c0 from %x] strides [1] : tensor<64xf16>
  return
}
