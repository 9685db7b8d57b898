// Attention over blocks of keys with a running maximum and sum, all carried; each tile one head of 16 queries. A block
// that the launch does not ask for changes nothing.
func.func @flash(%q: index, %k: index, %v: index, %o: index, %n: index) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %low = arith.constant -1.0e+30 : f32
  %zero = arith.constant 0.0 : f32
  %t = dataflow.tile_id
  %qo = affine.apply affine_map<(t) -> (t * 512)>(%t)
  %qs = dataflow.read @device[%qo from %q] strides [32, 1] : tensor<16x32xf16>
  %er = tensor.empty() : tensor<16xf32>
  %es = tensor.empty() : tensor<16x32xf32>
  %m0 = linalg.fill ins(%low : f32) outs(%er : tensor<16xf32>) -> tensor<16xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%er : tensor<16xf32>) -> tensor<16xf32>
  %a0 = linalg.fill ins(%zero : f32) outs(%es : tensor<16x32xf32>) -> tensor<16x32xf32>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%m = %m0, %l = %l0, %acc = %a0) -> (tensor<16xf32>, tensor<16xf32>, tensor<16x32xf32>) {
    %ko = affine.apply affine_map<(t, i) -> (t * 4096 + i * 1024)>(%t, %i)
    %kb = dataflow.read @device[%ko from %k] strides [32, 1] : tensor<32x32xf16>
    %vb = dataflow.read @device[%ko from %v] strides [32, 1] : tensor<32x32xf16>
    %s = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, c)>, affine_map<(a, b, c) -> (b, c)>, affine_map<(a, b, c) -> (a, b)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%qs, %kb : tensor<16x32xf16>, tensor<32x32xf16>) outs(%a0 : tensor<16x32xf32>) {
    ^bb0(%u: f16, %w: f16, %x: f32):
      %uw = arith.extf %u : f16 to f32
      %ww = arith.extf %w : f16 to f32
      %p = arith.mulf %uw, %ww : f32
      %sum = arith.addf %x, %p : f32
      linalg.yield %sum : f32
    } -> tensor<16x32xf32>
    %mm = linalg.reduce { arith.maximumf } ins(%s : tensor<16x32xf32>) outs(%m : tensor<16xf32>) dimensions = [1]
    %mb = linalg.broadcast ins(%mm : tensor<16xf32>) outs(%es : tensor<16x32xf32>) dimensions = [1]
    %d = arith.subf %s, %mb : tensor<16x32xf32>
    %p = math.exp %d : tensor<16x32xf32>
    %dm = arith.subf %m, %mm : tensor<16xf32>
    %alpha = math.exp %dm : tensor<16xf32>
    %ls = arith.mulf %l, %alpha : tensor<16xf32>
    %ln = linalg.reduce { arith.addf } ins(%p : tensor<16x32xf32>) outs(%ls : tensor<16xf32>) dimensions = [1]
    %ab = linalg.broadcast ins(%alpha : tensor<16xf32>) outs(%es : tensor<16x32xf32>) dimensions = [1]
    %as = arith.mulf %acc, %ab : tensor<16x32xf32>
    %ph = arith.truncf %p : tensor<16x32xf32> to tensor<16x32xf16>
    %an = linalg.matmul ins(%ph, %vb : tensor<16x32xf16>, tensor<32x32xf16>) outs(%as : tensor<16x32xf32>) -> tensor<16x32xf32>
    scf.yield %mm, %ln, %an : tensor<16xf32>, tensor<16xf32>, tensor<16x32xf32>
  }
  %lb = linalg.broadcast ins(%r#1 : tensor<16xf32>) outs(%es : tensor<16x32xf32>) dimensions = [1]
  %out = arith.divf %r#2, %lb : tensor<16x32xf32>
  %oh = arith.truncf %out : tensor<16x32xf32> to tensor<16x32xf16>
  dataflow.write %oh, @device[%qo from %o] strides [32, 1] : tensor<16x32xf16>
  return
}
