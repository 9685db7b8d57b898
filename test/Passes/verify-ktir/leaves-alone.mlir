// The gate changes nothing, and lets pass what may be right: a tile that sticks out, an anchor that only the run knows, a reduction into an
// empty tensor.
//
// RUN: spyrec opt %s --verify-ktir > %t && spyrec opt %s > %t.same && diff %t %t.same

#all = affine_set<(r, c) : (r >= 0, -r + 15 >= 0, c >= 0, -c + 63 >= 0)>
#four = affine_set<(r, c) : (r >= 0, -r + 3 >= 0, c >= 0, -c + 63 >= 0)>
#id = affine_map<(r, c) -> (r, c)>
func.func @fine(%x: index, %n: index) attributes {grid = [2, 16]} {
  %i, %j = ktdp.get_compute_tile_id : index, index
  %v = ktdp.construct_memory_view %x, sizes: [16, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<16x64xf16>
  %a = ktdp.construct_access_tile %v[14, 0] {access_tile_set = #four, access_tile_order = #id} : memref<16x64xf16> -> !ktdp.access_tile<4x64xindex>
  %b = ktdp.construct_access_tile %v[%n - 5, %i] {access_tile_set = #four, access_tile_order = #id} : memref<16x64xf16> -> !ktdp.access_tile<4x64xindex>
  %t = ktdp.load %a : <4x64xindex> -> tensor<4x64xf16>
  %e = tensor.empty() : tensor<4xf16>
  %s = linalg.reduce { arith.addf } ins(%t : tensor<4x64xf16>) outs(%e : tensor<4xf16>) dimensions = [1]
  return
}

// A function without a grid may be a helper that kernels call.
func.func private @helper(%x: index) -> index {
  return %x : index
}

// Outside of its view, but never reached.
func.func @never(%x: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = ktdp.construct_memory_view %x, sizes: [16, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<16x64xf16>
  scf.for %k = %c1 to %c0 step %c1 {
    %a = ktdp.construct_access_tile %v[16, 0] {access_tile_set = #four, access_tile_order = #id} : memref<16x64xf16> -> !ktdp.access_tile<4x64xindex>
  }
  return
}
