// Rows of a softmax-like kernel, eight at a time: what differs from row to row has a dimension in front, the scale is the
// same for all. 19 rows are two groups and one of three; with %n rows, single ones are left. A row is present where its
// clip says so: that is a clip of the group.
//
// RUN: spyrec opt %s --group-iterations=size=8 --canonicalize | filecheck %s
// RUN: spyrec opt %s --group-iterations=size=8 --group-iterations=size=8 --canonicalize | filecheck %s

// CHECK-LABEL: func.func @rows
// CHECK: %[[G:.*]] = dataflow.read @device[%c0 from %g] strides [1] : tensor<64xf16>
// CHECK: scf.for %[[I:.*]] = %c0 to %c2
// CHECK: dataflow.read @device[%{{.*}} from %x] strides [80, 64, 1] : tensor<8x1x64xf16>
// CHECK: linalg.generic {{.*}} ["parallel", "parallel"]} outs({{.*}} : tensor<8x1xf16>)
// CHECK: linalg.generic {{.*}} ["parallel", "parallel", "reduction"]} ins({{.*}} : tensor<8x1x64xf16>)
// CHECK: linalg.generic {{.*}} ins({{.*}} : tensor<8x1x64xf16>, tensor<8x1xf16>, tensor<64xf16>)
// CHECK: linalg.index 0
// CHECK: linalg.index 2
// CHECK: dataflow.write {{.*}} strides [64, 64, 1] : tensor<8x1x64xf16>
// CHECK: } {dataflow.grouped = 8 : i64}
// CHECK: dataflow.read @device[%{{.*}} from %x] strides [80, 64, 1] : tensor<3x1x64xf16>
// CHECK: dataflow.write {{.*}} @device[%{{.*}} from %z] strides [64, 64, 1] : tensor<3x1x64xf16>
// CHECK-NOT: scf.for
func.func @rows(%x: index, %g: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c19 = arith.constant 19 : index
  %cst = arith.constant 0.0 : f16
  %b = dataflow.read @device[%c0 from %g] strides [1] : tensor<64xf16>
  scf.for %i = %c0 to %c19 step %c1 {
    %o = affine.apply affine_map<(d0) -> (d0 * 80)>(%i)
    %p = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %a = dataflow.read @device[%o from %x] strides [64, 1] : tensor<1x64xf16>
    %e = tensor.empty() : tensor<1xf16>
    %f = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%e : tensor<1xf16>) {
    ^bb0(%old: f16):
      linalg.yield %cst : f16
    } -> tensor<1xf16>
    %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
        iterator_types = ["parallel", "reduction"]} ins(%a : tensor<1x64xf16>) outs(%f : tensor<1xf16>) {
    ^bb0(%in: f16, %old: f16):
      %r = arith.maximumf %old, %in : f16
      linalg.yield %r : f16
    } -> tensor<1xf16>
    %t = tensor.empty() : tensor<1x64xf16>
    %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>,
        affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%a, %m, %b : tensor<1x64xf16>, tensor<1xf16>, tensor<64xf16>) outs(%t : tensor<1x64xf16>) {
    ^bb0(%in: f16, %most: f16, %scale: f16, %old: f16):
      %column = linalg.index 1 : index
      %masked = arith.cmpi sle, %column, %i : index
      %d = arith.subf %in, %most : f16
      %q = arith.mulf %d, %scale : f16
      %r = arith.select %masked, %q, %most : f16
      linalg.yield %r : f16
    } -> tensor<1x64xf16>
    dataflow.write %s, @device[%p from %z] strides [64, 1] : tensor<1x64xf16>
  }
  return
}

// CHECK-LABEL: func.func @some
// CHECK: %[[T:.*]] = arith.maxsi %n
// CHECK: %[[COUNT:.*]] = affine.apply #{{.*}}()[%[[T]]]
// CHECK: %[[REST:.*]] = affine.apply #{{.*}}()[%[[T]]]
// CHECK: scf.for %[[I:.*]] = %c0 to %[[COUNT]]
// CHECK: tensor<8x64xf16>
// CHECK: } {dataflow.grouped = 8 : i64}
// CHECK: scf.for %[[J:.*]] = %c0 to %[[REST]]
// CHECK: tensor<64xf16>
// CHECK: } {dataflow.grouped = 1 : i64}
func.func @some(%x: index, %z: index, %n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %o = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %a = dataflow.read @device[%o from %x] strides [1] : tensor<64xf16>
    dataflow.write %a, @device[%o from %z] strides [1] : tensor<64xf16>
  }
  return
}

// All of them at once, and those that are there.
// CHECK-LABEL: func.func @present
// CHECK-NOT: scf.for
// CHECK: %[[A:.*]] = dataflow.read @device[%{{.*}} from %x] strides [64, 64, 1] clip [0, 0, 0] to [%m, 1, 64] : tensor<8x1x64xf16>
// CHECK: dataflow.write %[[A]], @device[%{{.*}} from %z] strides [64, 64, 1] clip [%{{.*}}, 0, 0] to [8, 1, 60]
func.func @present(%x: index, %z: index, %m: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %o = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %left = affine.apply affine_map<(d0)[s0] -> (s0 - d0)>(%i)[%m]
    %late = affine.apply affine_map<(d0)[s0] -> (s0 - d0 * 2)>(%i)[%m]
    %a = dataflow.read @device[%o from %x] strides [64, 1] clip [0, 0] to [%left, 64] : tensor<1x64xf16>
    dataflow.write %a, @device[%o from %z] strides [64, 1] clip [%late, 0] to [1, 60] : tensor<1x64xf16>
  }
  return
}

// The update of row i + 3 needs row i as it was three iterations before: no more than three at once.
// CHECK-LABEL: func.func @distance
// CHECK: tensor<3x64xf16>
// CHECK: dataflow.grouped = 3
func.func @distance(%x: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c18 = arith.constant 18 : index
  scf.for %i = %c0 to %c18 step %c1 {
    %o = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %p = affine.apply affine_map<(d0) -> (d0 * 64 + 192)>(%i)
    %a = dataflow.read @device[%o from %x] strides [1] : tensor<64xf16>
    dataflow.write %a, @device[%p from %x] strides [1] : tensor<64xf16>
  }
  return
}

// A loop inside that carries a row carries eight.
// CHECK-LABEL: func.func @blocks
// CHECK: dataflow.read {{.*}} strides [256, 1] : tensor<8x64xf16>
// CHECK-NEXT: scf.for {{.*}} iter_args({{.*}}) -> (tensor<8x64xf16>)
// CHECK: dataflow.read {{.*}} strides [256, 1] : tensor<8x64xf16>
// CHECK: scf.yield {{.*}} : tensor<8x64xf16>
// CHECK: dataflow.write {{.*}} @device[%{{.*}} from %z] strides [64, 1] : tensor<8x64xf16>
func.func @blocks(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %p = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %first = affine.apply affine_map<(d0) -> (d0 * 256)>(%i)
    %a = dataflow.read @device[%first from %x] strides [1] : tensor<64xf16>
    %s = scf.for %j = %c1 to %c4 step %c1 iter_args(%old = %a) -> (tensor<64xf16>) {
      %o = affine.apply affine_map<(d0, d1) -> (d0 * 256 + d1 * 64)>(%i, %j)
      %b = dataflow.read @device[%o from %x] strides [1] : tensor<64xf16>
      %e = tensor.empty() : tensor<64xf16>
      %n = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
          iterator_types = ["parallel"]} ins(%old, %b : tensor<64xf16>, tensor<64xf16>) outs(%e : tensor<64xf16>) {
      ^bb0(%u: f16, %v: f16, %w: f16):
        %r = arith.addf %u, %v : f16
        linalg.yield %r : f16
      } -> tensor<64xf16>
      scf.yield %n : tensor<64xf16>
    }
    dataflow.write %s, @device[%p from %z] strides [1] : tensor<64xf16>
  }
  return
}
