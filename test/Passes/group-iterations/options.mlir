// The size is that of the device's numbers, or what is asked for, as far as iterations are independent and there are so many.
//
// RUN: spyrec opt %s --group-iterations | filecheck %s --check-prefix=CHOSEN
// RUN: spyrec opt %s --group-iterations=size=3 | filecheck %s --check-prefix=THREE
// RUN: spyrec opt %s --group-iterations=size=100 | filecheck %s --check-prefix=ALL
// RUN: not 2 spyrec opt %s --group-iterations=size=-1 2>&1 | filecheck %s --check-prefix=LESS
// RUN: spyrec opt %s --group-iterations=size=1 > %t && spyrec opt %s > %t.same && diff %t %t.same

// LESS: size must be at least 0, but is -1

// Rows of 64 gain by it, rows of 65536 do not.
// CHOSEN-LABEL: func.func @small
// CHOSEN: dataflow.grouped
// CHOSEN-LABEL: func.func @large
// CHOSEN-NOT: dataflow.grouped

// THREE-LABEL: func.func @small
// THREE: scf.for {{.*}} to %c10
// THREE: tensor<3x64xf32>
// THREE: dataflow.grouped = 3
// THREE: dataflow.read {{.*}} : tensor<2x64xf32>

// ALL-LABEL: func.func @small
// ALL-NOT: scf.for
// ALL: tensor<32x64xf32>
func.func @small(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  scf.for %i = %c0 to %c32 step %c1 {
    %o = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %a = dataflow.read @device[%o from %x] strides [1] : tensor<64xf32>
    %e = tensor.empty() : tensor<64xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
        iterator_types = ["parallel"]} ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) {
    ^bb0(%in: f32, %old: f32):
      %r = math.exp %in : f32
      linalg.yield %r : f32
    } -> tensor<64xf32>
    dataflow.write %s, @device[%o from %z] strides [1] : tensor<64xf32>
  }
  return
}

func.func @large(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  scf.for %i = %c0 to %c32 step %c1 {
    %o = affine.apply affine_map<(d0) -> (d0 * 65536)>(%i)
    %a = dataflow.read @device[%o from %x] strides [1] : tensor<65536xf32>
    %e = tensor.empty() : tensor<65536xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
        iterator_types = ["parallel"]} ins(%a : tensor<65536xf32>) outs(%e : tensor<65536xf32>) {
    ^bb0(%in: f32, %old: f32):
      %r = math.exp %in : f32
      linalg.yield %r : f32
    } -> tensor<65536xf32>
    dataflow.write %s, @device[%o from %z] strides [1] : tensor<65536xf32>
  }
  return
}
