// Memrefs elsewhere than in LX.
//
// RUN: spyrec opt %s --adopt-buffers > %t && spyrec opt %s > %t.same && diff %t %t.same

func.func @as_it_is(%m: memref<64xf16>) {
  %a = memref.alloc() : memref<64xf16>
  memref.copy %m, %a : memref<64xf16> to memref<64xf16>
  return
}
