#all = affine_set<(r, c) : (r >= 0, -r + 15 >= 0, c >= 0, -c + 63 >= 0)>
#row = affine_set<(r, c) : (r == 0, c >= 0, -c + 63 >= 0)>
#id = affine_map<(r, c) -> (r, c)>
func.func @paced(%x: index, %y: index, %n: index, %s: index) attributes {grid = [2]} {
  %t = ktdp.get_compute_tile_id : index
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %xv = ktdp.construct_memory_view %x, sizes: [16, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<16x64xf16>
  %yv = ktdp.construct_memory_view %y, sizes: [16, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<16x64xf16>
  %m = arith.minsi %n, %c16 : index
  scf.for %i = %t to %m step %s {
    %b = arith.cmpi ult, %i, %c16 : index
    scf.if %b {
    %a = ktdp.construct_access_tile %xv[%i, 0] {access_tile_set = #row, access_tile_order = #id} : memref<16x64xf16> -> !ktdp.access_tile<1x64xindex>
    %v = ktdp.load %a : !ktdp.access_tile<1x64xindex> -> tensor<1x64xf16>
    %w = arith.negf %v : tensor<1x64xf16>
    %o = ktdp.construct_access_tile %yv[%i, 0] {access_tile_set = #row, access_tile_order = #id} : memref<16x64xf16> -> !ktdp.access_tile<1x64xindex>
    ktdp.store %w, %o : tensor<1x64xf16>, !ktdp.access_tile<1x64xindex>
    }
  }
  return
}
