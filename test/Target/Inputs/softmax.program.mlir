// Row-wise softmax: loads run two rows ahead; the maximum, the exponentials with their sum, and the quotient are one
// stream each.
func.func @softmax(%x: index, %y: index) attributes {grid = [4]} {
  dataflow.buffer @x {address = 0 : i64, slot_bytes = 128 : i64, depth = 2 : i64}
  dataflow.buffer @y {address = 256 : i64, slot_bytes = 128 : i64, depth = 2 : i64}
  dataflow.buffer @m {address = 512 : i64, slot_bytes = 128 : i64, depth = 1 : i64}
  dataflow.buffer @s {address = 640 : i64, slot_bytes = 128 : i64, depth = 1 : i64}
  dataflow.buffer @e {address = 768 : i64, slot_bytes = 256 : i64, depth = 1 : i64}
  dataflow.channel @x_full from @load to @sfu {init = 0 : i64}
  dataflow.channel @x_free from @sfu to @load {init = 2 : i64}
  dataflow.channel @y_full from @sfu to @store {init = 0 : i64}
  dataflow.channel @y_free from @store to @sfu {init = 2 : i64}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant 6 : index // iterations
  %m = arith.constant 512 : index
  %s = arith.constant 640 : index
  %e = arith.constant 768 : index
  dataflow.program_unit @load(%core) {
    %first = arith.muli %core, %rows : index
    scf.for %i = %c0 to %rows step %c1 {
      %at = affine.apply affine_map<(f, i) -> ((f + i) * 128)>(%first, %i)
      %xb = affine.apply affine_map<(i) -> ((i mod 2) * 128)>(%i)
      dataflow.wait @x_free
      dataflow.transfer @device[%at from %x] strides [2] to @lx[%xb in @x] strides [2] counts [64] {element_bytes = 2 : i64}
      dataflow.post @x_full
    }
  }
  dataflow.program_unit @sfu(%core) {
    scf.for %i = %c0 to %rows step %c1 {
      %xb = affine.apply affine_map<(i) -> ((i mod 2) * 128)>(%i)
      %yb = affine.apply affine_map<(i) -> ((i mod 2) * 128 + 256)>(%i)
      dataflow.wait @x_full
      dataflow.stream counts [64] reduce [0] ins(@x[%xb] strides [2] : f16) outs(@m[%m] strides [0] : f32) attributes {fresh} {
      ^bb0(%p: f16, %o: f32):
        %w = arith.extf %p : f16 to f32
        %n = arith.maximumf %o, %w : f32
        dataflow.yield %n : f32
      }
      dataflow.stream counts [64] reduce [0] ins(@x[%xb] strides [2] : f16, @m[%m] strides [0] : f32) outs(@e[%e] strides [4] : f32, @s[%s] strides [0] : f32) attributes {fresh} {
      ^bb0(%p: f16, %q: f32, %o: f32, %t: f32):
        %w = arith.extf %p : f16 to f32
        %d = arith.subf %w, %q : f32
        %n = math.exp %d : f32
        %u = arith.addf %t, %n : f32
        dataflow.yield %n, %u : f32, f32
      }
      dataflow.post @x_free
      dataflow.wait @y_free
      dataflow.stream counts [64] ins(@e[%e] strides [4] : f32, @s[%s] strides [0] : f32) outs(@y[%yb] strides [2] : f16) {
      ^bb0(%p: f32, %q: f32, %o: f16):
        %d = arith.divf %p, %q : f32
        %n = arith.truncf %d : f32 to f16
        dataflow.yield %n : f16
      }
      dataflow.post @y_full
    }
  }
  dataflow.program_unit @store(%core) {
    %first = arith.muli %core, %rows : index
    scf.for %i = %c0 to %rows step %c1 {
      %at = affine.apply affine_map<(f, i) -> ((f + i) * 128)>(%first, %i)
      %yb = affine.apply affine_map<(i) -> ((i mod 2) * 128 + 256)>(%i)
      dataflow.wait @y_full
      dataflow.transfer @lx[%yb in @y] strides [2] to @device[%at from %y] strides [2] counts [64] {element_bytes = 2 : i64}
      dataflow.post @y_free
    }
  }
  return
}
