// Reads that are not shared although loading takes long: what is wrong with each stands in its name.
//
// RUN: spyrec opt %s > %t.as-is
// RUN: spyrec opt %s --share-reads=percent=1000000 | cmp - %t.as-is
// RUN: spyrec opt %S/basic.mlir > %t.basic
// RUN: spyrec opt %S/basic.mlir --device=%S/../../Devices/Inputs/small.mlir --share-reads=percent=1000000 | cmp - %t.basic

#w = affine_map<(t) -> (t * 4096)>

func.func @each_its_own(%w: index, %y: index) attributes {grid = [4]} {
  %t = dataflow.tile_id
  %at = affine.apply #w(%t)
  %b = dataflow.alloc {name = "w"} : memref<64x64xf16, "lx">
  dataflow.data_transfer from @device[%at from %w] strides [64, 1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<64x64xf16, "lx">
  dataflow.data_transfer from %b to @device[%at from %y] strides [64, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64x64xf16, "lx">
  return
}

func.func @groups_of_two_and_one(%w: index, %y: index) attributes {grid = [3]} {
  %t = dataflow.tile_id
  %at = affine.apply #w(%t)
  %from = affine.apply affine_map<(t) -> ((t mod 2) * 4096)>(%t)
  %b = dataflow.alloc {name = "w"} : memref<64x64xf16, "lx">
  dataflow.data_transfer from @device[%from from %w] strides [64, 1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<64x64xf16, "lx">
  dataflow.data_transfer from %b to @device[%at from %y] strides [64, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64x64xf16, "lx">
  return
}

func.func @clip_of_each_tile(%w: index, %y: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %t = dataflow.tile_id
  %at = affine.apply #w(%t)
  %b = dataflow.alloc {name = "w"} : memref<64x64xf16, "lx">
  dataflow.data_transfer from @device[%c0 from %w] strides [64, 1] to %b clip [0, 0] to [%t, 64] fill 0 {route = ["ddr", "load", "lx"], unit = @load} : memref<64x64xf16, "lx">
  dataflow.data_transfer from %b to @device[%at from %y] strides [64, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64x64xf16, "lx">
  return
}

// Points that are not moved keep what each tile has.
func.func @clip_without_fill(%w: index, %x: index, %y: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %t = dataflow.tile_id
  %at = affine.apply #w(%t)
  %b = dataflow.alloc {name = "w"} : memref<64x64xf16, "lx">
  dataflow.data_transfer from @device[%c0 from %w] strides [64, 1] to %b clip [0, 0] to [8, 64] {route = ["ddr", "load", "lx"], unit = @load} : memref<64x64xf16, "lx">
  dataflow.data_transfer from @device[%at from %x] strides [64, 1] to %b clip [8, 0] to [64, 64] {route = ["ddr", "load", "lx"], unit = @load} : memref<64x64xf16, "lx">
  dataflow.data_transfer from %b to @device[%at from %y] strides [64, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64x64xf16, "lx">
  return
}

func.func @filled_over_something(%w: index, %x: index, %y: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %t = dataflow.tile_id
  %at = affine.apply #w(%t)
  %b = dataflow.alloc {name = "w"} : memref<64x64xf16, "lx">
  dataflow.data_transfer from @device[%at from %x] strides [64, 1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<64x64xf16, "lx">
  dataflow.data_transfer from @device[%c0 from %w] strides [64, 1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<64x64xf16, "lx">
  dataflow.data_transfer from %b to @device[%at from %y] strides [64, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64x64xf16, "lx">
  return
}

func.func @buffer_of_another_block(%w: index, %y: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %t = dataflow.tile_id
  %at = affine.apply #w(%t)
  %b = dataflow.alloc {name = "w"} : memref<64x64xf16, "lx">
  scf.for %i = %c0 to %c4 step %c1 {
    dataflow.data_transfer from @device[%i from %w] strides [64, 1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<64x64xf16, "lx">
    dataflow.data_transfer from %b to @device[%at from %y] strides [64, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64x64xf16, "lx">
  }
  return
}

func.func @in_a_branch(%w: index, %y: index, %c: i1) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %t = dataflow.tile_id
  %at = affine.apply #w(%t)
  scf.if %c {
    %b = dataflow.alloc {name = "w"} : memref<64x64xf16, "lx">
    dataflow.data_transfer from @device[%c0 from %w] strides [64, 1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<64x64xf16, "lx">
    dataflow.data_transfer from %b to @device[%at from %y] strides [64, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64x64xf16, "lx">
  }
  return
}

// One waits for room as often as it goes round, and slots follow one another: both loops have to run as long each time.
func.func @as_often_as_the_tile_says(%w: index, %y: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = dataflow.tile_id
  %at = affine.apply #w(%t)
  scf.for %i = %c0 to %t step %c1 {
    %b = dataflow.alloc {name = "w"} : memref<64x64xf16, "lx">
    dataflow.data_transfer from @device[%i from %w] strides [64, 1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<64x64xf16, "lx">
    dataflow.data_transfer from %b to @device[%at from %y] strides [64, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64x64xf16, "lx">
  }
  return
}

func.func @as_often_as_the_loop_around_says(%w: index, %y: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %t = dataflow.tile_id
  %at = affine.apply #w(%t)
  scf.for %j = %c0 to %c4 step %c1 {
    scf.for %i = %c0 to %j step %c1 {
      %b = dataflow.alloc {name = "w"} : memref<64x64xf16, "lx">
      dataflow.data_transfer from @device[%i from %w] strides [64, 1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<64x64xf16, "lx">
      dataflow.data_transfer from %b to @device[%at from %y] strides [64, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64x64xf16, "lx">
    }
  }
  return
}

func.func @address_out_of_memory(%w: index, %i: index, %y: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %t = dataflow.tile_id
  %at = affine.apply #w(%t)
  %n = dataflow.alloc {name = "i"} : memref<1xi32, "lx">
  dataflow.data_transfer from @device[%t from %i] strides [1] to %n {route = ["ddr", "load", "lx"], unit = @load} : memref<1xi32, "lx">
  %k = memref.load %n[%c0] : memref<1xi32, "lx">
  %from = arith.index_cast %k : i32 to index
  %b = dataflow.alloc {name = "w"} : memref<64x64xf16, "lx">
  dataflow.data_transfer from @device[%from from %w] strides [64, 1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<64x64xf16, "lx">
  dataflow.data_transfer from %b to @device[%at from %y] strides [64, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64x64xf16, "lx">
  return
}

// The list is the tile's own.
func.func @rows_of_a_list(%w: index, %i: index, %y: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %t = dataflow.tile_id
  %at = affine.apply #w(%t)
  %first = affine.apply affine_map<(t) -> (t * 64)>(%t)
  %n = dataflow.alloc {name = "i"} : memref<64xi32, "lx">
  dataflow.data_transfer from @device[%first from %i] strides [1] to %n {route = ["ddr", "load", "lx"], unit = @load} : memref<64xi32, "lx">
  %b = dataflow.alloc {name = "w"} : memref<64x64xf16, "lx">
  dataflow.data_transfer from @device[%c0 from %w] strides [0, 1] to %b index(%n : memref<64xi32, "lx">) below [64] {index_maps = [affine_map<(a, b) -> (a)>], index_scales = array<i64: 64>, index_sides = ["source"], route = ["ddr", "load", "lx"], unit = @load} : memref<64x64xf16, "lx">
  dataflow.data_transfer from %b to @device[%at from %y] strides [64, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64x64xf16, "lx">
  return
}

func.func @written_by_others(%w: index, %y: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %t = dataflow.tile_id
  %at = affine.apply #w(%t)
  %b = dataflow.alloc {name = "w"} : memref<64x64xf16, "lx">
  dataflow.data_transfer from @device[%c0 from %w] strides [64, 1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<64x64xf16, "lx">
  dataflow.data_transfer from %b to @device[%at from %w] strides [64, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64x64xf16, "lx">
  return
}

func.func @perhaps_written_by_others(%w: index {spyrec.may_alias}, %y: index {spyrec.may_alias}) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %t = dataflow.tile_id
  %at = affine.apply #w(%t)
  %b = dataflow.alloc {name = "w"} : memref<64x64xf16, "lx">
  dataflow.data_transfer from @device[%c0 from %w] strides [64, 1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<64x64xf16, "lx">
  dataflow.data_transfer from %b to @device[%at from %y] strides [64, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64x64xf16, "lx">
  return
}

func.func @beside_an_exchange(%w: index, %y: index) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = dataflow.tile_id
  dataflow.channel @turn from @ring to @ring {init = 0 : i64, peers}
  %other = arith.subi %c1, %t : index
  %at = affine.apply #w(%t)
  %b = dataflow.alloc {name = "w"} : memref<64x64xf16, "lx">
  dataflow.data_transfer from @device[%c0 from %w] strides [64, 1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<64x64xf16, "lx">
  dataflow.post @turn to %other {unit = @ring}
  dataflow.wait @turn from %other {unit = @ring}
  dataflow.data_transfer from %b to @device[%at from %y] strides [64, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64x64xf16, "lx">
  return
}

// The bytes of one buffer are those of the other, and other cores do not know when.
func.func @no_room_in_lx(%w: index, %x: index, %y: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %t = dataflow.tile_id
  %at = affine.apply affine_map<(t) -> (t * 524800)>(%t)
  %a = dataflow.alloc {name = "x"} : memref<512x1025xf16, "lx">
  dataflow.data_transfer from @device[%at from %x] strides [1025, 1] to %a {route = ["ddr", "load", "lx"], unit = @load} : memref<512x1025xf16, "lx">
  dataflow.data_transfer from %a to @device[%at from %y] strides [1025, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<512x1025xf16, "lx">
  %b = dataflow.alloc {name = "w"} : memref<512x1025xf16, "lx">
  dataflow.data_transfer from @device[%c0 from %w] strides [1025, 1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<512x1025xf16, "lx">
  dataflow.data_transfer from %b to @device[%at from %y] strides [1025, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<512x1025xf16, "lx">
  return
}

func.func @one_tile(%w: index, %y: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %b = dataflow.alloc {name = "w"} : memref<64x64xf16, "lx">
  dataflow.data_transfer from @device[%c0 from %w] strides [64, 1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<64x64xf16, "lx">
  dataflow.data_transfer from %b to @device[%c0 from %y] strides [64, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<64x64xf16, "lx">
  return
}
