// out = silu(gate) * up, f16, spyreop intrinsics in the body of one linalg.generic; 16 cores, rows of 96 in a loop.
#all = affine_set<(r, c) : (r >= 0, -r + 79 >= 0, c >= 0, -c + 95 >= 0)>
#row = affine_set<(r, c) : (r >= 0, -r >= 0, c >= 0, -c + 95 >= 0)>
#same = affine_map<(r, c) -> (r, c)>

func.func @swish_gate(%gate_ptr: index, %up_ptr: index, %out_ptr: index) attributes {grid = [16]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %id = ktdp.get_compute_tile_id : index
  %gate_view = ktdp.construct_memory_view %gate_ptr, sizes: [80, 96], strides: [96, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<80x96xf16>
  %up_view = ktdp.construct_memory_view %up_ptr, sizes: [80, 96], strides: [96, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<80x96xf16>
  %out_view = ktdp.construct_memory_view %out_ptr, sizes: [80, 96], strides: [96, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<80x96xf16>
  scf.for %i = %c0 to %c5 step %c1 {
    %gate_tile = ktdp.construct_access_tile %gate_view[%id * 5 + %i, 0] {access_tile_set = #row, access_tile_order = #same} : memref<80x96xf16> -> !ktdp.access_tile<1x96xindex>
    %up_tile = ktdp.construct_access_tile %up_view[%id * 5 + %i, 0] {access_tile_set = #row, access_tile_order = #same} : memref<80x96xf16> -> !ktdp.access_tile<1x96xindex>
    %out_tile = ktdp.construct_access_tile %out_view[%id * 5 + %i, 0] {access_tile_set = #row, access_tile_order = #same} : memref<80x96xf16> -> !ktdp.access_tile<1x96xindex>
    %gate = ktdp.load %gate_tile : <1x96xindex> -> tensor<1x96xf16>
    %up = ktdp.load %up_tile : <1x96xindex> -> tensor<1x96xf16>
    %empty = tensor.empty() : tensor<1x96xf16>
    %out = linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel", "parallel"]}
        ins(%gate, %up : tensor<1x96xf16>, tensor<1x96xf16>) outs(%empty : tensor<1x96xf16>) {
      ^bb0(%g: f16, %u: f16, %unused: f16):
        %s = spyreop.silu %g : f16
        %p = arith.mulf %s, %u : f16
        linalg.yield %p : f16
    } -> tensor<1x96xf16>
    ktdp.store %out, %out_tile : tensor<1x96xf16>, <1x96xindex>
  }
  return
}
