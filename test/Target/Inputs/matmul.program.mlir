// relu(A * B + bias): the matrix unit keeps its sums over K and writes them once; the vector unit finishes them.
func.func @matmul(%a: index, %b: index, %bias: index, %c: index) attributes {grid = [2]} {
  dataflow.buffer @a {address = 0 : i64, slot_bytes = 1024 : i64, depth = 2 : i64}
  dataflow.buffer @b {address = 2048 : i64, slot_bytes = 2048 : i64, depth = 2 : i64}
  dataflow.buffer @acc {address = 6144 : i64, slot_bytes = 2048 : i64, depth = 1 : i64}
  dataflow.buffer @bias {address = 8192 : i64, slot_bytes = 128 : i64, depth = 1 : i64}
  dataflow.buffer @c {address = 8320 : i64, slot_bytes = 1024 : i64, depth = 2 : i64}
  dataflow.channel @ab_full from @load to @pt {init = 0 : i64}
  dataflow.channel @ab_free from @pt to @load {init = 2 : i64}
  dataflow.channel @bias_full from @load to @sfu {init = 0 : i64}
  dataflow.channel @bias_free from @sfu to @load {init = 1 : i64}
  dataflow.channel @acc_full from @pt to @sfu {init = 0 : i64}
  dataflow.channel @acc_free from @sfu to @pt {init = 1 : i64}
  dataflow.channel @c_full from @sfu to @store {init = 0 : i64}
  dataflow.channel @c_free from @store to @sfu {init = 2 : i64}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %steps = arith.constant 5 : index // iterations
  %acc = arith.constant 6144 : index
  %biasb = arith.constant 8192 : index
  dataflow.program_unit @load(%core) {
    scf.for %j = %c0 to %c2 step %c1 {
      scf.for %i = %c0 to %steps step %c1 {
        %aat = affine.apply affine_map<(t, i) -> (i * 2048 + t * 1024)>(%core, %i)
        %bat = affine.apply affine_map<(i, j) -> (i * 4096 + j * 64)>(%i, %j)
        %turn = arith.muli %j, %steps : index
        %slot = affine.apply affine_map<(t, i) -> ((t + i) mod 2)>(%turn, %i)
        %ab = affine.apply affine_map<(s) -> (s * 1024)>(%slot)
        %bb = affine.apply affine_map<(s) -> (s * 2048 + 2048)>(%slot)
        dataflow.wait @ab_free
        dataflow.transfer @device[%aat from %a] strides [64, 2] to @lx[%ab in @a] strides [64, 2] counts [16, 32] {element_bytes = 2 : i64}
        dataflow.transfer @device[%bat from %b] strides [128, 2] to @lx[%bb in @b] strides [64, 2] counts [32, 32] {element_bytes = 2 : i64}
        dataflow.post @ab_full
      }
      %biasat = affine.apply affine_map<(j) -> (j * 64)>(%j)
      dataflow.wait @bias_free
      dataflow.transfer @device[%biasat from %bias] strides [2] to @lx[%biasb in @bias] strides [2] counts [32] {element_bytes = 2 : i64}
      dataflow.post @bias_full
    }
  }
  dataflow.program_unit @pt(%core) {
    %last = arith.subi %steps, %c1 : index
    scf.for %j = %c0 to %c2 step %c1 {
      dataflow.wait @acc_free
      scf.for %i = %c0 to %steps step %c1 {
        %turn = arith.muli %j, %steps : index
        %slot = affine.apply affine_map<(t, i) -> ((t + i) mod 2)>(%turn, %i)
        %ab = affine.apply affine_map<(s) -> (s * 1024)>(%slot)
        %bb = affine.apply affine_map<(s) -> (s * 2048 + 2048)>(%slot)
        %is_first = arith.cmpi eq, %i, %c0 : index
        %is_last = arith.cmpi eq, %i, %last : index
        dataflow.wait @ab_full
        scf.if %is_first {
          scf.if %is_last {
            dataflow.contract counts [16, 32, 32] lhs @a[%ab] strides [64, 0, 2] : f16 rhs @b[%bb] strides [0, 2, 64] : f16 acc @acc[%acc] strides [128, 4, 0] : f32 {start = "zero"}
          } else {
            dataflow.contract counts [16, 32, 32] lhs @a[%ab] strides [64, 0, 2] : f16 rhs @b[%bb] strides [0, 2, 64] : f16 acc @acc[%acc] strides [128, 4, 0] : f32 {start = "zero", keep}
          }
        } else {
          scf.if %is_last {
            dataflow.contract counts [16, 32, 32] lhs @a[%ab] strides [64, 0, 2] : f16 rhs @b[%bb] strides [0, 2, 64] : f16 acc @acc[%acc] strides [128, 4, 0] : f32 {start = "unit"}
          } else {
            dataflow.contract counts [16, 32, 32] lhs @a[%ab] strides [64, 0, 2] : f16 rhs @b[%bb] strides [0, 2, 64] : f16 acc @acc[%acc] strides [128, 4, 0] : f32 {start = "unit", keep}
          }
        }
        dataflow.post @ab_free
      }
      dataflow.post @acc_full
    }
  }
  dataflow.program_unit @sfu(%core) {
    %none = arith.constant 0.0 : f32
    scf.for %j = %c0 to %c2 step %c1 {
      %cb = affine.apply affine_map<(j) -> (j * 1024 + 8320)>(%j)
      dataflow.wait @acc_full
      dataflow.wait @bias_full
      dataflow.wait @c_free
      dataflow.stream counts [16, 32] ins(@acc[%acc] strides [128, 4] : f32, @bias[%biasb] strides [0, 2] : f16) outs(@c[%cb] strides [64, 2] : f16) {
      ^bb0(%p: f32, %q: f16, %o: f16):
        %w = arith.extf %q : f16 to f32
        %t = arith.addf %p, %w : f32
        %r = arith.maximumf %t, %none : f32
        %n = arith.truncf %r : f32 to f16
        dataflow.yield %n : f16
      }
      dataflow.post @acc_free
      dataflow.post @bias_free
      dataflow.post @c_full
    }
  }
  dataflow.program_unit @store(%core) {
    scf.for %j = %c0 to %c2 step %c1 {
      %cb = affine.apply affine_map<(j) -> (j * 1024 + 8320)>(%j)
      %cat = affine.apply affine_map<(t, j) -> (t * 2048 + j * 64)>(%core, %j)
      dataflow.wait @c_full
      dataflow.transfer @lx[%cb in @c] strides [64, 2] to @device[%cat from %c] strides [128, 2] counts [16, 32] {element_bytes = 2 : i64}
      dataflow.post @c_free
    }
  }
  return
}
