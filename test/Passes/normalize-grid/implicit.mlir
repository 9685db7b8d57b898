// A kernel without a grid that asks for its id runs on every core of the device, and its author is told.
//
// RUN: spyrec opt %s --normalize-grid --verify-diagnostics 2>/dev/null | filecheck %s

// CHECK-LABEL: func.func @everywhere
// CHECK-SAME: grid = [32]
func.func @everywhere() {
  // expected-warning@+1 {{the kernel has no grid: it runs on all 32 cores of device 'spyre'}}
  %t = ktdp.get_compute_tile_id : index
  %0 = arith.addi %t, %t : index
  return
}
