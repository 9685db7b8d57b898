// Depth gives way to what fits into LX: 3 x 512 KiB and 512 KiB fit, 4 x 512 KiB and 512 KiB do not. Each buffer starts on a stick.
//
// RUN: spyrec opt %s --choose-buffer-depth=depth=4 | filecheck %s

// CHECK-LABEL: func.func @three
// CHECK: depth = 1 : i64, name = "outside"
// CHECK: depth = 3 : i64, name = "inside"
func.func @three(%n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = dataflow.alloc {name = "outside"} : memref<4096x64xf16, "lx">
  scf.for %i = %c0 to %n step %c1 {
    %b = dataflow.alloc {name = "inside"} : memref<4096x64xf16, "lx">
  }
  return
}

// One stick too much for two slots of both; the first that fits with two gets them.
// CHECK-LABEL: func.func @one
// CHECK: depth = 1 : i64, name = "half"
// CHECK: depth = 4 : i64, name = "byte"
func.func @one(%n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = dataflow.alloc {name = "half"} : memref<1048576xi8, "lx">
    %b = dataflow.alloc {name = "byte"} : memref<1xi8, "lx">
  }
  return
}

// Loops that follow one another share bytes: 2 x 768 KiB each, which would not fit side by side.
// CHECK-LABEL: func.func @follow
// CHECK: depth = 2 : i64, name = "first"
// CHECK: depth = 2 : i64, name = "second"
// CHECK: depth = 1 : i64, name = "third"
// CHECK: depth = 2 : i64, name = "last"
func.func @follow(%n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i8
  scf.for %i = %c0 to %n step %c1 {
    %a = dataflow.alloc {name = "first"} : memref<786432xi8, "lx">
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"], dataflow.unit = @sfu}
      outs(%a : memref<786432xi8, "lx">) {
    ^bb0(%old: i8):
      linalg.yield %zero : i8
    }
  }
  scf.for %i = %c0 to %n step %c1 {
    %a = dataflow.alloc {name = "second"} : memref<786432xi8, "lx">
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"], dataflow.unit = @sfu}
      outs(%a : memref<786432xi8, "lx">) {
    ^bb0(%old: i8):
      linalg.yield %zero : i8
    }
  }
  scf.for %i = %c0 to %n step %c1 {
    %a = dataflow.alloc {name = "third"} : memref<1572864xi8, "lx">
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"], dataflow.unit = @sfu}
      outs(%a : memref<1572864xi8, "lx">) {
    ^bb0(%old: i8):
      linalg.yield %zero : i8
    }
  }
  scf.for %i = %c0 to %n step %c1 {
    %a = dataflow.alloc {name = "last"} : memref<786432xi8, "lx">
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"], dataflow.unit = @sfu}
      outs(%a : memref<786432xi8, "lx">) {
    ^bb0(%old: i8):
      linalg.yield %zero : i8
    }
  }
  return
}

// 640 KiB each: one more slot than one each fits. The buffer that a transfer fills, by a view of it, has it, though one that a transfer
// empties comes before it.
// CHECK-LABEL: func.func @filled
// CHECK: depth = 1 : i64, name = "result"
// CHECK: depth = 2 : i64, name = "input"
func.func @filled(%x: index, %y: index, %n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %r = dataflow.alloc {name = "result"} : memref<327680xf16, "lx">
    %a = dataflow.alloc {name = "input"} : memref<327680xf16, "lx">
    %rows = memref.expand_shape %a [[0, 1]] output_shape [640, 512] : memref<327680xf16, "lx"> into memref<640x512xf16, "lx">
    dataflow.data_transfer from @device[%c0 from %x] strides [512, 1] to %rows {route = ["ddr", "load", "lx"], unit = @load} : memref<640x512xf16, "lx">
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"], dataflow.unit = @sfu}
      ins(%a : memref<327680xf16, "lx">) outs(%r : memref<327680xf16, "lx">) {
    ^bb0(%v: f16, %old: f16):
      linalg.yield %v : f16
    }
    dataflow.data_transfer from %r to @device[%c0 from %y] strides [1] {route = ["lx", "store", "ddr"], unit = @store} : memref<327680xf16, "lx">
  }
  return
}

// Half of LX is the kernel's: of 384 KiB each two slots fit, three do not.
// CHECK-LABEL: func.func @beside_the_kernels
// CHECK: depth = 2 : i64, name = "copy"
func.func @beside_the_kernels(%n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = arith.constant 917504 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = dataflow.alloc {name = "copy"} : memref<196608xf16, "lx">
    dataflow.data_transfer from @lx[%c0] strides [1] to %a {route = ["lx", "ring", "lx"], unit = @ring} : memref<196608xf16, "lx">
    %b = dataflow.alloc {depth = 1, name = "rest"} : memref<131072xi8, "lx">
    dataflow.data_transfer from %b to @lx[%last] strides [1] {route = ["lx", "ring", "lx"], unit = @ring} : memref<131072xi8, "lx">
  }
  return
}

// Eight slots of each of these would not fit: each has its second before one has its third, which then the one has that transfers fill.
// CHECK-LABEL: func.func @second_before_third
// CHECK: depth = 2 : i64, name = "much"
// CHECK: depth = 4 : i64, name = "little"
func.func @second_before_third(%n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = dataflow.alloc {name = "much"} : memref<786432xi8, "lx">
    %b = dataflow.alloc {name = "little"} : memref<131072xi8, "lx">
  }
  return
}
