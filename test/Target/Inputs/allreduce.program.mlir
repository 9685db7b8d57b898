// Every core adds up one row of each core. A core tells its peers that its part is there, fetches theirs, and tells them
// that it has: then they may make the next but one.
func.func @allreduce(%x: index, %y: index) attributes {grid = [4]} {
  dataflow.buffer @x {address = 0 : i64, slot_bytes = 128 : i64, depth = 2 : i64}
  dataflow.buffer @y {address = 256 : i64, slot_bytes = 128 : i64, depth = 2 : i64}
  dataflow.buffer @part {address = 512 : i64, slot_bytes = 256 : i64, depth = 2 : i64}
  dataflow.buffer @other {address = 1024 : i64, slot_bytes = 256 : i64, depth = 2 : i64}
  dataflow.buffer @acc {address = 1536 : i64, slot_bytes = 256 : i64, depth = 1 : i64}
  dataflow.channel @x_full from @load to @sfu {init = 0 : i64}
  dataflow.channel @x_free from @sfu to @load {init = 2 : i64}
  dataflow.channel @y_full from @sfu to @store {init = 0 : i64}
  dataflow.channel @y_free from @store to @sfu {init = 2 : i64}
  dataflow.channel @part_full from @sfu to @ring {init = 0 : i64}
  dataflow.channel @part_free from @ring to @sfu {init = 2 : i64}
  dataflow.channel @other_full from @ring to @sfu {init = 0 : i64}
  dataflow.channel @other_free from @sfu to @ring {init = 2 : i64}
  dataflow.channel @ready from @ring to @ring {init = 0 : i64, peers}
  dataflow.channel @taken from @ring to @ring {init = 0 : i64, peers}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %times = arith.constant 5 : index // iterations
  %acc = arith.constant 1536 : index
  dataflow.program_unit @load(%core) {
    %first = arith.muli %core, %times : index
    scf.for %i = %c0 to %times step %c1 {
      %at = affine.apply affine_map<(f, i) -> ((f + i) * 128)>(%first, %i)
      %b = affine.apply affine_map<(i) -> ((i mod 2) * 128)>(%i)
      dataflow.wait @x_free
      dataflow.transfer @device[%at from %x] strides [2] to @lx[%b in @x] strides [2] counts [64] {element_bytes = 2 : i64}
      dataflow.post @x_full
    }
  }
  dataflow.program_unit @sfu(%core) {
    scf.for %i = %c0 to %times step %c1 {
      %b = affine.apply affine_map<(i) -> ((i mod 2) * 128)>(%i)
      %yb = affine.apply affine_map<(i) -> ((i mod 2) * 128 + 256)>(%i)
      %part = affine.apply affine_map<(i) -> ((i mod 2) * 256 + 512)>(%i)
      dataflow.wait @x_full
      dataflow.wait @part_free
      dataflow.stream counts [64] ins(@x[%b] strides [2] : f16) outs(@part[%part] strides [4] : f32, @acc[%acc] strides [4] : f32) {
      ^bb0(%p: f16, %o: f32, %q: f32):
        %w = arith.extf %p : f16 to f32
        %s = arith.mulf %w, %w : f32
        dataflow.yield %s, %s : f32, f32
      }
      dataflow.post @x_free
      dataflow.post @part_full
      scf.for %p = %c1 to %c4 step %c1 {
        %other = affine.apply affine_map<(i, p) -> (((i * 3 + p - 1) mod 2) * 256 + 1024)>(%i, %p)
        dataflow.wait @other_full
        dataflow.stream counts [64] ins(@other[%other] strides [4] : f32) outs(@acc[%acc] strides [4] : f32) {
        ^bb0(%q: f32, %o: f32):
          %s = arith.addf %o, %q : f32
          dataflow.yield %s : f32
        }
        dataflow.post @other_free
      }
      dataflow.wait @y_free
      dataflow.stream counts [64] ins(@acc[%acc] strides [4] : f32) outs(@y[%yb] strides [2] : f16) {
      ^bb0(%q: f32, %o: f16):
        %s = arith.truncf %q : f32 to f16
        dataflow.yield %s : f16
      }
      dataflow.post @y_full
    }
  }
  dataflow.program_unit @ring(%core) {
    scf.for %i = %c0 to %times step %c1 {
      %part = affine.apply affine_map<(i) -> ((i mod 2) * 256 + 512)>(%i)
      dataflow.wait @part_full
      scf.for %p = %c1 to %c4 step %c1 {
        %peer = affine.apply affine_map<(t, p) -> ((t + p) mod 4)>(%core, %p)
        dataflow.post @ready to %peer
      }
      scf.for %p = %c1 to %c4 step %c1 {
        %peer = affine.apply affine_map<(t, p) -> ((t + p) mod 4)>(%core, %p)
        %other = affine.apply affine_map<(i, p) -> (((i * 3 + p - 1) mod 2) * 256 + 1024)>(%i, %p)
        dataflow.wait @ready from %peer
        dataflow.wait @other_free
        dataflow.transfer @lx[%part in @part] strides [4] to @lx[%other in @other] strides [4] counts [64] get %peer {element_bytes = 4 : i64}
        dataflow.post @taken to %peer
        dataflow.post @other_full
      }
      scf.for %p = %c1 to %c4 step %c1 {
        %peer = affine.apply affine_map<(t, p) -> ((t + p) mod 4)>(%core, %p)
        dataflow.wait @taken from %peer
      }
      dataflow.post @part_free
    }
  }
  dataflow.program_unit @store(%core) {
    %first = arith.muli %core, %times : index
    scf.for %i = %c0 to %times step %c1 {
      %at = affine.apply affine_map<(f, i) -> ((f + i) * 128)>(%first, %i)
      %yb = affine.apply affine_map<(i) -> ((i mod 2) * 128 + 256)>(%i)
      dataflow.wait @y_full
      dataflow.transfer @lx[%yb in @y] strides [2] to @device[%at from %y] strides [2] counts [64] {element_bytes = 2 : i64}
      dataflow.post @y_free
    }
  }
  return
}
