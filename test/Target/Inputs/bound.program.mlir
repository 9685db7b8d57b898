// The bound of the loop lies in LX; every unit loads it for itself once the load unit has put it there.
func.func @bound(%n: index, %x: index, %y: index) attributes {grid = [4]} {
  dataflow.buffer @n {address = 0 : i64, slot_bytes = 128 : i64, depth = 1 : i64}
  dataflow.buffer @b {address = 128 : i64, slot_bytes = 128 : i64, depth = 2 : i64}
  dataflow.buffer @o {address = 384 : i64, slot_bytes = 128 : i64, depth = 2 : i64}
  dataflow.channel @n_sfu from @load to @sfu {init = 0 : i64}
  dataflow.channel @n_store from @load to @store {init = 0 : i64}
  dataflow.channel @b_full from @load to @sfu {init = 0 : i64}
  dataflow.channel @b_free from @sfu to @load {init = 2 : i64}
  dataflow.channel @o_full from @sfu to @store {init = 0 : i64}
  dataflow.channel @o_free from @store to @sfu {init = 2 : i64}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %nb = arith.constant 0 : index
  dataflow.program_unit @load(%core) {
    %nat = affine.apply affine_map<(t) -> (t * 4)>(%core)
    dataflow.transfer @device[%nat from %n] strides [4] to @lx[%nb in @n] strides [4] counts [1] {element_bytes = 4 : i64}
    %loaded = dataflow.scalar_load @n[%nb] : i32
    dataflow.post @n_sfu
    dataflow.post @n_store
    %rows = arith.index_cast %loaded : i32 to index
    scf.for %i = %c0 to %rows step %c1 {
      %at = affine.apply affine_map<(t, i) -> (t * 1024 + i * 128)>(%core, %i)
      %b = affine.apply affine_map<(i) -> ((i mod 2) * 128 + 128)>(%i)
      %o = affine.apply affine_map<(i) -> ((i mod 2) * 128 + 384)>(%i)
      dataflow.wait @b_free
      dataflow.transfer @device[%at from %x] strides [2] to @lx[%b in @b] strides [2] counts [64] {element_bytes = 2 : i64}
      dataflow.post @b_full
    }
  }
  dataflow.program_unit @sfu(%core) {
    dataflow.wait @n_sfu
    %loaded = dataflow.scalar_load @n[%nb] : i32
    %rows = arith.index_cast %loaded : i32 to index
    scf.for %i = %c0 to %rows step %c1 {
      %at = affine.apply affine_map<(t, i) -> (t * 1024 + i * 128)>(%core, %i)
      %b = affine.apply affine_map<(i) -> ((i mod 2) * 128 + 128)>(%i)
      %o = affine.apply affine_map<(i) -> ((i mod 2) * 128 + 384)>(%i)
      dataflow.wait @b_full
      dataflow.wait @o_free
      dataflow.stream counts [64] ins(@b[%b] strides [2] : f16) outs(@o[%o] strides [2] : f16) {
      ^bb0(%p: f16, %q: f16):
        %s = arith.addf %p, %p : f16
        dataflow.yield %s : f16
      }
      dataflow.post @b_free
      dataflow.post @o_full
    }
  }
  dataflow.program_unit @store(%core) {
    dataflow.wait @n_store
    %loaded = dataflow.scalar_load @n[%nb] : i32
    %rows = arith.index_cast %loaded : i32 to index
    scf.for %i = %c0 to %rows step %c1 {
      %at = affine.apply affine_map<(t, i) -> (t * 1024 + i * 128)>(%core, %i)
      %b = affine.apply affine_map<(i) -> ((i mod 2) * 128 + 128)>(%i)
      %o = affine.apply affine_map<(i) -> ((i mod 2) * 128 + 384)>(%i)
      dataflow.wait @o_full
      dataflow.transfer @lx[%o in @o] strides [2] to @device[%at from %y] strides [2] counts [64] {element_bytes = 2 : i64}
      dataflow.post @o_free
    }
  }
  return
}
