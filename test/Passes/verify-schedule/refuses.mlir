// RUN: spyrec opt %s --verify-schedule --split-input-file --verify-diagnostics

#id = affine_map<(c) -> (c)>
func.func @leftovers(%x: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{dataflow.read still has a tensor at stage schedule; one-shot-bufferize should have given it a buffer}}
  %t = dataflow.read @device[%c0 from %x] strides [1] : tensor<64xf16>
  // expected-error@+1 {{memref.alloc hands out a buffer at stage schedule; only dataflow.alloc and views of it may}}
  %m = memref.alloc() : memref<64xf16, "lx">
  %b = dataflow.alloc : memref<64xf16, "lx">
  // expected-error@+1 {{memref.copy is still here at stage schedule; adopt-buffers should have removed it}}
  memref.copy %b, %b : memref<64xf16, "lx"> to memref<64xf16, "lx">
  // expected-error@+1 {{linalg.generic names no unit; place-compute should have seen to it}}
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%b : memref<64xf16, "lx">) {
  ^bb0(%o: f16):
    linalg.yield %o : f16
  }
  // expected-error@+1 {{linalg.generic runs on 'alu', and device 'spyre' has load, store}}
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%b : memref<64xf16, "lx">) attrs = {dataflow.unit = @alu} {
  ^bb0(%o: f16):
    linalg.yield %o : f16
  }
  // expected-error@+1 {{two outputs of linalg.generic are one buffer; place-outputs should have given each its own}}
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} outs(%b, %b : memref<64xf16, "lx">, memref<64xf16, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%o: f16, %p: f16):
    linalg.yield %o, %p : f16, f16
  }
  return
}

// -----

func.func @routes(%x: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %b = dataflow.alloc : memref<64xf16, "lx">
  // expected-error@+1 {{the route goes from 'ddr' to 'lx', and device 'spyre' has no such link}}
  dataflow.data_transfer from @device[%c0 from %x] strides [1] to %b {route = ["ddr", "lx"], unit = @load} : memref<64xf16, "lx">
  // expected-error@+1 {{the route ends at 'lx', which is not the device memory of device 'spyre'}}
  dataflow.data_transfer from @device[%c0 from %x] strides [1] to %b {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
  // expected-error@+1 {{unit 'store' is not on the route ddr -> load -> lx}}
  dataflow.data_transfer from @device[%c0 from %x] strides [1] to %b {route = ["ddr", "load", "lx"], unit = @store} : memref<64xf16, "lx">
  return
}

// -----

func.func @carried(%n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = dataflow.alloc : memref<64xf16, "lx">
  // expected-error@+1 {{scf.for hands out a buffer at stage schedule; only dataflow.alloc and views of it may}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %b) -> (memref<64xf16, "lx">) {
    scf.yield %t : memref<64xf16, "lx">
  }
  return
}

// -----

#line = affine_map<(d) -> (d)>
func.func @corelet() attributes {grid = [1]} {
  %a = dataflow.alloc : memref<64xf16, "lx">
  // expected-error@+1 {{linalg.generic runs on corelet 2 of 'sfu', and device 'spyre' has 2}}
  linalg.generic {indexing_maps = [#line], iterator_types = ["parallel"]} outs(%a : memref<64xf16, "lx">) attrs = {dataflow.corelet = 2, dataflow.unit = @sfu} {
  ^bb0(%p: f16):
    linalg.yield %p : f16
  }
  return
}
