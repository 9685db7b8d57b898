// Rotary embedding: two halves of a tile are mixed and written side by side; one row is then replaced, and the heads are
// seen as rows of another shape.
func.func @rope(%x: index, %cos: index, %sin: index, %y: index) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %t = dataflow.tile_id
  %at = affine.apply affine_map<(t) -> (t * 256)>(%t)
  %ct = affine.apply affine_map<(t) -> (t * 128)>(%t)
  %a = dataflow.read @device[%at from %x] strides [64, 1] : tensor<4x64xf16>
  %co = dataflow.read @device[%ct from %cos] strides [32, 1] : tensor<4x32xf16>
  %si = dataflow.read @device[%ct from %sin] strides [32, 1] : tensor<4x32xf16>
  %lo = tensor.extract_slice %a[0, 0] [4, 32] [1, 1] : tensor<4x64xf16> to tensor<4x32xf16>
  %hi = tensor.extract_slice %a[0, 32] [4, 32] [1, 1] : tensor<4x64xf16> to tensor<4x32xf16>
  %p0 = arith.mulf %lo, %co : tensor<4x32xf16>
  %p1 = arith.mulf %hi, %si : tensor<4x32xf16>
  %p = arith.subf %p0, %p1 : tensor<4x32xf16>
  %q0 = arith.mulf %hi, %co : tensor<4x32xf16>
  %q1 = arith.mulf %lo, %si : tensor<4x32xf16>
  %q = arith.addf %q0, %q1 : tensor<4x32xf16>
  %e = tensor.empty() : tensor<4x64xf16>
  %r = tensor.insert_slice %p into %e[0, 0] [4, 32] [1, 1] : tensor<4x32xf16> into tensor<4x64xf16>
  %s = tensor.insert_slice %q into %r[0, 32] [4, 32] [1, 1] : tensor<4x32xf16> into tensor<4x64xf16>
  %row = tensor.extract_slice %a[%t, 0] [1, 64] [1, 1] : tensor<4x64xf16> to tensor<64xf16>
  %u = tensor.insert_slice %row into %s[%t, 0] [1, 64] [1, 1] : tensor<64xf16> into tensor<4x64xf16>
  %v = tensor.expand_shape %u [[0], [1, 2]] output_shape [4, 8, 8] : tensor<4x64xf16> into tensor<4x8x8xf16>
  %w = math.absf %v : tensor<4x8x8xf16>
  %z = tensor.collapse_shape %w [[0, 1, 2]] : tensor<4x8x8xf16> into tensor<256xf16>
  dataflow.write %z, @device[%at from %y] strides [1] : tensor<256xf16>
  return
}
