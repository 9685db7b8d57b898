// y[t, i] = rows list[t, i] of x, of which the first t + 2 columns of 8 are there and the others 7: a list of indices and a clip with
// a fill on the way into a memory that all cores share, of which each has a part. In the last iteration three rows go on to LX, and the other
// is 0 there.
func.func @shared_stage(%x: index, %rows: index, %y: index) attributes {grid = [4]} {
  dataflow.buffer @l2 {address = 0 : i64, slot_bytes = 128 : i64, depth = 1 : i64, space = "l2"}
  dataflow.buffer @b2 {address = 128 : i64, slot_bytes = 128 : i64, depth = 3 : i64, space = "l2"}
  dataflow.buffer @list {address = 0 : i64, slot_bytes = 128 : i64, depth = 1 : i64}
  dataflow.buffer @b {address = 128 : i64, slot_bytes = 128 : i64, depth = 2 : i64}
  dataflow.channel @list_staged from @fetch to @fill {init = 0 : i64}
  dataflow.channel @list_full from @fill to @fetch {init = 0 : i64}
  dataflow.channel @staged from @fetch to @fill {init = 0 : i64}
  dataflow.channel @unstaged from @fill to @fetch {init = 3 : i64}
  dataflow.channel @full from @fill to @store {init = 0 : i64}
  dataflow.channel @free from @store to @fill {init = 2 : i64}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  dataflow.program_unit @fetch(%core) {
    %listed = affine.apply affine_map<(t) -> (t * 96)>(%core)
    %columns = affine.apply affine_map<(t) -> (t + 2)>(%core)
    dataflow.transfer @device[%listed from %rows] strides [4] to @l2[%c0 in @l2] strides [4] counts [24] {element_bytes = 4 : i64}
    dataflow.post @list_staged
    dataflow.wait @list_full
    scf.for %i = %c0 to %c6 step %c1 {
      %entry = affine.apply affine_map<(i) -> (i * 16)>(%i)
      %s = affine.apply affine_map<(i) -> ((i mod 3) * 128 + 128)>(%i)
      dataflow.wait @unstaged
      dataflow.transfer @device[%c0 from %x] strides [0, 2] to @l2[%s in @b2] strides [16, 2] counts [4, 8] clip [0, 0] to [4, %columns] fill 18176 index (%entry) below [9]
        {element_bytes = 2 : i64, index_buffers = [@list], index_scales = array<i64: 16>, index_sides = ["source"], index_strides = [array<i64: 4, 0>], index_types = [i32]}
      dataflow.post @staged
    }
  }
  dataflow.program_unit @fill(%core) {
    dataflow.wait @list_staged
    dataflow.transfer @l2[%c0 in @l2] strides [4] to @lx[%c0 in @list] strides [4] counts [24] {element_bytes = 4 : i64}
    dataflow.post @list_full
    scf.for %i = %c0 to %c6 step %c1 {
      %s = affine.apply affine_map<(i) -> ((i mod 3) * 128 + 128)>(%i)
      %b = affine.apply affine_map<(i) -> ((i mod 2) * 128 + 128)>(%i)
      %last = affine.apply affine_map<(i) -> (8 - i)>(%i)
      dataflow.wait @staged
      dataflow.wait @free
      dataflow.transfer @l2[%s in @b2] strides [16, 2] to @lx[%b in @b] strides [16, 2] counts [4, 8] clip [0, 0] to [%last, 8] fill 0 {element_bytes = 2 : i64}
      dataflow.post @unstaged
      dataflow.post @full
    }
  }
  dataflow.program_unit @store(%core) {
    scf.for %i = %c0 to %c6 step %c1 {
      %at = affine.apply affine_map<(t, i) -> (t * 384 + i * 64)>(%core, %i)
      %b = affine.apply affine_map<(i) -> ((i mod 2) * 128 + 128)>(%i)
      dataflow.wait @full
      dataflow.transfer @lx[%b in @b] strides [16, 2] to @device[%at from %y] strides [16, 2] counts [4, 8] {element_bytes = 2 : i64}
      dataflow.post @free
    }
  }
  return
}
