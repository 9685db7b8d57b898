// RUN: spyrec opt %s --insert-synchronization --prune-synchronization | filecheck %s

// What other cores may read is there when they are told, and is left alone until they have said that they have it. The
// load unit is told nothing of all that: nobody else reads what it loads.

// CHECK-LABEL: func.func @cores
// CHECK-NOT:   to @load {init = 1
// CHECK:       scf.for
// CHECK:         dataflow.wait @p_over_ring_sfu {unit = @sfu}
// CHECK-NEXT:    linalg.generic
// CHECK:         dataflow.post @p_over {unit = @sfu}
// CHECK:         dataflow.wait @p_over {unit = @ring}
// CHECK-NEXT:    dataflow.post @ready to
// CHECK-NEXT:    dataflow.wait @ready from
// CHECK-NEXT:    dataflow.data_transfer
// CHECK-NEXT:    dataflow.post @taken to
// CHECK-NEXT:    dataflow.wait @taken from
// CHECK-NEXT:    dataflow.post @p_over_ring_sfu {unit = @ring}
func.func @cores(%x: index, %n: index) attributes {grid = [4]} {
  dataflow.channel @ready from @ring to @ring {init = 0, peers}
  dataflow.channel @taken from @ring to @ring {init = 0, peers}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %tile = dataflow.tile_id
  %peer = arith.xori %tile, %c1 : index
  %y = dataflow.alloc {address = 1024, depth = 1, name = "y", slot_bytes = 128} : memref<64xf16, "lx">
  scf.for %i = %c0 to %n step %c1 {
    %at = affine.apply affine_map<(t, i) -> (t * 6400 + i * 64)>(%tile, %i)
    %a = dataflow.alloc {address = 0, depth = 2, name = "a", slot_bytes = 128} : memref<64xf16, "lx">
    dataflow.data_transfer from @device[%at from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
    %p = dataflow.alloc {address = 256, depth = 2, name = "p", slot_bytes = 128} : memref<64xf16, "lx">
    linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]} ins(%a : memref<64xf16, "lx">) outs(%p : memref<64xf16, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%u: f16, %v: f16):
      linalg.yield %u : f16
    }
    dataflow.post @ready to %peer {unit = @ring}
    dataflow.wait @ready from %peer {unit = @ring}
    dataflow.data_transfer from %p to %y get %peer {route = ["lx", "ring", "lx"], unit = @ring} : memref<64xf16, "lx">, memref<64xf16, "lx">
    dataflow.post @taken to %peer {unit = @ring}
    dataflow.wait @taken from %peer {unit = @ring}
  }
  return
}

// What an op is about it orders alone: a post what has been done to a buffer, a wait what is done to the instance that has
// come. One that is alone orders nothing but its own unit.

// CHECK-LABEL: func.func @about
// CHECK:       dataflow.channel @b_full_store from @ring to @store {init = 0 : i64}
// CHECK-NEXT:  dataflow.channel @b_free_ring from @store to @ring {init = 1 : i64}
// CHECK-NEXT:  dataflow.channel @ready
// CHECK-NEXT:  dataflow.channel @room
// CHECK-NOT:   dataflow.channel
// CHECK:       dataflow.wait @ready
// CHECK-NEXT:  dataflow.post @b_full_store {unit = @ring}
// CHECK-NEXT:  dataflow.wait @b_free_ring {unit = @ring}
// CHECK-NEXT:  dataflow.post @room
// CHECK:       dataflow.wait @b_full_store {unit = @store}
// CHECK-NEXT:  dataflow.data_transfer
// CHECK-NEXT:  dataflow.post @b_free_ring {unit = @store}
// CHECK-NEXT:  dataflow.data_transfer from %c
func.func @about(%x: index, %y: index, %n: index) attributes {grid = [4]} {
  dataflow.channel @ready from @ring to @ring {init = 0, peers}
  dataflow.channel @room from @ring to @ring {init = 1, peers}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %tile = dataflow.tile_id
  %a = dataflow.alloc {address = 1024, depth = 1, name = "a", slot_bytes = 128} : memref<64xf16, "lx">
  %c = dataflow.alloc {address = 1152, depth = 1, name = "c", slot_bytes = 128} : memref<64xf16, "lx">
  dataflow.data_transfer from @device[%tile from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @ring} : memref<64xf16, "lx">
  dataflow.data_transfer from %a to %c put %c0 times 4 by 1 {route = ["lx", "ring", "lx"], unit = @ring} : memref<64xf16, "lx">, memref<64xf16, "lx">
  scf.for %i = %c0 to %n step %c1 {
    %at = affine.apply affine_map<(t, i) -> (t * 6400 + i * 128)>(%tile, %i)
    %to = affine.apply affine_map<(t, i) -> (t * 6400 + i * 128 + 64)>(%tile, %i)
    %b = dataflow.alloc {address = 0, depth = 2, name = "b", slot_bytes = 128} : memref<64xf16, "lx">
    dataflow.wait @room from %tile {alone, unit = @ring}
    dataflow.data_transfer from %a to %b put %c0 times 4 by 1 {route = ["lx", "ring", "lx"], unit = @ring} : memref<64xf16, "lx">, memref<64xf16, "lx">
    dataflow.post @ready to %tile {alone, unit = @ring}
    dataflow.wait @ready from %tile about(%b : memref<64xf16, "lx">) {unit = @ring}
    dataflow.post @room to %tile about(%b : memref<64xf16, "lx">) {unit = @ring}
    dataflow.data_transfer from %b to @device[%at from %y] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
    dataflow.data_transfer from %c to @device[%to from %y] strides [1] {route = ["lx", "store", "ddr"], unit = @ring} : memref<64xf16, "lx">
  }
  return
}

// What one core stores as @x another may load as @y, which may lie anywhere: the store is done before the cores meet, and
// the load comes after. Of arguments apart, of which each core has bytes of its own, nothing is said.

// CHECK-LABEL: func.func @by_another_name
// CHECK:       dataflow.channel @x_stored from @store to @ring
// CHECK:       dataflow.channel @{{.*}} from @ring to @load
// CHECK-LABEL: func.func @of_its_own
// CHECK-NOT:   from @store to @ring
// CHECK-NOT:   from @ring to @load
func.func @by_another_name(%x: index, %y: index {spyrec.may_alias}) attributes {grid = [4]} {
  dataflow.channel @ready from @ring to @ring {init = 0, peers}
  %c1 = arith.constant 1 : index
  %tile = dataflow.tile_id
  %peer = arith.xori %tile, %c1 : index
  %mine = affine.apply affine_map<(t) -> (t * 64)>(%tile)
  %theirs = affine.apply affine_map<(t) -> (t * 64)>(%peer)
  %a = dataflow.alloc {address = 0, depth = 1, name = "a", slot_bytes = 128} : memref<64xf16, "lx">
  %b = dataflow.alloc {address = 128, depth = 1, name = "b", slot_bytes = 128} : memref<64xf16, "lx">
  dataflow.data_transfer from %a to @device[%mine from %x] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
  dataflow.post @ready to %peer {unit = @ring}
  dataflow.wait @ready from %peer {unit = @ring}
  dataflow.data_transfer from @device[%theirs from %y] strides [1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
  return
}

func.func @of_its_own(%x: index, %y: index) attributes {grid = [4]} {
  dataflow.channel @ready from @ring to @ring {init = 0, peers}
  %c1 = arith.constant 1 : index
  %tile = dataflow.tile_id
  %peer = arith.xori %tile, %c1 : index
  %mine = affine.apply affine_map<(t) -> (t * 64)>(%tile)
  %a = dataflow.alloc {address = 0, depth = 1, name = "a", slot_bytes = 128} : memref<64xf16, "lx">
  %b = dataflow.alloc {address = 128, depth = 1, name = "b", slot_bytes = 128} : memref<64xf16, "lx">
  dataflow.data_transfer from @device[%mine from %x] strides [1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
  dataflow.data_transfer from %b to @device[%mine from %x] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
  dataflow.post @ready to %peer {unit = @ring}
  dataflow.wait @ready from %peer {unit = @ring}
  dataflow.data_transfer from @device[%mine from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
  return
}
