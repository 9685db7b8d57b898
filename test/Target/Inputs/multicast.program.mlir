// Core 0 loads each row of weights once; its ring unit sends it to all four cores when each has given a credit.
func.func @multicast(%x: index, %w: index, %y: index) attributes {grid = [4]} {
  dataflow.buffer @x {address = 0 : i64, slot_bytes = 128 : i64, depth = 1 : i64}
  dataflow.buffer @own {address = 128 : i64, slot_bytes = 128 : i64, depth = 2 : i64}
  dataflow.buffer @w {address = 384 : i64, slot_bytes = 128 : i64, depth = 2 : i64}
  dataflow.buffer @y {address = 640 : i64, slot_bytes = 128 : i64, depth = 2 : i64}
  dataflow.channel @x_full from @load to @sfu {init = 0 : i64}
  dataflow.channel @own_full from @load to @ring {init = 0 : i64}
  dataflow.channel @own_free from @ring to @load {init = 2 : i64}
  dataflow.channel @w_full from @ring to @sfu {init = 0 : i64, peers}
  dataflow.channel @w_free from @sfu to @ring {init = 2 : i64, peers}
  dataflow.channel @y_full from @sfu to @store {init = 0 : i64}
  dataflow.channel @y_free from @store to @sfu {init = 2 : i64}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %times = arith.constant 5 : index // iterations
  %xb = arith.constant 0 : index
  dataflow.program_unit @load(%core) {
    %xat = affine.apply affine_map<(t) -> (t * 128)>(%core)
    dataflow.transfer @device[%xat from %x] strides [2] to @lx[%xb in @x] strides [2] counts [64] {element_bytes = 2 : i64}
    dataflow.post @x_full
    %leads = arith.cmpi eq, %core, %c0 : index
    scf.if %leads {
      scf.for %j = %c0 to %times step %c1 {
        %wat = affine.apply affine_map<(j) -> (j * 128)>(%j)
        %own = affine.apply affine_map<(j) -> ((j mod 2) * 128 + 128)>(%j)
        dataflow.wait @own_free
        dataflow.transfer @device[%wat from %w] strides [2] to @lx[%own in @own] strides [2] counts [64] {element_bytes = 2 : i64}
        dataflow.post @own_full
      }
    }
  }
  dataflow.program_unit @ring(%core) {
    %leads = arith.cmpi eq, %core, %c0 : index
    scf.if %leads {
      scf.for %j = %c0 to %times step %c1 {
        %own = affine.apply affine_map<(j) -> ((j mod 2) * 128 + 128)>(%j)
        %wb = affine.apply affine_map<(j) -> ((j mod 2) * 128 + 384)>(%j)
        dataflow.wait @own_full
        scf.for %m = %c0 to %c4 step %c1 {
          dataflow.wait @w_free from %m
        }
        dataflow.transfer @lx[%own in @own] strides [2] to @lx[%wb in @w] strides [2] counts [64] put %c0 times 4 by 1 {element_bytes = 2 : i64}
        scf.for %m = %c0 to %c4 step %c1 {
          dataflow.post @w_full to %m
        }
        dataflow.post @own_free
      }
    }
  }
  dataflow.program_unit @sfu(%core) {
    dataflow.wait @x_full
    scf.for %j = %c0 to %times step %c1 {
      %wb = affine.apply affine_map<(j) -> ((j mod 2) * 128 + 384)>(%j)
      %yb = affine.apply affine_map<(j) -> ((j mod 2) * 128 + 640)>(%j)
      dataflow.wait @w_full from %c0
      dataflow.wait @y_free
      dataflow.stream counts [64] ins(@x[%xb] strides [2] : f16, @w[%wb] strides [2] : f16) outs(@y[%yb] strides [2] : f16) {
      ^bb0(%p: f16, %q: f16, %o: f16):
        %s = arith.mulf %p, %q : f16
        dataflow.yield %s : f16
      }
      dataflow.post @w_free to %c0
      dataflow.post @y_full
    }
  }
  dataflow.program_unit @store(%core) {
    %row = arith.muli %core, %times : index
    scf.for %j = %c0 to %times step %c1 {
      %yb = affine.apply affine_map<(j) -> ((j mod 2) * 128 + 640)>(%j)
      %yat = affine.apply affine_map<(r, j) -> ((r + j) * 128)>(%row, %j)
      dataflow.wait @y_full
      dataflow.transfer @lx[%yb in @y] strides [2] to @device[%yat from %y] strides [2] counts [64] {element_bytes = 2 : i64}
      dataflow.post @y_free
    }
  }
  return
}
