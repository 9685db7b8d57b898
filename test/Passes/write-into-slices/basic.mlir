// Two halves are computed in the tensor that they become: the first where it stands, the second where the tensor that it
// is inserted into is known. A rank may be dropped, and offsets may be computed.
//
// RUN: spyrec opt %s --write-into-slices | filecheck %s
// RUN: spyrec opt %s --write-into-slices --write-into-slices | filecheck %s

#id = affine_map<(c) -> (c)>

// CHECK-LABEL: func.func @halves
// CHECK-SAME: (%x: tensor<32xf16>, %at: index)
// CHECK: %[[W:.*]] = bufferization.alloc_tensor() {memory_space = "lx"} : tensor<4x64xf16>
// CHECK-NEXT: %[[P:.*]] = tensor.extract_slice %[[W]][%at, 0] [1, 32] [1, 1] : tensor<4x64xf16> to tensor<32xf16>
// CHECK-NEXT: %[[A:.*]] = linalg.generic {{.*}} outs(%[[P]] : tensor<32xf16>)
// CHECK: %[[R:.*]] = tensor.insert_slice %[[A]] into %[[W]][%at, 0] [1, 32] [1, 1]
// CHECK-NEXT: %[[Q:.*]] = tensor.extract_slice %[[R]][0, 32] [1, 32] [1, 1] : tensor<4x64xf16> to tensor<32xf16>
// CHECK-NEXT: %[[B:.*]] = linalg.generic {{.*}} outs(%[[Q]] : tensor<32xf16>)
// CHECK: tensor.insert_slice %[[B]] into %[[R]][0, 32] [1, 32] [1, 1]
// CHECK-NOT: alloc_tensor
func.func @halves(%x: tensor<32xf16>, %at: index) -> tensor<4x64xf16> {
  %f = bufferization.alloc_tensor() {memory_space = "lx"} : tensor<32xf16>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<32xf16>) outs(%f : tensor<32xf16>) {
  ^bb0(%u: f16, %o: f16):
    %0 = arith.negf %u : f16
    linalg.yield %0 : f16
  } -> tensor<32xf16>
  %g = bufferization.alloc_tensor() {memory_space = "lx"} : tensor<32xf16>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<32xf16>) outs(%g : tensor<32xf16>) {
  ^bb0(%u: f16, %o: f16):
    linalg.yield %u : f16
  } -> tensor<32xf16>
  %w = bufferization.alloc_tensor() {memory_space = "lx"} : tensor<4x64xf16>
  %r = tensor.insert_slice %a into %w[%at, 0] [1, 32] [1, 1] : tensor<32xf16> into tensor<4x64xf16>
  %s = tensor.insert_slice %b into %r[0, 32] [1, 32] [1, 1] : tensor<32xf16> into tensor<4x64xf16>
  return %s : tensor<4x64xf16>
}
