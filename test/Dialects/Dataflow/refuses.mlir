// RUN: spyrec opt --verify-diagnostics --split-input-file %s

func.func @strides(%x: index) {
  %t = dataflow.tile_id
  // expected-error @+1 {{strides has 1 entries, but tensor<1x64xf16> has 2 dimensions}}
  %a = dataflow.read @device[%t from %x] strides [1] : tensor<1x64xf16>
  return
}

// -----

func.func @memories(%x: index) {
  // expected-error @+1 {{attribute space must be a memory, @device or @lx, but is @hbm}}
  %a = dataflow.read @hbm[%x] strides [64, 1] : tensor<1x64xf16>
  return
}

// -----

func.func @buffers() {
  // expected-error @+1 {{must be a memref in memory space "lx" or that of a stage, but is memref<1x64xf16>}}
  %a = dataflow.alloc : memref<1x64xf16>
  // expected-error @+1 {{must be a memref in memory space "lx" or that of a stage, but is memref<1x64xf16, "device">}}
  %far = dataflow.alloc : memref<1x64xf16, "device">
  // expected-error @+1 {{attribute depth must be an i64 integer of at least 1, but is 0}}
  %b = dataflow.alloc {depth = 0} : memref<1x64xf16, "lx">
  // expected-error @+2 {{dataflow.alloc has no attribute adress}}
  // expected-note @+1 {{did you mean address?}}
  %c = dataflow.alloc {adress = 0} : memref<1x64xf16, "lx">
  return
}

// -----

func.func @transfers(%x: index) {
  %a = dataflow.alloc : memref<1x64xf16, "lx">
  %b = dataflow.alloc : memref<64xf16, "lx">
  // expected-error @+2 {{cannot copy memref<1x64xf16, "lx"> to memref<64xf16, "lx">}}
  dataflow.data_transfer from %a to %b {unit = @load, route = ["ddr", "lx"]}
    : memref<1x64xf16, "lx">, memref<64xf16, "lx">
  // expected-error @+1 {{one side must be a buffer}}
  dataflow.data_transfer from @device[%x] strides [1] to @lx[%x] strides [1] {unit = @load, route = ["ddr", "lx"]} :
  return
}

// -----

func.func @streams(%x: index) {
  // expected-error @+1 {{counts has 5 entries; 1 to 4 are possible}}
  dataflow.stream counts [1, 1, 1, 1, 1] ins() outs(@z[%x] strides [2, 2, 2, 2, 2] : f16) {
  ^bb0(%o: f16):
    dataflow.yield %o : f16
  }
  // expected-error @+1 {{strides of output 0 have 2 entries for 1 counts}}
  dataflow.stream counts [64] ins() outs(@z[%x] strides [64, 2] : f16) {
  ^bb0(%o: f16):
    dataflow.yield %o : f16
  }
  // expected-error @+1 {{the body yields (f32); its outputs are (f16)}}
  dataflow.stream counts [64] ins(@y[%x] strides [2] : f32) outs(@z[%x] strides [2] : f16) {
  ^bb0(%i: f32, %o: f16):
    dataflow.yield %i : f32
  }
  return
}

// -----

func.func @channels() {
  // expected-error @+1 {{attribute init must be an i64 integer of at least 0, but is -1}}
  dataflow.channel @c from @load to @sfu {init = -1}
  // expected-error @+1 {{dataflow.channel needs the attribute init}}
  dataflow.channel @d from @load to @sfu // expected-note {{initial credits}}
  return
}

// -----

func.func @points(%x: index, %l: tensor<4xi32>, %f: tensor<4xf16>) {
  %t = dataflow.tile_id
  // expected-error @+1 {{lower has 1 bounds for 2 counts}}
  %a = dataflow.read @device[%t from %x] strides [64, 1] clip [0] to [1, 4] : tensor<1x64xf16>
  // expected-error @+1 {{set has 1 dimensions; 2 are needed}}
  %b = dataflow.read @device[%t from %x] strides [64, 1] set affine_set<(r) : (r >= 0)> : tensor<1x64xf16>
  // expected-error @+1 {{set has 1 symbols, but there are 0 symbols}}
  %c = dataflow.read @device[%t from %x] strides [64, 1] set affine_set<(r, c)[n] : (r >= n)> : tensor<1x64xf16>
  // expected-error @+1 {{symbols belong to a set, and there is none}}
  %d = dataflow.read @device[%t from %x] strides [64, 1] symbols(%t) : tensor<1x64xf16>
  // expected-error @+1 {{only the LX of another core can be reached}}
  %e = dataflow.read @device[%t from %x] strides [64, 1] get %t : tensor<1x64xf16>
  // expected-error @+1 {{a fill is for points outside of a clip, and there is none}}
  %g = dataflow.read @device[%t from %x] strides [64, 1] fill 0 : tensor<1x64xf16>
  // expected-error @+1 {{points that are not read have the elements of init}}
  %h = dataflow.read @device[%t from %x] strides [64, 1] clip [0, 0] to [1, 1] fill 0 into %a : tensor<1x64xf16>
  // expected-error @+1 {{index_maps has 0 entries for 1 lists of indices}}
  %i = dataflow.read @device[%t from %x] strides [64, 1] index (%l : tensor<4xi32>) below [4] : tensor<1x64xf16>
  // expected-error @+2 {{map 0 takes 2 dimensions to 2; the box has 2, the list 1}}
  %j = dataflow.read @device[%t from %x] strides [64, 1] index (%l : tensor<4xi32>) below [4]
    {index_maps = [affine_map<(r, c) -> (r, c)>], index_scales = array<i64: 4>} : tensor<1x64xf16>
  // expected-error @+1 {{indices are integers, but list 0 is tensor<4xf16>}}
  dataflow.write %a, @device[%t from %x] strides [64, 1] index (%f : tensor<4xf16>) below [4]
    {index_maps = [affine_map<(r, c) -> (r)>], index_scales = array<i64: 4>} : tensor<1x64xf16>
  return
}

// -----

// A stage holds buffers for transfers of the own core, and nothing else.
func.func @stages(%x: index, %i: index) {
  dataflow.buffer @there {address = 0, slot_bytes = 128, depth = 1, space = "l1"}
  // expected-error @+1 {{a launch puts contents into LX only}}
  dataflow.buffer @given {address = 0, slot_bytes = 128, depth = 1, space = "l1", launched}
  // expected-error @+1 {{buffers lie in LX or in a stage}}
  dataflow.buffer @far {address = 0, slot_bytes = 128, depth = 1, space = "device"}
  dataflow.transfer @device[%x] strides [2] to @l1[%i in @there] strides [2] counts [64] {element_bytes = 2}
  // expected-error @+1 {{the place in l1 is in no buffer, and nothing else is in a stage}}
  dataflow.transfer @l1[%x] strides [2] to @lx[%i] strides [2] counts [64] {element_bytes = 2}
  // expected-error @+1 {{the place in l1 is in no buffer, and nothing else is in a stage}}
  dataflow.transfer @lx[%x] strides [2] to @l1[%i] strides [2] counts [64] {element_bytes = 2}
  // expected-error @+1 {{only the LX of another core can be reached}}
  dataflow.transfer @l1[%x in @there] strides [2] to @lx[%i] strides [2] counts [64] get %i {element_bytes = 2}
  // expected-error @+1 {{a transfer between cores goes from LX to LX}}
  dataflow.transfer @l1[%x in @there] strides [2] to @lx[%i] strides [2] counts [64] put %i {element_bytes = 2}
  %a = dataflow.alloc : memref<64xf16, "l1">
  %b = dataflow.alloc : memref<64xf16, "lx">
  dataflow.data_transfer from @device[%i from %x] strides [1] to %a {unit = @load, route = ["ddr", "load", "l1"]}
    : memref<64xf16, "l1">
  dataflow.data_transfer from %a to %b {unit = @fill, route = ["l1", "fill", "lx"]} : memref<64xf16, "l1">, memref<64xf16, "lx">
  // expected-error @+1 {{only the LX of another core can be reached}}
  dataflow.data_transfer from %a to %b get %i {unit = @fill, route = ["l1", "fill", "lx"]}
    : memref<64xf16, "l1">, memref<64xf16, "lx">
  // expected-error @+1 {{a transfer between cores goes from LX to LX}}
  dataflow.data_transfer from %a to %b put %i {unit = @fill, route = ["l1", "fill", "lx"]}
    : memref<64xf16, "l1">, memref<64xf16, "lx">
  return
}
