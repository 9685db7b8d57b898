// Halve each row until its largest element is at most 1: only the vector unit knows how often, and the others need not.
func.func @while(%x: index, %y: index, %count: index) attributes {grid = [4]} {
  dataflow.buffer @b {address = 0 : i64, slot_bytes = 128 : i64, depth = 2 : i64}
  dataflow.buffer @n {address = 256 : i64, slot_bytes = 128 : i64, depth = 2 : i64}
  dataflow.buffer @m {address = 512 : i64, slot_bytes = 128 : i64, depth = 1 : i64}
  dataflow.buffer @c {address = 640 : i64, slot_bytes = 128 : i64, depth = 1 : i64}
  dataflow.channel @b_full from @load to @sfu {init = 0 : i64}
  dataflow.channel @b_done from @sfu to @store {init = 0 : i64}
  dataflow.channel @b_free from @store to @load {init = 2 : i64}
  dataflow.channel @n_free from @store to @sfu {init = 2 : i64}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant 3 : index // iterations
  %mb = arith.constant 512 : index
  %cb = arith.constant 640 : index
  dataflow.program_unit @load(%core) {
    %first = arith.muli %core, %rows : index
    scf.for %i = %c0 to %rows step %c1 {
      %at = affine.apply affine_map<(f, i) -> ((f + i) * 128)>(%first, %i)
      %b = affine.apply affine_map<(i) -> ((i mod 2) * 128)>(%i)
      dataflow.wait @b_free
      dataflow.transfer @device[%at from %x] strides [2] to @lx[%b in @b] strides [2] counts [64] {element_bytes = 2 : i64}
      dataflow.post @b_full
    }
  }
  dataflow.program_unit @sfu(%core) {
    %zero = arith.constant 0 : i32
    %more = arith.constant 1 : i32
    scf.for %i = %c0 to %rows step %c1 {
      %b = affine.apply affine_map<(i) -> ((i mod 2) * 128)>(%i)
      %n = affine.apply affine_map<(i) -> ((i mod 2) * 128 + 256)>(%i)
      dataflow.wait @b_full
      %times = scf.while (%k = %zero) : (i32) -> i32 {
        dataflow.stream counts [64] reduce [0] ins(@b[%b] strides [2] : f16) outs(@m[%mb] strides [0] : f16) attributes {fresh} {
        ^bb0(%p: f16, %o: f16):
          %q = arith.maximumf %o, %p : f16
          dataflow.yield %q : f16
        }
        dataflow.stream counts [1] ins(@m[%mb] strides [0] : f16) outs(@c[%cb] strides [0] : i1) {
        ^bb0(%p: f16, %o: i1):
          %limit = arith.constant 1.0 : f16
          %q = arith.cmpf ogt, %p, %limit : f16
          dataflow.yield %q : i1
        }
        %go = dataflow.scalar_load @c[%cb] : i1
        scf.condition(%go) %k : i32
      } do {
      ^bb0(%k: i32):
        dataflow.stream counts [64] ins() outs(@b[%b] strides [2] : f16) {
        ^bb0(%o: f16):
          %half = arith.constant 0.5 : f16
          %q = arith.mulf %o, %half : f16
          dataflow.yield %q : f16
        }
        %next = arith.addi %k, %more : i32
        scf.yield %next : i32
      }
      dataflow.wait @n_free
      dataflow.stream counts [1] ins() outs(@n[%n] strides [0] : i32) {
      ^bb0(%o: i32):
        dataflow.yield %times : i32
      }
      dataflow.post @b_done
    }
  }
  dataflow.program_unit @store(%core) {
    %first = arith.muli %core, %rows : index
    scf.for %i = %c0 to %rows step %c1 {
      %at = affine.apply affine_map<(f, i) -> ((f + i) * 128)>(%first, %i)
      %nat = affine.apply affine_map<(f, i) -> ((f + i) * 4)>(%first, %i)
      %b = affine.apply affine_map<(i) -> ((i mod 2) * 128)>(%i)
      %n = affine.apply affine_map<(i) -> ((i mod 2) * 128 + 256)>(%i)
      dataflow.wait @b_done
      dataflow.transfer @lx[%b in @b] strides [2] to @device[%at from %y] strides [2] counts [64] {element_bytes = 2 : i64}
      dataflow.transfer @lx[%n in @n] strides [4] to @device[%nat from %count] strides [4] counts [1] {element_bytes = 4 : i64}
      dataflow.post @b_free
      dataflow.post @n_free
    }
  }
  return
}
