// Reads of memory that the loop writes or may write, in loops that may run zero times, and under a condition.
//
// RUN: spyrec opt %s --hoist-reads > %t && spyrec opt %s > %t.same && diff %t %t.same

func.func @written(%x: index, %n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %more = arith.cmpi slt, %i, %n : index
    %a = dataflow.read @device[%c0 from %x] strides [1] : tensor<64xf16>
    scf.if %more {
      dataflow.write %a, @device[%c1 from %x] strides [1] : tensor<64xf16>
    }
  }
  return
}

func.func @aliased(%x: index {spyrec.may_alias}, %y: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %a = dataflow.read @device[%c0 from %x] strides [1] : tensor<64xf16>
    %b = dataflow.read @device[%c0] strides [1] : tensor<64xf16>
    dataflow.write %a, @device[%c0 from %y] strides [1] : tensor<64xf16>
    dataflow.write %b, @device[%c0 from %y] strides [1] : tensor<64xf16>
  }
  return
}

func.func @perhaps(%x: index, %y: index, %n: index, %c: i1) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = dataflow.read @device[%c0 from %x] strides [1] : tensor<64xf16>
    dataflow.write %a, @device[%c0 from %y] strides [1] : tensor<64xf16>
  }
  scf.for %i = %c0 to %c4 step %c1 {
    scf.if %c {
      %a = dataflow.read @device[%c0 from %x] strides [1] : tensor<64xf16>
      dataflow.write %a, @device[%c0 from %y] strides [1] : tensor<64xf16>
    }
  }
  return
}
