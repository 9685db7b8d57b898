// RMSNorm of rows of 65, LayerNorm of rows of 10; scale and shift are the same for all rows of a loop.
func.func @norms(%x: index, %g: index, %y: index, %u: index, %h: index, %b: index, %v: index) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %f65 = arith.constant 0.0153846154 : f32
  %f10 = arith.constant 0.1 : f32
  %feps = arith.constant 1.0e-05 : f32
  %t = dataflow.tile_id
  %e1 = tensor.empty() : tensor<1xf32>
  %e65 = tensor.empty() : tensor<1x65xf32>
  %e10 = tensor.empty() : tensor<1x10xf32>
  %r65 = linalg.fill ins(%f65 : f32) outs(%e1 : tensor<1xf32>) -> tensor<1xf32>
  %r10 = linalg.fill ins(%f10 : f32) outs(%e1 : tensor<1xf32>) -> tensor<1xf32>
  %eps = linalg.fill ins(%feps : f32) outs(%e1 : tensor<1xf32>) -> tensor<1xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1xf32>) -> tensor<1xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    %at = affine.apply affine_map<(t, i) -> (t * 260 + i * 65)>(%t, %i)
    %a = dataflow.read @device[%at from %x] strides [65, 1] : tensor<1x65xf16>
    %s = dataflow.read @device[%c0 from %g] strides [65, 1] : tensor<1x65xf16>
    %w = arith.extf %a : tensor<1x65xf16> to tensor<1x65xf32>
    %q = arith.mulf %w, %w : tensor<1x65xf32>
    %sum = linalg.reduce { arith.addf } ins(%q : tensor<1x65xf32>) outs(%z : tensor<1xf32>) dimensions = [1]
    %mean = arith.mulf %sum, %r65 : tensor<1xf32>
    %more = arith.addf %mean, %eps : tensor<1xf32>
    %inv = math.rsqrt %more : tensor<1xf32>
    %ib = linalg.broadcast ins(%inv : tensor<1xf32>) outs(%e65 : tensor<1x65xf32>) dimensions = [1]
    %n = arith.mulf %w, %ib : tensor<1x65xf32>
    %sw = arith.extf %s : tensor<1x65xf16> to tensor<1x65xf32>
    %o = arith.mulf %n, %sw : tensor<1x65xf32>
    %oh = arith.truncf %o : tensor<1x65xf32> to tensor<1x65xf16>
    dataflow.write %oh, @device[%at from %y] strides [65, 1] : tensor<1x65xf16>
  }
  scf.for %i = %c0 to %c4 step %c1 {
    %at = affine.apply affine_map<(t, i) -> (t * 40 + i * 10)>(%t, %i)
    %a = dataflow.read @device[%at from %u] strides [10, 1] : tensor<1x10xf16>
    %s = dataflow.read @device[%c0 from %h] strides [10, 1] : tensor<1x10xf16>
    %k = dataflow.read @device[%c0 from %b] strides [10, 1] : tensor<1x10xf16>
    %w = arith.extf %a : tensor<1x10xf16> to tensor<1x10xf32>
    %sum = linalg.reduce { arith.addf } ins(%w : tensor<1x10xf32>) outs(%z : tensor<1xf32>) dimensions = [1]
    %mean = arith.mulf %sum, %r10 : tensor<1xf32>
    %mb = linalg.broadcast ins(%mean : tensor<1xf32>) outs(%e10 : tensor<1x10xf32>) dimensions = [1]
    %d = arith.subf %w, %mb : tensor<1x10xf32>
    %q = arith.mulf %d, %d : tensor<1x10xf32>
    %var = linalg.reduce { arith.addf } ins(%q : tensor<1x10xf32>) outs(%z : tensor<1xf32>) dimensions = [1]
    %vm = arith.mulf %var, %r10 : tensor<1xf32>
    %more = arith.addf %vm, %eps : tensor<1xf32>
    %inv = math.rsqrt %more : tensor<1xf32>
    %ib = linalg.broadcast ins(%inv : tensor<1xf32>) outs(%e10 : tensor<1x10xf32>) dimensions = [1]
    %n = arith.mulf %d, %ib : tensor<1x10xf32>
    %sw = arith.extf %s : tensor<1x10xf16> to tensor<1x10xf32>
    %kw = arith.extf %k : tensor<1x10xf16> to tensor<1x10xf32>
    %o = arith.mulf %n, %sw : tensor<1x10xf32>
    %p = arith.addf %o, %kw : tensor<1x10xf32>
    %oh = arith.truncf %p : tensor<1x10xf32> to tensor<1x10xf16>
    dataflow.write %oh, @device[%at from %v] strides [10, 1] : tensor<1x10xf16>
  }
  return
}
