// Each unit gets its own ops and the control and scalars that they need, on byte addresses.
//
// RUN: spyrec opt %s --split-units --canonicalize --cse | filecheck %s
// RUN: spyrec opt %s --split-units --split-units --canonicalize --cse | filecheck %s

#same = affine_map<(r, c) -> (r, c)>

// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0)[s0] -> (d0 * 128 + s0 * 512)>
// CHECK-DAG: #[[SLOT:.*]] = affine_map<(d0) -> (d0 * 128 - (d0 floordiv 2) * 256)>
// CHECK-LABEL: func.func @double
// CHECK-SAME: grid = [4]
// CHECK-NOT: tile_id
// CHECK-NOT: alloc
// CHECK: dataflow.buffer @x {address = 0 : i64, depth = 2 : i64, slot_bytes = 128 : i64}
// CHECK-NEXT: dataflow.buffer @z {address = 256 : i64, depth = 1 : i64, slot_bytes = 128 : i64}
// CHECK-NEXT: dataflow.channel @x_full from @load to @sfu {init = 0 : i64}
// CHECK-NEXT: dataflow.program_unit @load(%core) {
// CHECK-NEXT:   scf.for %i = %c0 to %c4 step %c1 {
// CHECK-NEXT:     %[[A:.*]] = affine.apply #[[ROW]](%i)[%core]
// CHECK-NEXT:     %[[B:.*]] = affine.apply #[[SLOT]](%i)
// CHECK-NEXT:     dataflow.transfer @device[%[[A]] from %x] strides [2] to @lx[%[[B]] in @x] strides [2] counts [64] {element_bytes = 2 : i64}
// CHECK-NEXT:     dataflow.post @x_full
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: dataflow.program_unit @sfu(%core) {
// CHECK-NEXT:   scf.for
// CHECK-NEXT:     dataflow.wait @x_full
// CHECK-NEXT:     %[[S:.*]] = affine.apply #[[SLOT]](%i)
// CHECK-NEXT:     dataflow.stream counts [64] ins(@x[%[[S]]] strides [2] : f16) outs(@z[%c256] strides [2] : f16) {
// CHECK-NEXT:     ^bb0(%[[P:.*]]: f16, %{{.*}}: f16):
// CHECK-NEXT:       %[[R:.*]] = arith.mulf %[[P]], %{{.*}} : f16
// CHECK-NEXT:       dataflow.yield %[[R]] : f16
// CHECK:     return
func.func @double(%x: index) attributes {grid = [4]} {
  dataflow.channel @x_full from @load to @sfu {init = 0}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %two = arith.constant 2.0 : f16
  %t = dataflow.tile_id
  scf.for %i = %c0 to %c4 step %c1 {
    %o = affine.apply affine_map<(i)[t] -> (i * 64 + t * 256)>(%i)[%t]
    %a = dataflow.alloc {address = 0, depth = 2, name = "x", slot_bytes = 128} : memref<1x64xf16, "lx">
    dataflow.data_transfer from @device[%o from %x] strides [64, 1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<1x64xf16, "lx">
    dataflow.post @x_full {unit = @load}
    %b = dataflow.alloc {address = 256, name = "z", slot_bytes = 128} : memref<1x64xf16, "lx">
    dataflow.wait @x_full {unit = @sfu}
    linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%a : memref<1x64xf16, "lx">) outs(%b : memref<1x64xf16, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%p: f16, %q: f16):
      %r = arith.mulf %p, %two : f16
      linalg.yield %r : f16
    }
  }
  return
}

// The load unit needs neither the branch nor the condition; the store unit needs both. What depends on arguments alone stays outside.
// CHECK-LABEL: func.func @sliced
// CHECK: %[[BOUND:.*]] = arith.addi %n, %n : index
// CHECK: dataflow.program_unit @load(%core) {
// CHECK-NEXT:   scf.for %i = %c0 to %[[BOUND]] step %c1 {
// CHECK-NEXT:     dataflow.transfer
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: dataflow.program_unit @store(%core) {
// CHECK-NEXT:   scf.for %i = %c0 to %[[BOUND]] step %c1 {
// CHECK-NEXT:     %[[C:.*]] = arith.cmpi slt, %i, %core : index
// CHECK-NEXT:     scf.if %[[C]] {
// CHECK-NEXT:       dataflow.transfer
func.func @sliced(%x: index, %y: index, %n: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %twice = arith.addi %n, %n : index
  %t = dataflow.tile_id
  %a = dataflow.alloc {address = 0, slot_bytes = 128} : memref<64xf16, "lx">
  scf.for %i = %c0 to %twice step %c1 {
    dataflow.data_transfer from @device[%c0 from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
    %some = arith.cmpi slt, %i, %t : index
    scf.if %some {
      dataflow.data_transfer from %a to @device[%c0 from %y] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
    }
  }
  return
}
