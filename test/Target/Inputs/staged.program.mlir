// Each core doubles its rows of 64 elements. Bytes rest in a stage on the way in and on the way back, in two slots each; buffers
// of LX and of the stage have the same addresses.
func.func @staged(%x: index, %y: index) attributes {grid = [4]} {
  dataflow.buffer @x1 {address = 0 : i64, slot_bytes = 128 : i64, depth = 2 : i64, space = "l1"}
  dataflow.buffer @y1 {address = 256 : i64, slot_bytes = 128 : i64, depth = 2 : i64, space = "l1"}
  dataflow.buffer @x {address = 0 : i64, slot_bytes = 128 : i64, depth = 2 : i64}
  dataflow.buffer @y {address = 256 : i64, slot_bytes = 128 : i64, depth = 2 : i64}
  dataflow.channel @x1_full from @fetch to @fill {init = 0 : i64}
  dataflow.channel @x1_free from @fill to @fetch {init = 2 : i64}
  dataflow.channel @x_full from @fill to @vec {init = 0 : i64}
  dataflow.channel @x_free from @vec to @fill {init = 2 : i64}
  dataflow.channel @y_full from @vec to @spill {init = 0 : i64}
  dataflow.channel @y_free from @spill to @vec {init = 2 : i64}
  dataflow.channel @y1_full from @spill to @drain {init = 0 : i64}
  dataflow.channel @y1_free from @drain to @spill {init = 2 : i64}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant 7 : index // iterations
  dataflow.program_unit @fetch(%core) {
    %first = arith.muli %core, %rows : index
    scf.for %i = %c0 to %rows step %c1 {
      %at = affine.apply affine_map<(f, i) -> ((f + i) * 128)>(%first, %i)
      %s = affine.apply affine_map<(i) -> ((i mod 2) * 128)>(%i)
      dataflow.wait @x1_free
      dataflow.transfer @device[%at from %x] strides [2] to @l1[%s in @x1] strides [2] counts [64] {element_bytes = 2 : i64}
      dataflow.post @x1_full
    }
  }
  dataflow.program_unit @fill(%core) {
    scf.for %i = %c0 to %rows step %c1 {
      %s = affine.apply affine_map<(i) -> ((i mod 2) * 128)>(%i)
      dataflow.wait @x1_full
      dataflow.wait @x_free
      dataflow.transfer @l1[%s in @x1] strides [2] to @lx[%s in @x] strides [2] counts [64] {element_bytes = 2 : i64}
      dataflow.post @x1_free
      dataflow.post @x_full
    }
  }
  dataflow.program_unit @vec(%core) {
    scf.for %i = %c0 to %rows step %c1 {
      %s = affine.apply affine_map<(i) -> ((i mod 2) * 128)>(%i)
      %t = affine.apply affine_map<(i) -> ((i mod 2) * 128 + 256)>(%i)
      dataflow.wait @x_full
      dataflow.wait @y_free
      dataflow.stream counts [64] ins(@x[%s] strides [2] : f16) outs(@y[%t] strides [2] : f16) {
      ^bb0(%p: f16, %o: f16):
        %n = arith.addf %p, %p : f16
        dataflow.yield %n : f16
      }
      dataflow.post @x_free
      dataflow.post @y_full
    }
  }
  dataflow.program_unit @spill(%core) {
    scf.for %i = %c0 to %rows step %c1 {
      %t = affine.apply affine_map<(i) -> ((i mod 2) * 128 + 256)>(%i)
      dataflow.wait @y_full
      dataflow.wait @y1_free
      dataflow.transfer @lx[%t in @y] strides [2] to @l1[%t in @y1] strides [2] counts [64] {element_bytes = 2 : i64}
      dataflow.post @y_free
      dataflow.post @y1_full
    }
  }
  dataflow.program_unit @drain(%core) {
    %first = arith.muli %core, %rows : index
    scf.for %i = %c0 to %rows step %c1 {
      %at = affine.apply affine_map<(f, i) -> ((f + i) * 128)>(%first, %i)
      %t = affine.apply affine_map<(i) -> ((i mod 2) * 128 + 256)>(%i)
      dataflow.wait @y1_full
      dataflow.transfer @l1[%t in @y1] strides [2] to @device[%at from %y] strides [2] counts [64] {element_bytes = 2 : i64}
      dataflow.post @y1_free
    }
  }
  return
}
