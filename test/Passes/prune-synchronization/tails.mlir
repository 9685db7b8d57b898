// RUN: spyrec opt %s --insert-synchronization --prune-synchronization | filecheck %s

// What is waited for at the end of a body, for the next one: when the load unit knows that the row before is stored it
// knows that it was computed, too.

// CHECK-LABEL: func.func @in_place
// CHECK-NOT:   @a_free
// CHECK:       dataflow.channel @x_stored from @store to @load
// CHECK-NOT:   @a_free
// CHECK-LABEL: func.func @elsewhere
// CHECK:       dataflow.channel @a_free from @sfu to @load
func.func @in_place(%x: index, %n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.while (%i = %c0) : (index) -> index {
    %more = arith.cmpi slt, %i, %n : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    %at = affine.apply affine_map<(i) -> (i * 64)>(%i)
    %a = dataflow.alloc {address = 0, depth = 1, name = "a", slot_bytes = 128} : memref<64xf16, "lx">
    %b = dataflow.alloc {address = 128, depth = 1, name = "b", slot_bytes = 128} : memref<64xf16, "lx">
    dataflow.data_transfer from @device[%at from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
    linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]} ins(%a : memref<64xf16, "lx">) outs(%b : memref<64xf16, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%u: f16, %v: f16):
      linalg.yield %u : f16
    }
    dataflow.data_transfer from %b to @device[%at from %x] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  return
}

func.func @elsewhere(%x: index, %y: index, %n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.while (%i = %c0) : (index) -> index {
    %more = arith.cmpi slt, %i, %n : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    %at = affine.apply affine_map<(i) -> (i * 64)>(%i)
    %a = dataflow.alloc {address = 0, depth = 1, name = "a", slot_bytes = 128} : memref<64xf16, "lx">
    %b = dataflow.alloc {address = 128, depth = 1, name = "b", slot_bytes = 128} : memref<64xf16, "lx">
    dataflow.data_transfer from @device[%at from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
    linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]} ins(%a : memref<64xf16, "lx">) outs(%b : memref<64xf16, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%u: f16, %v: f16):
      linalg.yield %u : f16
    }
    dataflow.data_transfer from %b to @device[%at from %y] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  return
}
