// exp of each row of 64 elements: each corelet has its own program and its own channels.
func.func @corelets(%x: index, %y: index) attributes {grid = [4]} {
  dataflow.buffer @x {address = 0 : i64, slot_bytes = 128 : i64, depth = 2 : i64}
  dataflow.buffer @y {address = 256 : i64, slot_bytes = 128 : i64, depth = 2 : i64}
  dataflow.channel @x0_full from @load to @sfu {init = 0 : i64}
  dataflow.channel @x0_free from @sfu to @load {init = 2 : i64}
  dataflow.channel @y0_full from @sfu to @store {init = 0 : i64}
  dataflow.channel @y0_free from @store to @sfu {init = 2 : i64}
  dataflow.channel @x1_full from @load to @"sfu.1" {init = 0 : i64}
  dataflow.channel @x1_free from @"sfu.1" to @load {init = 2 : i64}
  dataflow.channel @y1_full from @"sfu.1" to @store {init = 0 : i64}
  dataflow.channel @y1_free from @store to @"sfu.1" {init = 2 : i64}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant 6 : index // iterations
  dataflow.program_unit @load(%core) {
    %first = arith.muli %core, %rows : index
    scf.for %i = %c0 to %rows step %c1 {
      %at = affine.apply affine_map<(f, i) -> ((f + i) * 128)>(%first, %i)
      %b = affine.apply affine_map<(i) -> ((i mod 2) * 128)>(%i)
      dataflow.wait @x0_free
      dataflow.wait @x1_free
      dataflow.transfer @device[%at from %x] strides [2] to @lx[%b in @x] strides [2] counts [64] {element_bytes = 2 : i64}
      dataflow.post @x0_full
      dataflow.post @x1_full
    }
  }
  dataflow.program_unit @sfu(%core) {
    scf.for %i = %c0 to %rows step %c1 {
      %b = affine.apply affine_map<(i) -> ((i mod 2) * 128 + 0)>(%i)
      %o = affine.apply affine_map<(i) -> ((i mod 2) * 128 + 256)>(%i)
      dataflow.wait @x0_full
      dataflow.wait @y0_free
      dataflow.stream counts [32] ins(@x[%b] strides [2] : f16) outs(@y[%o] strides [2] : f16) {
      ^bb0(%p: f16, %q: f16):
        %e = math.exp %p : f16
        dataflow.yield %e : f16
      }
      dataflow.post @x0_free
      dataflow.post @y0_full
    }
  }
  dataflow.program_unit @sfu(%core) attributes {corelet = 1 : i64} {
    scf.for %i = %c0 to %rows step %c1 {
      %b = affine.apply affine_map<(i) -> ((i mod 2) * 128 + 64)>(%i)
      %o = affine.apply affine_map<(i) -> ((i mod 2) * 128 + 320)>(%i)
      dataflow.wait @x1_full
      dataflow.wait @y1_free
      dataflow.stream counts [32] ins(@x[%b] strides [2] : f16) outs(@y[%o] strides [2] : f16) {
      ^bb0(%p: f16, %q: f16):
        %e = math.exp %p : f16
        dataflow.yield %e : f16
      }
      dataflow.post @x1_free
      dataflow.post @y1_full
    }
  }
  dataflow.program_unit @store(%core) {
    %first = arith.muli %core, %rows : index
    scf.for %i = %c0 to %rows step %c1 {
      %at = affine.apply affine_map<(f, i) -> ((f + i) * 128)>(%first, %i)
      %o = affine.apply affine_map<(i) -> ((i mod 2) * 128 + 256)>(%i)
      dataflow.wait @y0_full
      dataflow.wait @y1_full
      dataflow.transfer @lx[%o in @y] strides [2] to @device[%at from %y] strides [2] counts [64] {element_bytes = 2 : i64}
      dataflow.post @y0_free
      dataflow.post @y1_free
    }
  }
  return
}
