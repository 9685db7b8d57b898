// Each core copies its rows of 64 elements, through two slots of one buffer.
func.func @copy(%x: index, %y: index) attributes {grid = [4]} {
  dataflow.buffer @b {address = 0 : i64, slot_bytes = 128 : i64, depth = 2 : i64}
  dataflow.channel @full from @load to @store {init = 0 : i64}
  dataflow.channel @free from @store to @load {init = 2 : i64}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant 7 : index // iterations
  dataflow.program_unit @load(%core) {
    %first = arith.muli %core, %rows : index
    scf.for %i = %c0 to %rows step %c1 {
      %at = affine.apply affine_map<(f, i) -> ((f + i) * 128)>(%first, %i)
      %b = affine.apply affine_map<(i) -> ((i mod 2) * 128)>(%i)
      dataflow.wait @free
      dataflow.transfer @device[%at from %x] strides [2] to @lx[%b in @b] strides [2] counts [64] {element_bytes = 2 : i64}
      dataflow.post @full
    }
  }
  dataflow.program_unit @store(%core) {
    %first = arith.muli %core, %rows : index
    scf.for %i = %c0 to %rows step %c1 {
      %at = affine.apply affine_map<(f, i) -> ((f + i) * 128)>(%first, %i)
      %b = affine.apply affine_map<(i) -> ((i mod 2) * 128)>(%i)
      dataflow.wait @full
      dataflow.transfer @lx[%b in @b] strides [2] to @device[%at from %y] strides [2] counts [64] {element_bytes = 2 : i64}
      dataflow.post @free
    }
  }
  return
}
