// A column that scales a matrix is computed once, not once per column of the matrix; what is cheap, or read as often as
// it is made, is fused; a product takes wider types in, and nothing else.
//
// RUN: spyrec opt %s --keep-tensors | filecheck %s
// RUN: spyrec opt %s --keep-tensors > %t && spyrec opt %t --keep-tensors | cmp - %t
// RUN: spyrec opt %s > %t.as-is
// RUN: spyrec opt %s --keep-tensors --release-tensors | cmp - %t.as-is
// RUN: spyrec opt %s --pass-pipeline="builtin.module(func.func(keep-tensors,linalg-fuse-elementwise-ops,release-tensors))" | filecheck %s --check-prefix=FUSED

#id = affine_map<(a, b) -> (a, b)>
#row = affine_map<(a, b) -> (a)>
#one = affine_map<(a) -> (a)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func.func @scaled
// CHECK: %[[E:.*]] = linalg.generic
// CHECK: math.exp
// CHECK: %[[N:.*]] = linalg.generic {{.*}} ins(%[[E]] :
// CHECK: arith.negf
// CHECK: %[[K:.*]] = dataflow.kept %[[N]] : tensor<16xf32>
// CHECK: linalg.generic {{.*}} ins(%[[K]], %x :
// FUSED-LABEL: func.func @scaled
// FUSED: %[[E:.*]] = linalg.generic
// FUSED: math.exp
// FUSED-NEXT: arith.negf
// FUSED: linalg.generic {{.*}} ins(%[[E]], %x :
// FUSED-NOT: math.exp
func.func @scaled(%m: tensor<16xf32>, %x: tensor<16x512xf32>) -> tensor<16x512xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %f = tensor.empty() : tensor<16x512xf32>
  %0 = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%m : tensor<16xf32>) outs(%e : tensor<16xf32>) {
  ^bb0(%p: f32, %o: f32):
    %v = math.exp %p : f32
    linalg.yield %v : f32
  } -> tensor<16xf32>
  %1 = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%0 : tensor<16xf32>) outs(%e : tensor<16xf32>) {
  ^bb0(%p: f32, %o: f32):
    %v = arith.negf %p : f32
    linalg.yield %v : f32
  } -> tensor<16xf32>
  %2 = linalg.generic {indexing_maps = [#row, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%1, %x : tensor<16xf32>, tensor<16x512xf32>) outs(%f : tensor<16x512xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %v = arith.mulf %p, %q : f32
    linalg.yield %v : f32
  } -> tensor<16x512xf32>
  return %2 : tensor<16x512xf32>
}

// CHECK-LABEL: func.func @same
// CHECK-NOT: dataflow.kept
// CHECK: return
// FUSED-LABEL: func.func @same
// FUSED-COUNT-1: linalg.generic
// FUSED-NOT: linalg.generic
// FUSED: return
func.func @same(%x: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %f = tensor.empty() : tensor<16x64xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<16x64xf32>) outs(%f : tensor<16x64xf32>) {
  ^bb0(%p: f32, %o: f32):
    %v = math.exp %p : f32
    linalg.yield %v : f32
  } -> tensor<16x64xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<16x64xf32>) outs(%f : tensor<16x64xf32>) {
  ^bb0(%p: f32, %o: f32):
    %v = arith.negf %p : f32
    linalg.yield %v : f32
  } -> tensor<16x64xf32>
  return %1 : tensor<16x64xf32>
}

// CHECK-LABEL: func.func @product
// CHECK: %[[X:.*]] = linalg.generic {{.*}} ins(%x :
// CHECK: arith.extf
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} ins(%y :
// CHECK: arith.negf
// CHECK: %[[K:.*]] = dataflow.kept %[[Y]]
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[K]] :
func.func @product(%x: tensor<8x32xf16>, %y: tensor<32x16xf32>, %z: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<8x32xf32>
  %f = tensor.empty() : tensor<32x16xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x32xf16>) outs(%e : tensor<8x32xf32>) {
  ^bb0(%p: f16, %o: f32):
    %v = arith.extf %p : f16 to f32
    linalg.yield %v : f32
  } -> tensor<8x32xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<32x16xf32>) outs(%f : tensor<32x16xf32>) {
  ^bb0(%p: f32, %o: f32):
    %v = arith.negf %p : f32
    linalg.yield %v : f32
  } -> tensor<32x16xf32>
  %2 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%0, %1 : tensor<8x32xf32>, tensor<32x16xf32>) outs(%z : tensor<8x16xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %v = arith.mulf %p, %q : f32
    %w = arith.addf %o, %v : f32
    linalg.yield %w : f32
  } -> tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// The first side of a gate is done on the vector unit while the matrix unit does the second; in a loop both are busy
// with other iterations anyway.
// CHECK-LABEL: func.func @gate
// CHECK: %[[S:[a-z]+]] = linalg.generic {{.*}} ins(%p :
// CHECK: math.exp
// CHECK: %[[K:[a-z]+]] = dataflow.kept %[[S]] : tensor<64x128xf32>
// CHECK: linalg.generic {{.*}} ins(%[[K]], %q :
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.mulf
// FUSED-LABEL: func.func @gate
// FUSED: math.exp
// FUSED-NEXT: linalg.yield
func.func @gate(%x: tensor<64x64xf16>, %v: tensor<64x128xf16>, %w: tensor<64x128xf16>, %z: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %p = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %v : tensor<64x64xf16>, tensor<64x128xf16>) outs(%z : tensor<64x128xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %f = arith.extf %l : f16 to f32
    %g = arith.extf %r : f16 to f32
    %h = arith.mulf %f, %g : f32
    %s = arith.addf %o, %h : f32
    linalg.yield %s : f32
  } -> tensor<64x128xf32>
  %q = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<64x64xf16>, tensor<64x128xf16>) outs(%z : tensor<64x128xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %f = arith.extf %l : f16 to f32
    %g = arith.extf %r : f16 to f32
    %h = arith.mulf %f, %g : f32
    %s = arith.addf %o, %h : f32
    linalg.yield %s : f32
  } -> tensor<64x128xf32>
  %e = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<64x128xf32>) outs(%p : tensor<64x128xf32>) {
  ^bb0(%l: f32, %o: f32):
    %s = math.exp %l : f32
    linalg.yield %s : f32
  } -> tensor<64x128xf32>
  %m = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%e, %q : tensor<64x128xf32>, tensor<64x128xf32>) outs(%e : tensor<64x128xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %s = arith.mulf %l, %r : f32
    linalg.yield %s : f32
  } -> tensor<64x128xf32>
  return %m : tensor<64x128xf32>
}

// CHECK-LABEL: func.func @gates_in_a_loop
// CHECK-NOT: dataflow.kept
// CHECK: return
func.func @gates_in_a_loop(%n: index, %x: tensor<64x64xf16>, %v: tensor<64x128xf16>, %w: tensor<64x128xf32>, %z: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<64x128xf32>) {
    %e = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%w : tensor<64x128xf32>) outs(%w : tensor<64x128xf32>) {
    ^bb0(%l: f32, %o: f32):
      %t = math.exp %l : f32
      linalg.yield %t : f32
    } -> tensor<64x128xf32>
    %p = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %v : tensor<64x64xf16>, tensor<64x128xf16>) outs(%acc : tensor<64x128xf32>) {
    ^bb0(%l: f16, %r: f16, %o: f32):
      %f = arith.extf %l : f16 to f32
      %g = arith.extf %r : f16 to f32
      %h = arith.mulf %f, %g : f32
      %t = arith.addf %o, %h : f32
      linalg.yield %t : f32
    } -> tensor<64x128xf32>
    %m = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%e, %p : tensor<64x128xf32>, tensor<64x128xf32>) outs(%e : tensor<64x128xf32>) {
    ^bb0(%l: f32, %r: f32, %o: f32):
      %t = arith.mulf %l, %r : f32
      linalg.yield %t : f32
    } -> tensor<64x128xf32>
    scf.yield %m : tensor<64x128xf32>
  }
  return %s : tensor<64x128xf32>
}
