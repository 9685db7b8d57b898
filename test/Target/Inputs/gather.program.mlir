// y[to[r]] = x[from[r]]: the lists of indices lie in LX, of which each unit loads its own.
func.func @gather(%x: index, %from: index, %to: index, %y: index) attributes {grid = [2]} {
  dataflow.buffer @from {address = 0 : i64, slot_bytes = 128 : i64, depth = 1 : i64}
  dataflow.buffer @to {address = 128 : i64, slot_bytes = 128 : i64, depth = 2 : i64}
  dataflow.buffer @b {address = 384 : i64, slot_bytes = 1024 : i64, depth = 2 : i64}
  dataflow.channel @full from @load to @store {init = 0 : i64}
  dataflow.channel @free from @store to @load {init = 2 : i64}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %times = arith.constant 4 : index // iterations
  %fb = arith.constant 0 : index
  %start = arith.constant 0 : index
  dataflow.program_unit @load(%core) {
    %first = arith.muli %core, %times : index
    scf.for %i = %c0 to %times step %c1 {
      %at = affine.apply affine_map<(f, i) -> ((f + i) * 32)>(%first, %i)
      %tb = affine.apply affine_map<(i) -> ((i mod 2) * 128 + 128)>(%i)
      %b = affine.apply affine_map<(i) -> ((i mod 2) * 1024 + 384)>(%i)
      dataflow.transfer @device[%at from %from] strides [4] to @lx[%fb in @from] strides [4] counts [8] {element_bytes = 4 : i64}
      dataflow.wait @free
      dataflow.transfer @device[%at from %to] strides [4] to @lx[%tb in @to] strides [4] counts [8] {element_bytes = 4 : i64}
      dataflow.transfer @device[%start from %x] strides [0, 2] to @lx[%b in @b] strides [128, 2] counts [8, 64] index(%fb) below [50] {element_bytes = 2 : i64, index_buffers = [@from], index_scales = array<i64: 128>, index_sides = ["source"], index_strides = [array<i64: 4, 0>], index_types = [i32]}
      dataflow.post @full
    }
  }
  dataflow.program_unit @store(%core) {
    scf.for %i = %c0 to %times step %c1 {
      %tb = affine.apply affine_map<(i) -> ((i mod 2) * 128 + 128)>(%i)
      %b = affine.apply affine_map<(i) -> ((i mod 2) * 1024 + 384)>(%i)
      dataflow.wait @full
      dataflow.transfer @lx[%b in @b] strides [128, 2] to @device[%start from %y] strides [0, 2] counts [8, 64] index(%tb) below [64] {element_bytes = 2 : i64, index_buffers = [@to], index_scales = array<i64: 128>, index_sides = ["dest"], index_strides = [array<i64: 4, 0>], index_types = [i32]}
      dataflow.post @free
    }
  }
  return
}
