// Loops that are no series of independent iterations in even steps, each for another reason.
//
// RUN: spyrec opt %s --group-iterations=size=4 > %t && spyrec opt %s > %t.same && diff %t %t.same

// It carries something.
func.func @carries(%x: index, %z: index, %l: index, %n: index, %c: i1) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %c0) -> (index) {
    %o = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %a = dataflow.read @device[%o from %x] strides [1] : tensor<64xf16>
    dataflow.write %a, @device[%o from %z] strides [1] : tensor<64xf16>
    scf.yield %o : index
  }
  return
}

// It does not count from 0 in steps of 1: normalize-loops comes before.
func.func @counts(%x: index, %z: index, %l: index, %n: index, %c: i1) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c1 to %c8 step %c1 {
    %o = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %a = dataflow.read @device[%o from %x] strides [1] : tensor<64xf16>
    dataflow.write %a, @device[%o from %z] strides [1] : tensor<64xf16>
  }
  return
}

// One iteration, or none.
func.func @once(%x: index, %z: index, %l: index, %n: index, %c: i1) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c1 step %c1 {
    %o = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %a = dataflow.read @device[%o from %x] strides [1] : tensor<64xf16>
    dataflow.write %a, @device[%o from %z] strides [1] : tensor<64xf16>
  }
  return
}

// An iteration may do something else.
func.func @condition(%x: index, %z: index, %l: index, %n: index, %c: i1) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %o = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %a = dataflow.read @device[%o from %x] strides [1] : tensor<64xf16>
    scf.if %c {
      dataflow.write %a, @device[%o from %z] strides [1] : tensor<64xf16>
    }
  }
  return
}

// Iterations are on other cores' minds.
func.func @exchange(%x: index, %z: index, %l: index, %n: index, %c: i1) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %o = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %a = dataflow.read @device[%o from %x] strides [1] : tensor<64xf16>
    %u = dataflow.offer %a to [[], [0]] : tensor<64xf16>
    dataflow.write %a, @device[%o from %z] strides [1] : tensor<64xf16>
  }
  return
}

// Places that are in no even step.
func.func @steps(%x: index, %z: index, %l: index, %n: index, %c: i1) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %o = affine.apply affine_map<(d0) -> ((d0 mod 3) * 64)>(%i)
    %a = dataflow.read @device[%o from %x] strides [1] : tensor<64xf16>
    dataflow.write %a, @device[%i from %z] strides [1] : tensor<64xf16>
  }
  return
}

// A step that only the run knows.
func.func @product(%x: index, %z: index, %l: index, %n: index, %c: i1) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %o = arith.muli %i, %n : index
    %a = dataflow.read @device[%o from %x] strides [1] : tensor<64xf16>
    %p = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    dataflow.write %a, @device[%p from %z] strides [1] : tensor<64xf16>
  }
  return
}

// Places out of memory.
func.func @loaded(%x: index, %z: index, %l: index, %n: index, %c: i1) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %t = dataflow.read @device[%i from %l] strides [1] : tensor<1xi32>
    %k = tensor.extract %t[%c0] : tensor<1xi32>
    %o = arith.index_cast %k : i32 to index
    %a = dataflow.read @device[%o from %x] strides [1] : tensor<64xf16>
    %p = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    dataflow.write %a, @device[%p from %z] strides [1] : tensor<64xf16>
  }
  return
}

// A triangle.
func.func @triangle(%x: index, %z: index, %l: index, %n: index, %c: i1) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %o = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %a = dataflow.read @device[%o from %x] strides [1] set affine_set<(c)[s] : (s - c >= 0)> symbols(%i) : tensor<64xf16>
    dataflow.write %a, @device[%o from %z] strides [1] : tensor<64xf16>
  }
  return
}

// A clip in the row that moves.
func.func @clipped(%x: index, %z: index, %l: index, %n: index, %c: i1) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %o = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %a = dataflow.read @device[%o from %x] strides [1] clip [0] to [%i] : tensor<64xf16>
    dataflow.write %a, @device[%o from %z] strides [1] : tensor<64xf16>
  }
  return
}

// Rows that meet: each is read before the one before it is written, or the other way round; a row that all write.
func.func @up(%x: index, %z: index, %l: index, %n: index, %c: i1) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %o = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %a = dataflow.read @device[%o from %x] strides [1] : tensor<64xf16>
    %p = affine.apply affine_map<(d0) -> (d0 * 64 + 63)>(%i)
    dataflow.write %a, @device[%p from %x] strides [1] : tensor<64xf16>
  }
  return
}

func.func @down(%x: index, %z: index, %l: index, %n: index, %c: i1) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %o = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %p = affine.apply affine_map<(d0) -> (d0 * 64 + 64)>(%i)
    %b = dataflow.read @device[%o from %l] strides [1] : tensor<64xf16>
    dataflow.write %b, @device[%o from %x] strides [1] : tensor<64xf16>
    %a = dataflow.read @device[%p from %x] strides [1] : tensor<64xf16>
    dataflow.write %a, @device[%o from %z] strides [1] : tensor<64xf16>
  }
  return
}

func.func @one(%x: index, %z: index, %l: index, %n: index, %c: i1) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %o = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %a = dataflow.read @device[%o from %x] strides [1] : tensor<64xf16>
    dataflow.write %a, @device[%c0 from %z] strides [1] : tensor<64xf16>
  }
  return
}

// Bytes that may be the same.
func.func @aliased(%x: index {spyrec.may_alias}, %z: index) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %o = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %a = dataflow.read @device[%o from %x] strides [1] : tensor<64xf16>
    dataflow.write %a, @device[%o from %z] strides [1] : tensor<64xf16>
  }
  return
}

// A literal address may be that of an argument.
func.func @at_a_literal(%x: index) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %o = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %a = dataflow.read @device[%o from %x] strides [1] : tensor<64xf16>
    dataflow.write %a, @device[%o] strides [1] : tensor<64xf16>
  }
  return
}

// Rows that a list scatters.
func.func @scattered(%x: index, %z: index, %l: index, %n: index, %c: i1) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %t = dataflow.read @device[%i from %l] strides [1] : tensor<1xi32>
    %o = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %a = dataflow.read @device[%o from %x] strides [64, 1] : tensor<1x64xf16>
    dataflow.write %a, @device[%c0 from %z] strides [0, 1] index (%t : tensor<1xi32>) below [8]
      {index_maps = [affine_map<(r, c) -> (r)>], index_scales = array<i64: 64>} : tensor<1x64xf16>
  }
  return
}

// Rows that are further apart than one access spans.
func.func @far(%x: index, %z: index, %l: index, %n: index, %c: i1) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %o = affine.apply affine_map<(d0) -> (d0 * 134217728)>(%i)
    %a = dataflow.read @device[%o from %x] strides [1] : tensor<64xf16>
    dataflow.write %a, @device[%o from %z] strides [1] : tensor<64xf16>
  }
  return
}

// A loop inside that writes.
func.func @inner(%x: index, %z: index, %l: index, %n: index, %c: i1) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %o = affine.apply affine_map<(d0, d1) -> ((d1 floordiv 2) * 64)>(%i, %j)
      %a = dataflow.read @device[%o from %x] strides [1] : tensor<64xf16>
      dataflow.write %a, @device[%o from %z] strides [1] : tensor<64xf16>
    }
  }
  return
}

// What is marked to be cut already.
func.func @marked(%x: index, %z: index, %l: index, %n: index, %c: i1) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %o = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %a = dataflow.read @device[%o from %x] strides [1] {dataflow.tiles = [array<i64: 0, 8>]} : tensor<64xf16>
    dataflow.write %a, @device[%o from %z] strides [1] : tensor<64xf16>
  }
  return
}
