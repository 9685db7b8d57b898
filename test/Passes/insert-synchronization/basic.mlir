// A pipeline of three units: each buffer is filled before it is read, and read before it is filled again.
//
// RUN: spyrec opt %s --insert-synchronization | filecheck %s
// RUN: spyrec opt %s --insert-synchronization --insert-synchronization | filecheck %s

#same = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @pipeline
// CHECK-NEXT: dataflow.channel @x_full from @load to @sfu {init = 0 : i64}
// CHECK-NEXT: dataflow.channel @z_full from @sfu to @store {init = 0 : i64}
// CHECK-NEXT: dataflow.channel @x_free from @sfu to @load {init = 2 : i64}
// CHECK-NEXT: dataflow.channel @z_free from @store to @sfu {init = 3 : i64}
// CHECK-NOT: dataflow.channel
// CHECK: scf.for
// CHECK: dataflow.wait @x_free {unit = @load}
// CHECK-NEXT: dataflow.data_transfer from @device
// CHECK-NEXT: dataflow.post @x_full {unit = @load}
// CHECK: dataflow.wait @x_full {unit = @sfu}
// CHECK-NEXT: dataflow.wait @z_free {unit = @sfu}
// CHECK-NEXT: linalg.generic
// CHECK: dataflow.post @z_full {unit = @sfu}
// CHECK-NEXT: dataflow.post @x_free {unit = @sfu}
// CHECK: dataflow.wait @z_full {unit = @store}
// CHECK-NEXT: dataflow.data_transfer from %{{.*}} to @device
// CHECK-NEXT: dataflow.post @z_free {unit = @store}
func.func @pipeline(%x: index, %z: index, %n: index) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %o = affine.apply affine_map<(i) -> (i * 64)>(%i)
    %a = dataflow.alloc {address = 0, depth = 2, name = "x", slot_bytes = 128} : memref<64xf16, "lx">
    dataflow.data_transfer from @device[%o from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
    %b = dataflow.alloc {address = 256, depth = 3, name = "z", slot_bytes = 128} : memref<64xf16, "lx">
    linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%a : memref<64xf16, "lx">) outs(%b : memref<64xf16, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%p: f16, %q: f16):
      %r = arith.addf %p, %p : f16
      linalg.yield %r : f16
    }
    dataflow.data_transfer from %b to @device[%o from %z] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
  }
  return
}
