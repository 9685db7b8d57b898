// Of the channels that hazards ask for, those stay that nothing else implies.
//
// RUN: spyrec opt %s --insert-synchronization --prune-synchronization | filecheck %s
// RUN: spyrec opt %s --insert-synchronization --prune-synchronization --prune-synchronization | filecheck %s

#same = affine_map<(d0) -> (d0)>

// x and y are loaded one after the other by one unit, and read by one op: one channel each way is enough for both.
// CHECK-LABEL: func.func @two_inputs
// CHECK-NEXT: dataflow.channel @y_full from @load to @sfu {init = 0 : i64}
// CHECK-NEXT: dataflow.channel @x_free from @sfu to @load {init = 2 : i64}
// CHECK-NOT: dataflow.channel
// CHECK: dataflow.wait @x_free {unit = @load}
// CHECK-NEXT: dataflow.data_transfer
// CHECK-NOT: dataflow.post
// CHECK: dataflow.data_transfer
// CHECK-NEXT: dataflow.post @y_full {unit = @load}
// CHECK-NEXT: %{{.*}} = dataflow.alloc
// CHECK-NEXT: dataflow.wait @y_full {unit = @sfu}
// CHECK-NEXT: linalg.generic
// CHECK: dataflow.post @x_free {unit = @sfu}
// CHECK-NEXT: }
func.func @two_inputs(%x: index, %y: index, %n: index) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %o = affine.apply affine_map<(i) -> (i * 64)>(%i)
    %a = dataflow.alloc {address = 0, depth = 2, name = "x", slot_bytes = 128} : memref<64xf16, "lx">
    dataflow.data_transfer from @device[%o from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
    %b = dataflow.alloc {address = 256, depth = 2, name = "y", slot_bytes = 128} : memref<64xf16, "lx">
    dataflow.data_transfer from @device[%o from %y] strides [1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
    %c = dataflow.alloc {address = 512, depth = 2, name = "z", slot_bytes = 128} : memref<64xf16, "lx">
    linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel"]} ins(%a, %b : memref<64xf16, "lx">, memref<64xf16, "lx">) outs(%c : memref<64xf16, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%p: f16, %q: f16, %r: f16):
      %s = arith.addf %p, %q : f16
      linalg.yield %s : f16
    }
  }
  return
}

// Slots: y has three and x two, so that x is what the load unit waits for; with x's wait before, y's is implied.
// CHECK-LABEL: func.func @depths
// CHECK-NEXT: dataflow.channel @y_full
// CHECK-NEXT: dataflow.channel @x_free from @sfu to @load {init = 2 : i64}
// CHECK-NOT: dataflow.channel
func.func @depths(%x: index, %y: index, %n: index) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %o = affine.apply affine_map<(i) -> (i * 64)>(%i)
    %a = dataflow.alloc {address = 0, depth = 2, name = "x", slot_bytes = 128} : memref<64xf16, "lx">
    dataflow.data_transfer from @device[%o from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
    %b = dataflow.alloc {address = 256, depth = 3, name = "y", slot_bytes = 128} : memref<64xf16, "lx">
    dataflow.data_transfer from @device[%o from %y] strides [1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
    %c = dataflow.alloc {address = 640, depth = 2, name = "z", slot_bytes = 128} : memref<64xf16, "lx">
    linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel"]} ins(%a, %b : memref<64xf16, "lx">, memref<64xf16, "lx">) outs(%c : memref<64xf16, "lx">) attrs = {dataflow.unit = @sfu} {
    ^bb0(%p: f16, %q: f16, %r: f16):
      %s = arith.addf %p, %q : f16
      linalg.yield %s : f16
    }
  }
  return
}

// A loop that surely runs passes order on: what was loaded before it has arrived when its first row has.
// CHECK-LABEL: func.func @through
// CHECK-NEXT: dataflow.channel @row_full from @load to @store {init = 0 : i64}
// CHECK-NEXT: dataflow.channel @row_free from @store to @load {init = 2 : i64}
// CHECK-NOT: dataflow.channel
func.func @through(%x: index, %y: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %k = dataflow.alloc {address = 256, name = "kept", slot_bytes = 128} : memref<64xf16, "lx">
  dataflow.data_transfer from @device[%c0 from %x] strides [1] to %k {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
  scf.for %i = %c0 to %c4 step %c1 {
    %a = dataflow.alloc {address = 0, depth = 2, name = "row", slot_bytes = 128} : memref<64xf16, "lx">
    dataflow.data_transfer from @device[%c0 from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
    dataflow.data_transfer from %a to @device[%c0 from %y] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
  }
  dataflow.data_transfer from %k to @device[%c0 from %y] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
  return
}

// One that may run no time at all does not.
// CHECK-LABEL: func.func @perhaps
// CHECK-NEXT: dataflow.channel @row_full
// CHECK-NEXT: dataflow.channel @row_free
// CHECK-NEXT: dataflow.channel @kept_full from @load to @store {init = 0 : i64}
func.func @perhaps(%x: index, %y: index, %n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = dataflow.alloc {address = 256, name = "kept", slot_bytes = 128} : memref<64xf16, "lx">
  dataflow.data_transfer from @device[%c0 from %x] strides [1] to %k {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
  scf.for %i = %c0 to %n step %c1 {
    %a = dataflow.alloc {address = 0, depth = 2, name = "row", slot_bytes = 128} : memref<64xf16, "lx">
    dataflow.data_transfer from @device[%c0 from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
    dataflow.data_transfer from %a to @device[%c0 from %y] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
  }
  dataflow.data_transfer from %k to @device[%c0 from %y] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
  return
}

// Rows meet again in the next pass over them, two rows later at the earliest. By then the buffer's two slots have kept the load back
// until the store was through; were there one row, they would not have.
// CHECK-LABEL: func.func @two_rows
// CHECK-NEXT: dataflow.channel @row_full from @load to @store {init = 0 : i64}
// CHECK-NEXT: dataflow.channel @row_free from @store to @load {init = 2 : i64}
// CHECK-NOT: dataflow.channel
func.func @two_rows(%x: index, %n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant 2 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %rows step %c1 {
      %o = affine.apply affine_map<(j) -> (j * 64)>(%j)
      %a = dataflow.alloc {address = 0, depth = 2, name = "row", slot_bytes = 128} : memref<64xf16, "lx">
      dataflow.data_transfer from @device[%o from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
      dataflow.data_transfer from %a to @device[%o from %x] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
    }
  }
  return
}

// CHECK-LABEL: func.func @one_row
// CHECK-NEXT: dataflow.channel @row_full
// CHECK-NEXT: dataflow.channel @row_free
// CHECK-NEXT: dataflow.channel @x_stored from @store to @load {init = 1 : i64}
func.func @one_row(%x: index, %n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %rows step %c1 {
      %o = affine.apply affine_map<(j) -> (j * 64)>(%j)
      %a = dataflow.alloc {address = 0, depth = 2, name = "row", slot_bytes = 128} : memref<64xf16, "lx">
      dataflow.data_transfer from @device[%o from %x] strides [1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<64xf16, "lx">
      dataflow.data_transfer from %a to @device[%o from %x] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64xf16, "lx">
    }
  }
  return
}
