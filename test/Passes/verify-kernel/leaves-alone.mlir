// What a kernel may be: reads, compute in normal form, loops that hand out tensors, integers out of tensors, writes.
//
// RUN: spyrec opt %s --verify-kernel > %t && spyrec opt %s | cmp - %t

#id = affine_map<(c) -> (c)>
#none = affine_map<(c) -> ()>

func.func @kernel(%x: index, %z: index, %n: index) attributes {dataflow.signature = [], grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = dataflow.read @device[%c0 from %x] strides [1] : tensor<64xi32>
  %i = tensor.extract %a[%c0] : tensor<64xi32>
  %at = arith.index_cast %i : i32 to index
  %b = dataflow.read @device[%at from %x] strides [1] : tensor<64xf32>
  %s = scf.for %k = %c0 to %n step %c1 iter_args(%v = %b) -> (tensor<64xf32>) {
    %e = tensor.empty() : tensor<64xf32>
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%v : tensor<64xf32>) outs(%e : tensor<64xf32>) {
    ^bb0(%p: f32, %o: f32):
      %w = arith.addf %p, %p : f32
      linalg.yield %w : f32
    } -> tensor<64xf32>
    scf.yield %r : tensor<64xf32>
  }
  %f = dataflow.read @device[%c0 from %z] strides [] : tensor<f32>
  %t = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]} ins(%s : tensor<64xf32>) outs(%f : tensor<f32>) {
  ^bb0(%p: f32, %o: f32):
    %w = arith.addf %o, %p : f32
    linalg.yield %w : f32
  } -> tensor<f32>
  dataflow.write %t, @device[%c0 from %z] strides [] : tensor<f32>
  return
}
