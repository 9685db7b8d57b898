// A loop that goes on in what it carries, and reads the old numbers later on, copies those once, before it goes on.
//
// RUN: spyrec opt %s --anchor-carried-tensors | filecheck %s

#id = affine_map<(a) -> (a)>

// CHECK-LABEL: func.func @read_later
// CHECK:       scf.for {{.*}} iter_args(%[[OLD:.*]] = %{{.*}})
// CHECK:         %[[KEPT:.*]] = linalg.generic {{.*}} ins(%[[OLD]] :
// CHECK:         %[[NEW:.*]] = linalg.generic {{.*}} outs(%[[OLD]] :
// CHECK:         linalg.generic {{.*}} ins(%[[NEW]], %[[KEPT]] :
func.func @read_later(%x: tensor<64xf32>, %y: tensor<64xf32>, %n: index) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%old = %x) -> (tensor<64xf32>) {
    %new = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%y : tensor<64xf32>) outs(%old : tensor<64xf32>) {
    ^bb0(%p: f32, %o: f32):
      %0 = arith.maximumf %o, %p : f32
      linalg.yield %0 : f32
    } -> tensor<64xf32>
    %empty = tensor.empty() : tensor<64xf32>
    %d = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%new, %old : tensor<64xf32>, tensor<64xf32>) outs(%empty : tensor<64xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %0 = arith.subf %q, %p : f32
      linalg.yield %0 : f32
    } -> tensor<64xf32>
    dataflow.write %d, @device[%i] strides [1] : tensor<64xf32>
    scf.yield %new : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}

// What is read before it is gone on in needs no copy.
// CHECK-LABEL: func.func @read_before
// CHECK:       scf.for {{.*}} iter_args(%[[OLD:.*]] = %{{.*}})
// CHECK-NOT:     ins(%[[OLD]] : tensor<64xf32>) outs
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %[[OLD]] :
// CHECK:         linalg.generic {{.*}} outs(%[[OLD]] :
func.func @read_before(%x: tensor<64xf32>, %y: tensor<64xf32>, %n: index) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%old = %x) -> (tensor<64xf32>) {
    %empty = tensor.empty() : tensor<64xf32>
    %d = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%y, %old : tensor<64xf32>, tensor<64xf32>) outs(%empty : tensor<64xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %0 = arith.subf %q, %p : f32
      linalg.yield %0 : f32
    } -> tensor<64xf32>
    dataflow.write %d, @device[%i] strides [1] : tensor<64xf32>
    %new = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%y : tensor<64xf32>) outs(%old : tensor<64xf32>) {
    ^bb0(%p: f32, %o: f32):
      %0 = arith.maximumf %o, %p : f32
      linalg.yield %0 : f32
    } -> tensor<64xf32>
    scf.yield %new : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}

// What goes on in it takes it as an input too, and would be copied for that in any case.
// CHECK-LABEL: func.func @taken_as_well
// CHECK:       scf.for {{.*}} iter_args(%[[OLD:.*]] = %{{.*}})
// CHECK-NEXT:    linalg.generic {{.*}} ins(%[[OLD]] : tensor<64xf32>) outs(%[[OLD]] :
func.func @taken_as_well(%x: tensor<64xf32>, %y: tensor<64xf32>, %n: index) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%old = %x) -> (tensor<64xf32>) {
    %new = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%old : tensor<64xf32>) outs(%old : tensor<64xf32>) {
    ^bb0(%p: f32, %o: f32):
      %0 = arith.maximumf %o, %p : f32
      linalg.yield %0 : f32
    } -> tensor<64xf32>
    %empty = tensor.empty() : tensor<64xf32>
    %d = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%new, %old : tensor<64xf32>, tensor<64xf32>) outs(%empty : tensor<64xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %0 = arith.subf %q, %p : f32
      linalg.yield %0 : f32
    } -> tensor<64xf32>
    dataflow.write %d, @device[%i] strides [1] : tensor<64xf32>
    scf.yield %new : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}
