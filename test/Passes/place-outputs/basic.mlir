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

// What fusion leaves: a result that nobody uses, kept for the old value of its output, and one tensor as two outputs. The
// old value becomes an input, once, and what is left of the outputs are tensors of their own.
// CHECK-LABEL: func.func @fused(%x: tensor<64xf16>, %y: tensor<64xf16>)
// CHECK: %[[C:.*]] = bufferization.alloc_tensor() {memory_space = "lx"} : tensor<64xf16>
// CHECK-NEXT: %[[R:.*]] = linalg.generic {{.*}} ins(%x, %y : tensor<64xf16>, tensor<64xf16>) outs(%[[C]] : tensor<64xf16>)
// CHECK-NEXT: ^bb0(%a: f16, %[[OLD:.*]]: f16, %{{.*}}: f16):
// CHECK-NEXT: %[[P:.*]] = arith.mulf %a, %[[OLD]]
// CHECK-NEXT: %[[Q:.*]] = arith.mulf %[[P]], %[[OLD]]
// CHECK-NEXT: linalg.yield %[[Q]] : f16
// CHECK: return %[[R]]
func.func @fused(%x: tensor<64xf16>, %y: tensor<64xf16>) -> tensor<64xf16> {
  %e = tensor.empty() : tensor<64xf16>
  %r:3 = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]} ins(%x : tensor<64xf16>) outs(%y, %y, %e : tensor<64xf16>, tensor<64xf16>, tensor<64xf16>) {
  ^bb0(%a: f16, %o: f16, %p: f16, %q: f16):
    %0 = arith.mulf %a, %o : f16
    %1 = arith.mulf %0, %p : f16
    linalg.yield %0, %1, %1 : f16, f16, f16
  } -> (tensor<64xf16>, tensor<64xf16>, tensor<64xf16>)
  return %r#2 : tensor<64xf16>
}

// Both results are used: nothing is copied so that both can start from one tensor.
// CHECK-LABEL: func.func @both(%x: tensor<64xf16>)
// CHECK-DAG: %[[S:.*]] = bufferization.alloc_tensor()
// CHECK-DAG: %[[T:.*]] = bufferization.alloc_tensor()
// CHECK: linalg.generic {{.*}} ins(%x : tensor<64xf16>) outs(%[[S]], %[[T]] : tensor<64xf16>, tensor<64xf16>)
// CHECK-NEXT: ^bb0(%[[X:.*]]: f16, %{{.*}}: f16, %{{.*}}: f16):
// CHECK-NEXT: arith.negf %[[X]]
// CHECK-NEXT: arith.addf %[[X]], %[[X]]
func.func @both(%x: tensor<64xf16>) -> (tensor<64xf16>, tensor<64xf16>) {
  %r:2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} outs(%x, %x : tensor<64xf16>, tensor<64xf16>) {
  ^bb0(%o: f16, %p: f16):
    %0 = arith.negf %o : f16
    %1 = arith.addf %p, %p : f16
    linalg.yield %0, %1 : f16, f16
  } -> (tensor<64xf16>, tensor<64xf16>)
  return %r#0, %r#1 : tensor<64xf16>, tensor<64xf16>
}

// One empty tensor for a loop and two insertions: each gets its own.
// CHECK-LABEL: func.func @others
// CHECK-DAG: %[[U:.*]] = bufferization.alloc_tensor() {memory_space = "lx"} : tensor<64xf16>
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[U]])
// CHECK: %[[V:.*]] = bufferization.alloc_tensor() {memory_space = "lx"} : tensor<64xf16>
// CHECK-NEXT: tensor.insert_slice %x into %[[V]]
func.func @others(%x: tensor<32xf16>, %n: index) -> tensor<64xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<64xf16>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %e) -> (tensor<64xf16>) {
    %s = tensor.insert_slice %x into %e[0] [32] [1] : tensor<32xf16> into tensor<64xf16>
    scf.yield %s : tensor<64xf16>
  }
  return %r : tensor<64xf16>
}
