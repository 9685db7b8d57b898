// An update in place by a helper function: h += 0.5 * x, twice, in a loop that holds an if.

#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#row = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 63 >= 0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>

module {
  func.func private @half(%v: tensor<1x64xf32>) -> tensor<1x64xf32> {
    %h = arith.constant dense<0.5> : tensor<1x64xf32>
    %r = arith.mulf %v, %h : tensor<1x64xf32>
    return %r : tensor<1x64xf32>
  }
  func.func @residual_in_place(%h_ptr: index, %x_ptr: index) attributes {grid = [8]} {
    %core = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %h = ktdp.construct_memory_view %h_ptr, sizes: [8, 64], strides: [64, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<8x64xf32>
    %x = ktdp.construct_memory_view %x_ptr, sizes: [8, 64], strides: [64, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<8x64xf32>
    %ht = ktdp.construct_access_tile %h[%core, %c0] {access_tile_order = #id2, access_tile_set = #row} : memref<8x64xf32> -> !ktdp.access_tile<1x64xindex>
    %xt = ktdp.construct_access_tile %x[%core, %c0] {access_tile_order = #id2, access_tile_set = #row} : memref<8x64xf32> -> !ktdp.access_tile<1x64xindex>
    %xv = ktdp.load %xt : <1x64xindex> -> tensor<1x64xf32>
    scf.for %i = %c0 to %c3 step %c1 {
      %middle = arith.cmpi eq, %i, %c1 : index
      scf.if %middle { // { nothing happens in the second iteration
      } else {
        %old = ktdp.load %ht : <1x64xindex> -> tensor<1x64xf32>
        %part = func.call @half(%xv) : (tensor<1x64xf32>) -> tensor<1x64xf32>
        %new = arith.addf %old, %part : tensor<1x64xf32>
        ktdp.store %new, %ht : tensor<1x64xf32>, <1x64xindex>
      }
    }
    return
  }
}
