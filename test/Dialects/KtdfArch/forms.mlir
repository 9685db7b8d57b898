// RUN: spyrec opt --verify-roundtrip --allow-unregistered-dialect %s | filecheck %s

#dma = {ktdf_arch.transfer_granularity = array<i64: 64>}
#line = [{size_in_words = 1, align_in_words = 1}]

// CHECK-LABEL: ktdf_arch.device @demo attributes {mem_space_mapping = #ktdf_arch.map<#ktdp.memory_space<global> = "DDR", #ktdp.memory_space<ct_local> = "L1">, version = 3 : i64} {
ktdf_arch.device @demo attributes {version = 3, mem_space_mapping =
    #ktdf_arch.map<#ktdp.memory_space<global> = "DDR", #ktdp.memory_space<ct_local> = "L1">} {
  // CHECK-NEXT: %ddr = memory @ddr {kind = "DDR", size = 1024 : i64}
  %ddr = ktdf_arch.memory @ddr {kind = "DDR", size = 1024}
  // Kinds may be what a memref takes as memory space; further entries are kept.
  // CHECK-NEXT: memory {anything, kind = #ktdp.memory_space<ct_local>, other.thing = [1, "x"]}
  %local = memory {kind = #ktdp.memory_space<ct_local>, anything, other.thing = [1, "x"]}
  // CHECK-NEXT: memory {kind = 1 : i64}
  %one = memory {kind = 1}
  // CHECK-NEXT: %core = group @core {kind = "core"} share(%ddr, %local) {
  %core = group @core {kind = "core"} share(%ddr, %local) {
    // CHECK-NEXT: %in = exec_unit @"a b" {kind = "IN", ktdf_arch.features = {ktdf_arch.feature.load = {access_granularity = #ktdf_arch.map<"DDR" = [{align_in_words = 1 : i64, size_in_words = 1 : i64}]>, word_size = #ktdf_arch.map<"DDR" = 64, "L1" = 64>}, ktdf_arch.feature.simd = {lanes = #ktdf_arch.map<f16 = 64, !spyreop.df16 = 64>, splat, zero_pad}}}
    %in = exec_unit @"a b" {kind = "IN", ktdf_arch.features = {
      ktdf_arch.feature.load = {word_size = #ktdf_arch.map<"DDR" = 64, "L1" = 64>,
                                access_granularity = #ktdf_arch.map<"DDR" = #line>},
      ktdf_arch.feature.simd = {splat, zero_pad, lanes = #ktdf_arch.map<f16 = 64, !spyreop.df16 = 64>}}}
    // CHECK-NEXT: %c = exec_unit{{$}}
    %c = exec_unit
    // An alias stands for a whole dictionary; both spellings of types are read, the short one is printed.
    // CHECK-NEXT: datapath @dma {ktdf_arch.transfer_granularity = array<i64: 64>} %ddr to %in : memory, exec_unit
    datapath @dma #dma %ddr to %in : !ktdf_arch.memory, !ktdf_arch.exec_unit
    // CHECK-NEXT: datapath {ktdf_arch.features = {ktdf_arch.feature.queue = {depth = 16 : i64, ordered, size = 4096 : i64}}, ktdf_arch.overlaps = ["q"]} %in to %c : exec_unit, exec_unit
    datapath {ktdf_arch.overlaps = ["q"], ktdf_arch.features = {ktdf_arch.feature.queue = {size = 4096, depth = 16, ordered}}}
      %in to %c : exec_unit, exec_unit
    // CHECK: group share() {
    group share() {
      %u = exec_unit
    }
    // CHECK: yield %in
    yield %in
  // CHECK-NEXT: } -> exec_unit
  } -> exec_unit
  // CHECK: %sw:2 = switch[2]{{$}}
  %sw:2 = switch [2]
  // CHECK-NEXT: switch[2] {connectivity = dense<{{.*}}> : tensor<2x2xi1>, kind = "bar"}
  %dense:2 = switch [2] {connectivity = dense<[[0, 1], [1, 0]]> : tensor<2x2xi1>, kind = "bar"}
  // CHECK-NEXT: switch[4] {connectivity = sparse<{{.*}}> : tensor<4x4xi1>}
  %sparse:4 = switch [4] {connectivity = sparse<[[0, 2], [1, 3]], true> : tensor<4x4xi1>}
  // CHECK-NEXT: datapath %core to %sw#0 : exec_unit, port
  datapath %core to %sw#0 : exec_unit, port
  // CHECK-NEXT: patterns {
  // CHECK: pdl.pattern : benefit(1) {
  // CHECK: operation "spyreop.exp"
  // CHECK: apply_native_constraint "ktdf_arch.mapped_to"(
  patterns {
    pdl.pattern : benefit(1) {
      %op = operation "spyreop.exp"
      apply_native_constraint "ktdf_arch.mapped_to" (%op : !pdl.operation) : !pdl.attribute
      rewrite %op {
        %where = attribute = "there"
        apply_native_rewrite "ktdf_arch.map_to" (%op, %where : !pdl.operation, !pdl.attribute)
      }
    }
  }
  // CHECK: patterns ["a", "b"] attributes {my.note} {
  patterns ["a", "b"] attributes {my.note} {}
}

// CHECK: ktdf_arch.device @elsewhere attributes {mem_space_mapping = {{.*}}} import("./demo.mlir")
ktdf_arch.device @elsewhere attributes {mem_space_mapping = #ktdf_arch.map<1 = 2>} import("./demo.mlir")

// Ops of other dialects say what they are mapped to, and what they need.
// CHECK-LABEL: func.func @mapped
// CHECK-SAME: attributes {ktdf_arch.maps_to = @demo}
func.func @mapped(%x: f32) attributes {ktdf_arch.maps_to = @demo} {
  // CHECK: arith.addf %x, %x {ktdf_arch.features = {ktdf_arch.feature.simd}, ktdf_arch.maps_to = "IN"} : f32
  %0 = arith.addf %x, %x {ktdf_arch.maps_to = "IN", ktdf_arch.features = {ktdf_arch.feature.simd}} : f32
  return
}
