// Buffers of a stage are reached by transfers only, and each leg of a way is one.
//
// RUN: spyrec opt %s --device=%S/../../Devices/Inputs/staged.mlir --verify-schedule --split-input-file --verify-diagnostics

func.func @good(%x: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %s = dataflow.alloc : memref<64xf16, "l1">
  %b = dataflow.alloc : memref<64xf16, "lx">
  dataflow.data_transfer from @device[%c0 from %x] strides [1] to %s {route = ["ddr", "fetch", "l1"], unit = @fetch} : memref<64xf16, "l1">
  dataflow.data_transfer from %s to %b {route = ["l1", "fill", "lx"], unit = @fill} : memref<64xf16, "l1">, memref<64xf16, "lx">
  return
}

// -----

#id = affine_map<(c) -> (c)>
func.func @bad(%x: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %s = dataflow.alloc : memref<64xi32, "l1">
  %b = dataflow.alloc : memref<64xi32, "lx">
  // expected-error@+1 {{the buffer lies in 'l2', and device 'staged' has buffers in l1, lx}}
  %other = dataflow.alloc : memref<64xi32, "l2">
  // expected-error@+1 {{linalg.generic works on a buffer outside of LX; only transfers reach a stage}}
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%s : memref<64xi32, "l1">) outs(%b : memref<64xi32, "lx">) attrs = {dataflow.unit = @vec} {
  ^bb0(%i: i32, %o: i32):
    linalg.yield %i : i32
  }
  // expected-error@+1 {{memref.load works on a buffer outside of LX}}
  %n = memref.load %s[%c0] : memref<64xi32, "l1">
  // expected-error@+1 {{the route passes 'l1', and bytes rest in a memory; materialize-tiles should have cut it}}
  dataflow.data_transfer from @device[%c0 from %x] strides [1] to %b {route = ["ddr", "fetch", "l1", "fill", "lx"], unit = @fill} : memref<64xi32, "lx">
  // expected-error@+1 {{the route ends at 'l1', which is not the lx memory of device 'staged'}}
  dataflow.data_transfer from @device[%c0 from %x] strides [1] to %b {route = ["ddr", "fetch", "l1"], unit = @fetch} : memref<64xi32, "lx">
  return
}
