// A loop in a loop whose branches change one of two carried tensors, swap them, or pass them on; what the loops started
// from is stored too.
func.func @branches(%x: index, %y: index, %n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c192 = arith.constant 192 : index
  %a = dataflow.read @device[%c0 from %x] strides [1] : tensor<64xf16>
  %b = dataflow.read @device[%c64 from %x] strides [1] : tensor<64xf16>
  %d = arith.addf %a, %b : tensor<64xf16>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %d) -> (tensor<64xf16>, tensor<64xf16>) {
    %s:2 = scf.for %j = %c0 to %i step %c1 iter_args(%u = %p, %v = %q) -> (tensor<64xf16>, tensor<64xf16>) {
      %first = arith.cmpi eq, %j, %c0 : index
      %w:2 = scf.if %first -> (tensor<64xf16>, tensor<64xf16>) {
        %k = arith.subf %u, %v : tensor<64xf16>
        scf.yield %k, %v : tensor<64xf16>, tensor<64xf16>
      } else {
        scf.yield %v, %u : tensor<64xf16>, tensor<64xf16>
      }
      scf.yield %w#0, %w#1 : tensor<64xf16>, tensor<64xf16>
    }
    %odd = arith.cmpi eq, %i, %c3 : index
    %m = scf.if %odd -> tensor<64xf16> {
      %k = arith.mulf %s#0, %s#0 : tensor<64xf16>
      scf.yield %k : tensor<64xf16>
    } else {
      scf.yield %p : tensor<64xf16>
    }
    scf.yield %m, %s#1 : tensor<64xf16>, tensor<64xf16>
  }
  %more = arith.cmpi sgt, %n, %c2 : index
  %z = scf.if %more -> tensor<64xf16> {
    scf.yield %r#1 : tensor<64xf16>
  } else {
    scf.yield %b : tensor<64xf16>
  }
  dataflow.write %r#0, @device[%c0 from %y] strides [1] : tensor<64xf16>
  dataflow.write %r#1, @device[%c64 from %y] strides [1] : tensor<64xf16>
  dataflow.write %z, @device[%c128 from %y] strides [1] : tensor<64xf16>
  dataflow.write %d, @device[%c192 from %y] strides [1] : tensor<64xf16>
  return
}
