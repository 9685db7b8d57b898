// One empty tensor for two ops, outside of their loop: each op gets its own, where it stands. What the body reads stays.
//
// RUN: spyrec opt %s --place-outputs | filecheck %s

#id = affine_map<(c) -> (c)>

// CHECK-LABEL: func.func @shared(%x: tensor<64xf16>
// CHECK-NOT: tensor.empty
// CHECK: scf.for
// CHECK: %[[A:.*]] = bufferization.alloc_tensor() {memory_space = "lx"} : tensor<64xf16>
// CHECK: %[[P:.*]] = linalg.generic {{.*}} ins(%x : tensor<64xf16>) outs(%[[A]] : tensor<64xf16>)
// CHECK: %[[B:.*]] = bufferization.alloc_tensor() {memory_space = "lx"} : tensor<64xf16>
// CHECK: %[[Q:.*]] = linalg.generic {{.*}} ins(%[[P]] : tensor<64xf16>) outs(%[[B]] : tensor<64xf16>)
// CHECK: linalg.generic {{.*}} ins(%[[Q]] : tensor<64xf16>) outs(%[[P]] : tensor<64xf16>)
func.func @shared(%x: tensor<64xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<64xf16>
  scf.for %i = %c0 to %n step %c1 {
    %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<64xf16>) outs(%e : tensor<64xf16>) {
    ^bb0(%a: f16, %o: f16):
      %0 = arith.negf %a : f16
      linalg.yield %0 : f16
    } -> tensor<64xf16>
    %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%p : tensor<64xf16>) outs(%e : tensor<64xf16>) {
    ^bb0(%a: f16, %o: f16):
      %0 = math.exp %a : f16
      linalg.yield %0 : f16
    } -> tensor<64xf16>
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%q : tensor<64xf16>) outs(%p : tensor<64xf16>) {
    ^bb0(%a: f16, %o: f16):
      %0 = arith.addf %a, %o : f16
      linalg.yield %0 : f16
    } -> tensor<64xf16>
  }
  return
}
