// A box of 8 KiB that 4 tiles load takes 256 cycles of device memory, shared 64, and 112 around the ring, with what
// a post takes. Where memory is quicker than the ring each tile loads for itself.
//
// RUN: spyrec opt %s --share-reads | filecheck %s
// RUN: spyrec opt %s --share-reads=percent=80 | filecheck %s
// RUN: spyrec opt %s > %t.as-is
// RUN: spyrec opt %s --share-reads=percent=50 | cmp - %t.as-is
// RUN: spyrec opt %s --share-reads --device=fast_memory | cmp - %t.as-is
// RUN: spyrec opt %s --share-reads=percent=1000 --device=fast_memory | filecheck %s

// CHECK: put %
func.func @weights(%w: index, %y: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %t = dataflow.tile_id
  %at = affine.apply affine_map<(t) -> (t * 4096)>(%t)
  %b = dataflow.alloc {name = "w"} : memref<64x64xf16, "lx">
  dataflow.data_transfer from @device[%c0 from %w] strides [64, 1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<64x64xf16, "lx">
  dataflow.data_transfer from %b to @device[%at from %y] strides [64, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64x64xf16, "lx">
  return
}
