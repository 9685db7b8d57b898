// The slot of a buffer follows from the count of iterations over all executions of the innermost loop around it.
//
// RUN: spyrec opt %s --split-units --canonicalize --loop-invariant-code-motion --cse | filecheck %s

// Three slots: 128 * ((5 * i + j) mod 3), the second loop counting from 1 in steps of 2: five times.
// CHECK-DAG: #[[NEST:.*]] = affine_map<(d0, d1) -> (d0 * 640 + ((d1 - 1) floordiv 2) * 128 - ((d0 * 5 + (d1 - 1) floordiv 2) floordiv 3) * 384)>
// CHECK-LABEL: func.func @nest
// CHECK: affine.apply #[[NEST]](%i, %j)
func.func @nest(%x: index, %n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c10 = arith.constant 10 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c1 to %c10 step %c2 {
      %a = dataflow.alloc {address = 0, depth = 3, slot_bytes = 128} : memref<64xf16, "lx">
      dataflow.data_transfer from @device[%c0 from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
    }
  }
  return
}

// A number of iterations that the launch gives is multiplied in.
// CHECK-LABEL: func.func @symbolic
// CHECK: scf.for %i
// CHECK-NEXT: %[[BEFORE:.*]] = arith.muli %i, %m : index
// CHECK-NEXT: scf.for %j
// CHECK: affine.apply #{{.*}}(%[[BEFORE]], %j)
func.func @symbolic(%x: index, %n: index, %m: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %m step %c1 {
      %a = dataflow.alloc {address = 0, depth = 2, slot_bytes = 128} : memref<64xf16, "lx">
      dataflow.data_transfer from @device[%c0 from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
    }
  }
  return
}
