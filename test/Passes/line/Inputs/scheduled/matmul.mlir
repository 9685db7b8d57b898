// C = A * B in f16, each tile 16 rows; K in three steps into an accumulator of f32.
func.func @matmul(%a: index, %b: index, %c: index) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c96 = arith.constant 96 : index
  %zero = arith.constant 0.0 : f32
  %t = dataflow.tile_id
  %e = tensor.empty() : tensor<16x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  %r = scf.for %k = %c0 to %c96 step %c32 iter_args(%acc = %z) -> (tensor<16x32xf32>) {
    %ao = affine.apply affine_map<(t, k) -> (t * 1536 + k)>(%t, %k)
    %bo = affine.apply affine_map<(k) -> (k * 32)>(%k)
    %x = dataflow.read @device[%ao from %a] strides [96, 1] : tensor<16x32xf16>
    %y = dataflow.read @device[%bo from %b] strides [32, 1] : tensor<32x32xf16>
    %n = linalg.matmul ins(%x, %y : tensor<16x32xf16>, tensor<32x32xf16>) outs(%acc : tensor<16x32xf32>) -> tensor<16x32xf32>
    scf.yield %n : tensor<16x32xf32>
  }
  %g = arith.truncf %r : tensor<16x32xf32> to tensor<16x32xf16>
  %co = affine.apply affine_map<(t) -> (t * 512)>(%t)
  dataflow.write %g, @device[%co from %c] strides [32, 1] : tensor<16x32xf16>
  return
}
