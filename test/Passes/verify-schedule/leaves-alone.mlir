// What a schedule may be: transfers along links of the device, compute on a unit of it, in a loop with slots.
//
// RUN: spyrec opt %s --verify-schedule > %t && spyrec opt %s | cmp - %t

#id = affine_map<(c) -> (c)>

func.func @schedule(%x: index, %z: index, %n: index) attributes {dataflow.signature = [], grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %o = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %a = dataflow.alloc {depth = 2 : i64, name = "x"} : memref<64xf16, "lx">
    dataflow.data_transfer from @device[%o from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
    %b = dataflow.alloc {depth = 2 : i64, name = "z"} : memref<64xf16, "lx">
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<64xf16, "lx">) outs(%b : memref<64xf16, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%p: f16, %q: f16):
      %r = arith.negf %p : f16
      linalg.yield %r : f16
    }
    dataflow.data_transfer from %b to @device[%o from %z] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
  }
  return
}
