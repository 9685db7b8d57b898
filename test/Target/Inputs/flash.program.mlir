// Attention with a running maximum: the matrix unit makes the scores of the next block while the vector unit works on
// this one.
func.func @flash(%q: index, %k: index, %v: index, %o: index) attributes {grid = [2]} {
  dataflow.buffer @q {address = 0 : i64, slot_bytes = 1024 : i64, depth = 1 : i64}
  dataflow.buffer @k {address = 1024 : i64, slot_bytes = 2048 : i64, depth = 2 : i64}
  dataflow.buffer @v {address = 5120 : i64, slot_bytes = 2048 : i64, depth = 2 : i64}
  dataflow.buffer @s {address = 9216 : i64, slot_bytes = 2048 : i64, depth = 1 : i64}
  dataflow.buffer @m {address = 11264 : i64, slot_bytes = 128 : i64, depth = 1 : i64}
  dataflow.buffer @mo {address = 11392 : i64, slot_bytes = 128 : i64, depth = 1 : i64}
  dataflow.buffer @l {address = 11520 : i64, slot_bytes = 128 : i64, depth = 1 : i64}
  dataflow.buffer @acc {address = 11648 : i64, slot_bytes = 2048 : i64, depth = 1 : i64}
  dataflow.buffer @p {address = 13696 : i64, slot_bytes = 1024 : i64, depth = 1 : i64}
  dataflow.buffer @out {address = 14720 : i64, slot_bytes = 1024 : i64, depth = 1 : i64}
  dataflow.channel @q_full from @load to @pt {init = 0 : i64}
  dataflow.channel @k_full from @load to @pt {init = 0 : i64}
  dataflow.channel @k_free from @pt to @load {init = 2 : i64}
  dataflow.channel @v_full from @load to @pt {init = 0 : i64}
  dataflow.channel @v_free from @pt to @load {init = 2 : i64}
  dataflow.channel @s_full from @pt to @sfu {init = 0 : i64}
  dataflow.channel @s_free from @sfu to @pt {init = 1 : i64}
  dataflow.channel @p_full from @sfu to @pt {init = 0 : i64}
  dataflow.channel @p_free from @pt to @sfu {init = 1 : i64}
  dataflow.channel @done from @pt to @sfu {init = 0 : i64}
  dataflow.channel @out_full from @sfu to @store {init = 0 : i64}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %blocks = arith.constant 4 : index // iterations
  %least = arith.constant 0xFF800000 : f32
  %none = arith.constant 0.0 : f32
  %scale = arith.constant 0.176776695 : f32
  %qb = arith.constant 0 : index
  %sb = arith.constant 9216 : index
  %mb = arith.constant 11264 : index
  %mob = arith.constant 11392 : index
  %lb = arith.constant 11520 : index
  %accb = arith.constant 11648 : index
  %pb = arith.constant 13696 : index
  %outb = arith.constant 14720 : index
  dataflow.program_unit @load(%core) {
    %qat = affine.apply affine_map<(t) -> (t * 1024)>(%core)
    dataflow.transfer @device[%qat from %q] strides [64, 2] to @lx[%qb in @q] strides [64, 2] counts [16, 32] {element_bytes = 2 : i64}
    dataflow.post @q_full
    scf.for %i = %c0 to %blocks step %c1 {
      %kat = affine.apply affine_map<(i) -> (i * 2048)>(%i)
      %kb = affine.apply affine_map<(i) -> ((i mod 2) * 2048 + 1024)>(%i)
      %vb = affine.apply affine_map<(i) -> ((i mod 2) * 2048 + 5120)>(%i)
      dataflow.wait @k_free
      dataflow.transfer @device[%kat from %k] strides [64, 2] to @lx[%kb in @k] strides [64, 2] counts [32, 32] {element_bytes = 2 : i64}
      dataflow.post @k_full
      dataflow.wait @v_free
      dataflow.transfer @device[%kat from %v] strides [64, 2] to @lx[%vb in @v] strides [64, 2] counts [32, 32] {element_bytes = 2 : i64}
      dataflow.post @v_full
    }
  }
  dataflow.program_unit @pt(%core) {
    dataflow.wait @q_full
    scf.for %i = %c0 to %blocks step %c1 {
      %kb = affine.apply affine_map<(i) -> ((i mod 2) * 2048 + 1024)>(%i)
      %vb = affine.apply affine_map<(i) -> ((i mod 2) * 2048 + 5120)>(%i)
      dataflow.wait @k_full
      dataflow.wait @s_free
      dataflow.contract counts [16, 32, 32] lhs @q[%qb] strides [64, 0, 2] : f16 rhs @k[%kb] strides [0, 64, 2] : f16 acc @s[%sb] strides [128, 4, 0] : f32 {start = "zero"}
      dataflow.post @k_free
      dataflow.post @s_full
      dataflow.wait @p_full
      dataflow.wait @v_full
      dataflow.contract counts [16, 32, 32] lhs @p[%pb] strides [64, 0, 2] : f16 rhs @v[%vb] strides [0, 2, 64] : f16 acc @acc[%accb] strides [128, 4, 0] : f32 {start = "lx"}
      dataflow.post @v_free
      dataflow.post @p_free
    }
    dataflow.post @done
  }
  dataflow.program_unit @sfu(%core) {
    dataflow.stream counts [16] ins() outs(@m[%mb] strides [4] : f32) {
    ^bb0(%z: f32):
      dataflow.yield %least : f32
    }
    dataflow.stream counts [16] ins() outs(@l[%lb] strides [4] : f32) {
    ^bb0(%z: f32):
      dataflow.yield %none : f32
    }
    dataflow.stream counts [16, 32] ins() outs(@acc[%accb] strides [128, 4] : f32) {
    ^bb0(%z: f32):
      dataflow.yield %none : f32
    }
    scf.for %i = %c0 to %blocks step %c1 {
      dataflow.wait @s_full
      dataflow.wait @p_free
      dataflow.stream counts [16] ins(@m[%mb] strides [4] : f32) outs(@mo[%mob] strides [4] : f32) {
      ^bb0(%x: f32, %z: f32):
        dataflow.yield %x : f32
      }
      dataflow.stream counts [16, 32] reduce [1] ins(@s[%sb] strides [128, 4] : f32) outs(@m[%mb] strides [4, 0] : f32) {
      ^bb0(%x: f32, %z: f32):
        %t = arith.mulf %x, %scale : f32
        %n = arith.maximumf %z, %t : f32
        dataflow.yield %n : f32
      }
      dataflow.stream counts [16] ins(@m[%mb] strides [4] : f32, @mo[%mob] strides [4] : f32) outs(@l[%lb] strides [4] : f32) {
      ^bb0(%x: f32, %y: f32, %z: f32):
        %d = arith.subf %y, %x : f32
        %e = math.exp %d : f32
        %n = arith.mulf %z, %e : f32
        dataflow.yield %n : f32
      }
      dataflow.stream counts [16, 32] ins(@m[%mb] strides [4, 0] : f32, @mo[%mob] strides [4, 0] : f32) outs(@acc[%accb] strides [128, 4] : f32) {
      ^bb0(%x: f32, %y: f32, %z: f32):
        %d = arith.subf %y, %x : f32
        %e = math.exp %d : f32
        %n = arith.mulf %z, %e : f32
        dataflow.yield %n : f32
      }
      dataflow.stream counts [16, 32] reduce [1] ins(@s[%sb] strides [128, 4] : f32, @m[%mb] strides [4, 0] : f32) outs(@p[%pb] strides [64, 2] : f16, @l[%lb] strides [4, 0] : f32) {
      ^bb0(%x: f32, %y: f32, %z: f16, %u: f32):
        %t = arith.mulf %x, %scale : f32
        %d = arith.subf %t, %y : f32
        %e = math.exp %d : f32
        %n = arith.truncf %e : f32 to f16
        %w = arith.extf %n : f16 to f32
        %r = arith.addf %u, %w : f32
        dataflow.yield %n, %r : f16, f32
      }
      dataflow.post @s_free
      dataflow.post @p_full
    }
    dataflow.wait @done
    dataflow.stream counts [16, 32] ins(@acc[%accb] strides [128, 4] : f32, @l[%lb] strides [4, 0] : f32) outs(@out[%outb] strides [64, 2] : f16) {
    ^bb0(%x: f32, %y: f32, %z: f16):
      %d = arith.divf %x, %y : f32
      %n = arith.truncf %d : f32 to f16
      dataflow.yield %n : f16
    }
    dataflow.post @out_full
  }
  dataflow.program_unit @store(%core) {
    %qat = affine.apply affine_map<(t) -> (t * 1024)>(%core)
    dataflow.wait @out_full
    dataflow.transfer @lx[%outb in @out] strides [64, 2] to @device[%qat from %o] strides [64, 2] counts [16, 32] {element_bytes = 2 : i64}
  }
  return
}
