// What a loop yields lies in what it came in; what a branch yields in a new tensor, or in the one that passes through.
//
// RUN: spyrec opt %s --anchor-carried-tensors | filecheck %s
// RUN: spyrec opt %s --anchor-carried-tensors --anchor-carried-tensors | filecheck %s

#id = affine_map<(c) -> (c)>

// An element-wise op writes into the carried tensor itself.
// CHECK-LABEL: func.func @accumulates
// CHECK: iter_args(%[[P:.*]] = %{{.*}})
// CHECK-NOT: alloc_tensor
// CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%[[P]], %x : {{.*}}) outs(%[[P]] : tensor<64xf16>)
// CHECK: %[[M:.*]] = bufferization.materialize_in_destination %[[S]] in %[[P]]
// CHECK-NEXT: scf.yield %[[M]]
func.func @accumulates(%x: tensor<64xf16>, %n: index) -> tensor<64xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x) -> (tensor<64xf16>) {
    %f = bufferization.alloc_tensor() {memory_space = "lx"} : tensor<64xf16>
    %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%p, %x : tensor<64xf16>, tensor<64xf16>) outs(%f : tensor<64xf16>) {
    ^bb0(%u: f16, %v: f16, %o: f16):
      %0 = arith.addf %u, %v : f16
      linalg.yield %0 : f16
    } -> tensor<64xf16>
    scf.yield %s : tensor<64xf16>
  }
  return %r : tensor<64xf16>
}

// Three in a circle: one is kept aside, and then each is written once nothing needs it any more.
// CHECK-LABEL: func.func @circle
// CHECK: iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}, %[[C:.*]] = %{{.*}})
// CHECK: %[[K:.*]] = linalg.generic {{.*}} ins(%[[B]] : tensor<64xf16>)
// CHECK-NOT: linalg.generic
// CHECK: %[[MB:.*]] = bufferization.materialize_in_destination %[[C]] in %[[B]]
// CHECK-NEXT: %[[MC:.*]] = bufferization.materialize_in_destination %[[A]] in %[[C]]
// CHECK-NEXT: %[[MA:.*]] = bufferization.materialize_in_destination %[[K]] in %[[A]]
// CHECK-NEXT: scf.yield %[[MA]], %[[MB]], %[[MC]]
func.func @circle(%x: tensor<64xf16>, %y: tensor<64xf16>, %z: tensor<64xf16>, %n: index) -> tensor<64xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y, %c = %z) -> (tensor<64xf16>, tensor<64xf16>, tensor<64xf16>) {
    scf.yield %b, %c, %a : tensor<64xf16>, tensor<64xf16>, tensor<64xf16>
  }
  return %r#0 : tensor<64xf16>
}

// CHECK-LABEL: func.func @branches
// CHECK: iter_args(%[[P:.*]] = %{{.*}})
// CHECK: scf.if
// CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%x : tensor<64xf16>) outs(%[[P]] : tensor<64xf16>)
// CHECK: bufferization.materialize_in_destination %[[S]] in %[[P]]
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[P]]
// CHECK: %[[W:.*]] = bufferization.alloc_tensor() {memory_space = "lx"} : tensor<64xf16>
// CHECK-NEXT: scf.if
// CHECK: bufferization.materialize_in_destination %x in %[[W]]
// CHECK: } else {
// CHECK: bufferization.materialize_in_destination %y in %[[W]]
func.func @branches(%x: tensor<64xf16>, %y: tensor<64xf16>, %c: i1, %n: index) -> (tensor<64xf16>, tensor<64xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x) -> (tensor<64xf16>) {
    %q = scf.if %c -> tensor<64xf16> {
      %f = bufferization.alloc_tensor() {memory_space = "lx"} : tensor<64xf16>
      %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<64xf16>) outs(%f : tensor<64xf16>) {
      ^bb0(%u: f16, %o: f16):
        %0 = arith.negf %u : f16
        linalg.yield %0 : f16
      } -> tensor<64xf16>
      scf.yield %s : tensor<64xf16>
    } else {
      scf.yield %p : tensor<64xf16>
    }
    scf.yield %q : tensor<64xf16>
  }
  %b = scf.if %c -> tensor<64xf16> {
    scf.yield %x : tensor<64xf16>
  } else {
    scf.yield %y : tensor<64xf16>
  }
  return %r, %b : tensor<64xf16>, tensor<64xf16>
}

// A loop in a loop takes over what the outer one carries, and leaves it in place: nothing more to do outside. Where that
// is needed afterwards, the inner loop starts from a copy. A select is a branch.
// CHECK-LABEL: func.func @nested
// CHECK: scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}}, %[[Q:.*]] = %{{.*}})
// CHECK: %[[K:.*]] = linalg.generic {{.*}} ins(%[[Q]] : tensor<64xf16>)
// CHECK: %[[S:.*]]:2 = scf.for {{.*}} iter_args(%[[U:.*]] = %[[P]], %[[V:.*]] = %[[K]])
// CHECK-DAG: bufferization.materialize_in_destination %{{.*}} in %[[U]]
// CHECK-DAG: bufferization.materialize_in_destination %{{.*}} in %[[V]]
// CHECK: %[[T:.*]] = scf.if
// CHECK-NEXT: bufferization.materialize_in_destination %[[S]]#1 in %[[Q]]
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[Q]]
// CHECK: scf.yield %[[S]]#0, %[[T]]
func.func @nested(%x: tensor<64xf16>, %y: tensor<64xf16>, %c: i1, %n: index) -> (tensor<64xf16>, tensor<64xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x, %q = %y) -> (tensor<64xf16>, tensor<64xf16>) {
    %s:2 = scf.for %j = %c0 to %n step %c1 iter_args(%u = %p, %v = %q) -> (tensor<64xf16>, tensor<64xf16>) {
      scf.yield %v, %u : tensor<64xf16>, tensor<64xf16>
    }
    %t = arith.select %c, %s#1, %q : tensor<64xf16>
    scf.yield %s#0, %t : tensor<64xf16>, tensor<64xf16>
  }
  return %r#0, %r#1 : tensor<64xf16>, tensor<64xf16>
}
