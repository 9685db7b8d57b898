// RUN: spyrec opt %s --split-units --split-input-file --verify-diagnostics

func.func @no_address(%x: index) attributes {grid = [1]} {
  // expected-error@+1 {{the buffer has no address yet: run assign-addresses first}}
  %a = dataflow.alloc : memref<64xf16, "lx">
  return
}

// -----

#in = affine_map<(r, c) -> (r, c)>
#out = affine_map<(r, c) -> (r)>
func.func @sums() attributes {grid = [1]} {
  %a = dataflow.alloc {address = 0, slot_bytes = 512} : memref<4x64xf16, "lx">
  %b = dataflow.alloc {address = 512, slot_bytes = 128} : memref<4xf16, "lx">
  // expected-error@+1 {{it reduces by something that is no known combiner of its output and of one term}}
  linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]} ins(%a : memref<4x64xf16, "lx">) outs(%b : memref<4xf16, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f16, %q: f16):
    %s = arith.subf %q, %p : f16
    linalg.yield %s : f16
  }
  return
}

// -----

#m = affine_map<(m, n, k) -> (m, k)>
#n = affine_map<(m, n, k) -> (k, n)>
#o = affine_map<(m, n, k) -> (m, n)>
func.func @quotients() attributes {grid = [1]} {
  %a = dataflow.alloc {address = 0, slot_bytes = 128} : memref<4x8xf16, "lx">
  %b = dataflow.alloc {address = 128, slot_bytes = 128} : memref<8x4xf16, "lx">
  %c = dataflow.alloc {address = 256, slot_bytes = 128} : memref<4x4xf16, "lx">
  // expected-error@+1 {{a matrix unit adds up products of two operands, and this op does something else}}
  linalg.generic {indexing_maps = [#m, #n, #o], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<4x8xf16, "lx">, memref<8x4xf16, "lx">) outs(%c : memref<4x4xf16, "lx">) attrs = {dataflow.unit = @pt} {
  ^bb0(%p: f16, %q: f16, %r: f16):
    %t = arith.divf %p, %q : f16
    %s = arith.addf %r, %t : f16
    linalg.yield %s : f16
  }
  return
}

// -----

#fold = affine_map<(d0) -> (d0 mod 4)>
#same = affine_map<(d0) -> (d0)>
func.func @folded() attributes {grid = [1]} {
  %a = dataflow.alloc {address = 0, slot_bytes = 128} : memref<4xf16, "lx">
  %b = dataflow.alloc {address = 128, slot_bytes = 128} : memref<8xf16, "lx">
  // expected-error@+1 {{its indexing maps are not linear}}
  linalg.generic {indexing_maps = [#fold, #same], iterator_types = ["parallel"]} ins(%a : memref<4xf16, "lx">) outs(%b : memref<8xf16, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f16, %q: f16):
    linalg.yield %p : f16
  }
  return
}

// -----

func.func @pairs(%x: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %l = dataflow.alloc {address = 0, slot_bytes = 128} : memref<4xi32, "lx">
  %a = dataflow.alloc {address = 128, slot_bytes = 1024} : memref<8x64xf16, "lx">
  // expected-error@+1 {{map 0 from the box to the list of indices is not linear}}
  dataflow.data_transfer from @device[%c0 from %x] strides [0, 1] to %a index(%l : memref<4xi32, "lx">) below [9] {index_maps = [affine_map<(r, c) -> (r floordiv 2)>], index_scales = array<i64: 64>, index_sides = ["source"], route = ["ddr", "load", "lx"], unit = @load} : memref<8x64xf16, "lx">
  return
}

// -----

#line = affine_map<(d) -> (d)>
func.func @nowhere() attributes {grid = [1]} {
  %a = dataflow.alloc {address = 0, slot_bytes = 128} : memref<64xf16, "lx">
  // expected-error@+1 {{it runs on a unit that the device does not have}}
  linalg.generic {indexing_maps = [#line], iterator_types = ["parallel"]} outs(%a : memref<64xf16, "lx">) attrs = {dataflow.unit = @cpu} {
  ^bb0(%p: f16):
    linalg.yield %p : f16
  }
  return
}

// -----

#in = affine_map<(a, b, c, d, e, f) -> (a, b, c, d, e, f)>
#out = affine_map<(a, b, c, d, e, f) -> (f)>
func.func @deep() attributes {grid = [1]} {
  %a = dataflow.alloc {address = 0, slot_bytes = 65536} : memref<4x4x4x4x4x8xf16, "lx">
  %v = memref.subview %a[0, 0, 0, 0, 0, 0] [3, 3, 3, 3, 3, 8] [1, 1, 1, 1, 1, 1] : memref<4x4x4x4x4x8xf16, "lx"> to memref<3x3x3x3x3x8xf16, strided<[2048, 512, 128, 32, 8, 1]>, "lx">
  %b = dataflow.alloc {address = 65536, slot_bytes = 128} : memref<8xf16, "lx">
  // expected-error@+1 {{5 of its loops reduce and do not merge, and 4 may}}
  linalg.generic {indexing_maps = [#in, #out], iterator_types = ["reduction", "reduction", "reduction", "reduction", "reduction", "parallel"]} ins(%v : memref<3x3x3x3x3x8xf16, strided<[2048, 512, 128, 32, 8, 1]>, "lx">) outs(%b : memref<8xf16, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f16, %q: f16):
    %s = arith.addf %q, %p : f16
    linalg.yield %s : f16
  }
  return
}
