// What a transfer fills or empties, what two units share, also through a view of it, and what has one slot already.
//
// RUN: spyrec opt %s --trim-slots > %t && spyrec opt %s | cmp - %t

#id = affine_map<(a) -> (a)>

func.func private @elsewhere(index)

func.func @used_by_others(%x: index, %z: index, %n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = dataflow.alloc {depth = 2 : i64, name = "filled"} : memref<64xf32, "lx">
    dataflow.data_transfer from @device[%i from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf32, "lx">
    %t = dataflow.alloc {depth = 2 : i64, name = "shared"} : memref<64xf32, "lx">
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<64xf32, "lx">) outs(%t : memref<64xf32, "lx">) attrs = {dataflow.corelet = 0 : i64, dataflow.unit = @sfu} {
    ^bb0(%p: f32, %o: f32):
      %0 = math.exp %p : f32
      linalg.yield %0 : f32
    }
    %s = memref.subview %t[32] [32] [1] : memref<64xf32, "lx"> to memref<32xf32, strided<[1], offset: 32>, "lx">
    %u = dataflow.alloc {depth = 1 : i64, name = "one"} : memref<32xf32, "lx">
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%s : memref<32xf32, strided<[1], offset: 32>, "lx">) outs(%u : memref<32xf32, "lx">) attrs = {dataflow.corelet = 1 : i64, dataflow.unit = @sfu} {
    ^bb0(%p: f32, %o: f32):
      %0 = math.exp %p : f32
      linalg.yield %0 : f32
    }
    %b = dataflow.alloc {depth = 3 : i64, name = "emptied"} : memref<32xf32, "lx">
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%u : memref<32xf32, "lx">) outs(%b : memref<32xf32, "lx">) attrs = {dataflow.corelet = 1 : i64, dataflow.unit = @sfu} {
    ^bb0(%p: f32, %o: f32):
      %0 = math.exp %p : f32
      linalg.yield %0 : f32
    }
    dataflow.data_transfer from %b to @device[%i from %z] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<32xf32, "lx">
  }
  return
}
