// Sizes are tried with ops that go again, those too that only make the bounds of a clip that moves.
//
// RUN: spyrec opt %s --group-iterations | filecheck %s

// CHECK-LABEL: func.func @clipped
// CHECK: affine.apply {{.*}}
// CHECK: affine.apply {{.*}}
// CHECK-NOT: affine.apply
// CHECK: scf.for
// CHECK: dataflow.grouped
func.func @clipped(%x: index, %z: index, %n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %o = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %left = affine.apply affine_map<(d0) -> (-d0 + 9)>(%i)
    %a = dataflow.read @device[%o from %x] strides [64, 1] clip [0, 0] to [%left, 64] : tensor<1x64xf16>
    %e = tensor.empty() : tensor<1x64xf16>
    %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<1x64xf16>) outs(%e : tensor<1x64xf16>) {
    ^bb0(%p: f16, %q: f16):
      %v = math.exp %p : f16
      linalg.yield %v : f16
    } -> tensor<1x64xf16>
    dataflow.write %s, @device[%o from %z] strides [64, 1] clip [0, 0] to [%left, 64] : tensor<1x64xf16>
  }
  return
}
