// Rows from three parts of a distributed view: the ring unit fetches from each part the rows that lie in it.
func.func @straddle(%x: index, %y: index) attributes {grid = [4]} {
  dataflow.buffer @part {address = 4096 : i64, slot_bytes = 512 : i64, depth = 1 : i64}
  dataflow.buffer @b {address = 0 : i64, slot_bytes = 512 : i64, depth = 1 : i64}
  dataflow.buffer @rows {address = 512 : i64, slot_bytes = 1024 : i64, depth = 1 : i64}
  dataflow.channel @loaded from @load to @ring {init = 0 : i64}
  dataflow.channel @there from @ring to @ring {init = 0 : i64, peers}
  dataflow.channel @rows_full from @ring to @store {init = 0 : i64}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %pinned = arith.constant 4096 : index
  %b = arith.constant 0 : index
  %rows = arith.constant 512 : index
  dataflow.program_unit @load(%core) {
    %pat = affine.apply affine_map<(t) -> (t * 512)>(%core)
    dataflow.transfer @device[%pat from %x] strides [128, 2] to @lx[%b in @b] strides [128, 2] counts [4, 64] {element_bytes = 2 : i64}
    dataflow.post @loaded
  }
  dataflow.program_unit @ring(%core) {
    dataflow.wait @loaded
    dataflow.transfer @lx[%b in @b] strides [128, 2] to @lx[%pinned in @part] strides [128, 2] counts [4, 64] {element_bytes = 2 : i64}
    scf.for %p = %c0 to %c4 step %c1 {
      dataflow.post @there to %p
    }
    scf.for %p = %c0 to %c4 step %c1 {
      %low = affine.apply affine_map<(t, p) -> (p * 4 - t - 2)>(%core, %p)
      %high = affine.apply affine_map<(t, p) -> (p * 4 - t + 2)>(%core, %p)
      %from = affine.apply affine_map<(t, p) -> ((t + 2 - p * 4) * 128 + 4096)>(%core, %p)
      dataflow.wait @there from %p
      dataflow.transfer @lx[%from in @part] strides [128, 2] to @lx[%rows in @rows] strides [128, 2] counts [8, 64] clip [%low, 0] to [%high, 64] get %p {element_bytes = 2 : i64}
    }
    dataflow.post @rows_full
  }
  dataflow.program_unit @store(%core) {
    %yat = affine.apply affine_map<(t) -> (t * 1024)>(%core)
    dataflow.wait @rows_full
    dataflow.transfer @lx[%rows in @rows] strides [128, 2] to @device[%yat from %y] strides [128, 2] counts [8, 64] {element_bytes = 2 : i64}
  }
  return
}
