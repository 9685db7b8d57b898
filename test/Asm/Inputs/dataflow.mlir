func.func @k(%x: index, %z: index) attributes {grid = [4]} {
  %t = dataflow.tile_id
  %c1 = arith.constant 1 : index
  %off = arith.muli %t, %c1 : index
  %a = dataflow.read @device[%off from %x] strides [64, 1] : tensor<1x64xf16>
  %b = dataflow.read @device[%off] strides [%c1, 1] : tensor<1x64xf16>
  dataflow.write %a, @device[%off from %z] strides [64, %c1] : tensor<1x64xf16>
  %d = dataflow.read @device[%off from %x] strides [64, 1] clip [0, %t] to [1, 64] set affine_set<(r, c)[s] : (c - r - s >= 0)> symbols(%t) fill 15360 : tensor<1x64xf16>
  %e = dataflow.read @lx[%off] strides [64, 1] clip [0, 0] to [%t, 9] get %t into %d : tensor<1x64xf16>
  %l = dataflow.read @device[%off from %x] strides [1] set affine_set<(r) : (r mod 2 == 0)> : tensor<1xi32>
  %g = dataflow.read @device[%off from %x] strides [0, 1] index (%l, %l : tensor<1xi32>, tensor<1xi32>) below [%t, 9] into %e
    {index_maps = [affine_map<(r, c) -> (r)>, affine_map<(r, c) -> (r floordiv 2)>], index_scales = array<i64: 64, 1>} : tensor<1x64xf16>
  dataflow.write %g, @lx[%off] strides [64, %c1] clip [0, 0] to [1, %t] set affine_set<(r, c) : (r - c >= 0)> put %t index (%l : tensor<1xi32>) below [4]
    {index_maps = [affine_map<(r, c) -> (r)>], index_scales = array<i64: 1>} : tensor<1x64xf16>
  %buf = dataflow.alloc {depth = 2, name = "x"} : memref<1x64xf16, "lx">
  %buf2 = dataflow.alloc : memref<1x64xf16, "lx">
  dataflow.channel @c from @load to @sfu {init = 0}
  dataflow.data_transfer from @device[%off from %x] strides [64, 1] to %buf {route = ["ddr", "load", "lx"], unit = @load} : memref<1x64xf16, "lx">
  dataflow.data_transfer from %buf to @device[%off from %z] strides [%c1, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<1x64xf16, "lx">
  dataflow.data_transfer from %buf to %buf2 {route = ["lx", "store", "lx"], unit = @store} : memref<1x64xf16, "lx">, memref<1x64xf16, "lx">
  dataflow.post @c {unit = @load}
  dataflow.wait @c {unit = @sfu}
  dataflow.buffer @xb {address = 0, slot_bytes = 128, depth = 2}
  dataflow.buffer @yb {address = 256, slot_bytes = 128, depth = 1}
  dataflow.program_unit @load(%core) {
    %q = arith.muli %core, %c1 : index
    dataflow.wait @c
    dataflow.transfer @device[%q from %x] strides [128, 2] to @lx[%q in @xb] strides [128, 2] counts [1, 64] {element_bytes = 2}
    dataflow.transfer @lx[%q in @xb] strides [128, 2] to @device[%q] strides [128, 2] counts [1, 64] {element_bytes = 2 : i64}
    dataflow.post @c
  }
  dataflow.program_unit @sfu(%core) attributes {corelet = 1} {
    dataflow.stream counts [64] ins(@xb[%core] strides [2] : f16, @yb[%core] strides [2] : f16) outs(@yb[%core] strides [2] : f16) { ^bb0(%p: f16, %q: f16, %o: f16):
      %s = arith.addf %p, %q : f16
      %u = spyreop.silu %s : f16
      dataflow.yield %u : f16 }
    dataflow.stream counts [2, 64] ins() outs(@yb[%core] strides [0, 2] : f16) {
    ^bb0(%o: f16):
      dataflow.yield %o : f16
    }
  }
  dataflow.program_unit @store(%core) {}
  return
}
