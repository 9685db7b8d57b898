// Boxes of memory that are resolved already, and a function without a body.
//
// RUN: spyrec opt %s --resolve-views > %t && spyrec opt %s | cmp - %t

func.func private @elsewhere(index)

func.func @resolved(%x: index, %z: index) attributes {dataflow.signature = [], grid = [2]} {
  %t = dataflow.tile_id
  %o = affine.apply affine_map<(d0) -> (d0 * 64)>(%t)
  %a = dataflow.read @device[%o from %x] strides [1] clip [0] to [60] : tensor<64xf16>
  dataflow.write %a, @device[%o from %z] strides [1] : tensor<64xf16>
  return
}
