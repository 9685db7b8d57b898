// Contractions of all shapes in f16: batches with a transposed operand that start from what memory holds, a matrix times
// a vector, five loops of which two are summed over, and one of f32, for which the matrix unit has no lanes.
func.func @products(%a: index, %b: index, %c: index, %f: index, %d: index, %e: index, %g: index, %h: index, %i: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f16
  %zerow = arith.constant 0.0 : f32
  %x = dataflow.read @device[%c0 from %a] strides [120, 24, 1] : tensor<3x5x24xf16>
  %y = dataflow.read @device[%c0 from %b] strides [168, 24, 1] : tensor<3x7x24xf16>
  %z = dataflow.read @device[%c0 from %c] strides [35, 7, 1] : tensor<3x5x7xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %y : tensor<3x5x24xf16>, tensor<3x7x24xf16>) outs(%z : tensor<3x5x7xf16>) {
  ^bb0(%u: f16, %v: f16, %o: f16):
    %p = arith.mulf %u, %v : f16
    %s = arith.addf %o, %p : f16
    linalg.yield %s : f16
  } -> tensor<3x5x7xf16>
  dataflow.write %r, @device[%c0 from %d] strides [35, 7, 1] : tensor<3x5x7xf16>
  %m = dataflow.read @device[%c0 from %a] strides [24, 1] : tensor<15x24xf16>
  %n = dataflow.read @device[%c0 from %b] strides [1] : tensor<24xf16>
  %ev = tensor.empty() : tensor<15xf16>
  %zv = linalg.fill ins(%zero : f16) outs(%ev : tensor<15xf16>) -> tensor<15xf16>
  %w = linalg.matvec ins(%m, %n : tensor<15x24xf16>, tensor<24xf16>) outs(%zv : tensor<15xf16>) -> tensor<15xf16>
  dataflow.write %w, @device[%c0 from %e] strides [1] : tensor<15xf16>
  %x5 = dataflow.read @device[%c0 from %a] strides [120, 24, 6, 1] : tensor<3x5x4x6xf16>
  %y5 = dataflow.read @device[%c0 from %b] strides [168, 24, 6, 1] : tensor<3x7x4x6xf16>
  %e5 = tensor.empty() : tensor<4x5x7xf16>
  %z5 = linalg.fill ins(%zero : f16) outs(%e5 : tensor<4x5x7xf16>) -> tensor<4x5x7xf16>
  %r5 = linalg.generic {indexing_maps = [affine_map<(b, m, h, n, k) -> (b, m, h, k)>, affine_map<(b, m, h, n, k) -> (b, n, h, k)>, affine_map<(b, m, h, n, k) -> (h, m, n)>], iterator_types = ["reduction", "parallel", "parallel", "parallel", "reduction"]} ins(%x5, %y5 : tensor<3x5x4x6xf16>, tensor<3x7x4x6xf16>) outs(%z5 : tensor<4x5x7xf16>) {
  ^bb0(%u: f16, %v: f16, %o: f16):
    %p = arith.mulf %u, %v : f16
    %s = arith.addf %o, %p : f16
    linalg.yield %s : f16
  } -> tensor<4x5x7xf16>
  dataflow.write %r5, @device[%c0 from %g] strides [35, 7, 1] : tensor<4x5x7xf16>
  %xw = dataflow.read @device[%c0 from %f] strides [24, 1] : tensor<5x24xf32>
  %ew = tensor.empty() : tensor<5x5xf32>
  %zw = linalg.fill ins(%zerow : f32) outs(%ew : tensor<5x5xf32>) -> tensor<5x5xf32>
  %rw = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%xw, %xw : tensor<5x24xf32>, tensor<5x24xf32>) outs(%zw : tensor<5x5xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %p = arith.mulf %u, %v : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<5x5xf32>
  dataflow.write %rw, @device[%c0 from %h] strides [5, 1] : tensor<5x5xf32>
  // A sum of one product: not rounded before it is added, on either unit.
  %x1 = dataflow.read @device[%c0 from %f] strides [1, 1] : tensor<24x1xf32>
  %c24 = arith.constant 24 : index
  %y1 = dataflow.read @device[%c24 from %f] strides [1, 1] : tensor<24x1xf32>
  %z1 = dataflow.read @device[%c24 from %f] strides [1] : tensor<24xf32>
  %r1 = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]} ins(%x1, %y1 : tensor<24x1xf32>, tensor<24x1xf32>) outs(%z1 : tensor<24xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %p = arith.mulf %u, %v : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<24xf32>
  dataflow.write %r1, @device[%c0 from %i] strides [1] : tensor<24xf32>
  return
}
