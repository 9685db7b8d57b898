// Softmax of rows, each tile 8 of them.
func.func @softmax(%x: index, %y: index) attributes {grid = [2]} {
  %low = arith.constant 0xFC00 : f16
  %zero = arith.constant 0.0 : f32
  %t = dataflow.tile_id
  %at = affine.apply affine_map<(t) -> (t * 520)>(%t)
  %a = dataflow.read @device[%at from %x] strides [65, 1] : tensor<8x65xf16>
  %e = tensor.empty() : tensor<8xf16>
  %w = tensor.empty() : tensor<8x65xf16>
  %ew = tensor.empty() : tensor<8xf32>
  %ww = tensor.empty() : tensor<8x65xf32>
  %l = linalg.fill ins(%low : f16) outs(%e : tensor<8xf16>) -> tensor<8xf16>
  %m = linalg.reduce { arith.maximumf } ins(%a : tensor<8x65xf16>) outs(%l : tensor<8xf16>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<8xf16>) outs(%w : tensor<8x65xf16>) dimensions = [1]
  %d = arith.subf %a, %mb : tensor<8x65xf16>
  %dw = arith.extf %d : tensor<8x65xf16> to tensor<8x65xf32>
  %p = math.exp %dw : tensor<8x65xf32>
  %z = linalg.fill ins(%zero : f32) outs(%ew : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.reduce { arith.addf } ins(%p : tensor<8x65xf32>) outs(%z : tensor<8xf32>) dimensions = [1]
  %sb = linalg.broadcast ins(%s : tensor<8xf32>) outs(%ww : tensor<8x65xf32>) dimensions = [1]
  %q = arith.divf %p, %sb : tensor<8x65xf32>
  %r = arith.truncf %q : tensor<8x65xf32> to tensor<8x65xf16>
  dataflow.write %r, @device[%at from %y] strides [65, 1] : tensor<8x65xf16>
  return
}
