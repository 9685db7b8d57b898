// A group whose mark is there already; one that cannot be cut, since it is one number; one in which nothing is at work.
//
// RUN: spyrec opt %s --choose-tile-sizes > %t && spyrec opt %s | cmp - %t
// RUN: spyrec opt %s --choose-tile-sizes=size=4 | cmp - %t

func.func private @elsewhere(index)

func.func @marked(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %a = dataflow.read @device[%c0 from %x] strides [1024, 1] : tensor<4096x1024xf32>
  dataflow.write %a, @device[%c0 from %z] strides [1024, 1] {dataflow.tiles = [array<i64: 0, 16>]} : tensor<4096x1024xf32>
  return
}

func.func @one_number(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %a = dataflow.read @device[%c0 from %x] strides [] : tensor<f32>
  dataflow.write %a, @device[%c0 from %z] strides [] : tensor<f32>
  return
}

func.func @nothing(%t: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> attributes {grid = [1]} {
  return %t : tensor<4096x4096xf32>
}
