// A frontend has said where 'a' and the load come from, and nothing of 'b'.
#point = affine_set<() : ()>
#id = affine_map<() -> ()>
func.func @copy(%a: index loc("k.py":7:3), %b: index) attributes {grid = [1]} {
  %v = ktdp.construct_memory_view %a, sizes: [], strides: [] {coordinate_set = #point, memory_space = #ktdp.memory_space<global>} : memref<f16>
  %w = ktdp.construct_memory_view %b, sizes: [], strides: [] {coordinate_set = #point, memory_space = #ktdp.memory_space<global>} : memref<f16>
  %s = ktdp.construct_access_tile %v[] {access_tile_set = #point, access_tile_order = #id} : memref<f16> -> !ktdp.access_tile<index>
  %t = ktdp.construct_access_tile %w[] {access_tile_set = #point, access_tile_order = #id} : memref<f16> -> !ktdp.access_tile<index>
  %x = ktdp.load %s : <index> -> tensor<f16> loc("k.py":9:5)
  ktdp.store %x, %t : tensor<f16>, <index>
  return
}
