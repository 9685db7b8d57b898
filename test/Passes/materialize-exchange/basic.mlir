// Values are announced, fetched over the ring, and in loops given back; the bytes that come out are compared in resolve-exchange/test_equal.py.
//
// RUN: spyrec opt %s --materialize-exchange --verify-roundtrip | filecheck %s

// Everybody takes from one neighbour and gives to one.
// CHECK-LABEL: func.func @swap(%x: tensor<64xf16>)
// CHECK: dataflow.channel @offer0_ready from @ring to @ring {init = 0 : i64, peers}
// CHECK-NOT: _taken
// CHECK: %[[COPY:.*]] = linalg.generic {{.*}} ins(%x : tensor<64xf16>)
// CHECK: %[[HELD:.*]] = bufferization.to_buffer %[[COPY]] read_only
// CHECK: scf.for
// CHECK: dataflow.post @offer0_ready to %{{.*}} {unit = @ring}
// CHECK: %[[TAKEN:.*]] = dataflow.alloc {name = "taken"}
// CHECK: dataflow.wait @offer0_ready from %[[OTHER:.*]] {unit = @ring}
// CHECK: dataflow.data_transfer from %[[HELD]] to %[[TAKEN]] get %[[OTHER]] {route = ["lx", "ring", "lx"], unit = @ring}
// CHECK: %[[R:.*]] = bufferization.to_tensor %[[TAKEN]] restrict
// CHECK-NOT: dataflow.wait
// CHECK: return %[[R]]
func.func @swap(%x: tensor<64xf16>) -> tensor<64xf16> attributes {grid = [2]} {
  %c1 = arith.constant 1 : index
  %t = dataflow.tile_id
  %other = arith.subi %c1, %t : index
  %o = dataflow.offer %x to [[1], [0]] : tensor<64xf16>
  %r = dataflow.take %o from %other : tensor<64xf16>
  return %r : tensor<64xf16>
}

// In a loop the credits of an iteration end with it.
// CHECK-LABEL: func.func @loop
// CHECK: dataflow.channel @offer0_taken from @ring to @ring {init = 0 : i64, peers}
// CHECK: scf.for %{{.*}} = %c0 to %n
// CHECK: dataflow.data_transfer {{.*}} get %[[FROM:.*]] {route
// CHECK: dataflow.post @offer0_taken to %[[FROM]] {unit = @ring}
// CHECK: dataflow.wait @offer0_taken
// CHECK: scf.yield
func.func @loop(%x: tensor<64xf16>, %n: index) -> tensor<64xf16> attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<64xf16>) {
    %o = dataflow.offer %v to [[0, 1], []] : tensor<64xf16>
    %w = dataflow.take %o from %c0 : tensor<64xf16>
    scf.yield %w : tensor<64xf16>
  }
  return %r : tensor<64xf16>
}
