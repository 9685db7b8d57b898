// A device as the public tools describe one: no entry of ours, kinds of its own, two corelets written out, units named by what they link.
#near = {ktdf_arch.transfer_granularity = array<i64: 64>}
#fifo = {ktdf_arch.features = {ktdf_arch.feature.queue = {depth = 16 : i64, ordered}}}
#wide = {ktdf_arch.transfer_granularity = array<i64: 64, 2>, ktdf_arch.bandwidth = 512 : i64}

ktdf_arch.device @public_style attributes {
  mem_space_mapping = #ktdf_arch.map<#ktdp.memory_space<global> = "DRAM", #ktdp.memory_space<ct_local> = "PAD">
} {
  %dram = memory @dram {kind = "DRAM", size = 1073741824 : i64}
  group {kind = "core"} share(%dram) {
    %pad = memory {kind = "PAD", size = 1048576 : i64}
    %in = exec_unit {kind = "IN", other_tool.hint, ktdf_arch.features = {ktdf_arch.feature.load = {}}}
    %out = exec_unit {kind = "OUT", ktdf_arch.features = {ktdf_arch.feature.store = {}}}
    datapath #near %dram to %in : memory, exec_unit
    datapath #near %in to %pad : exec_unit, memory
    datapath #near %pad to %out : memory, exec_unit
    datapath #near %out to %dram : exec_unit, memory
    group share(%pad) {
      %vec = group {kind = "VEC_BLOCK"} share() {
        %reg = memory {kind = "VEC_REG", size = 2048 : i64}
        %u = exec_unit {kind = "VEC", ktdf_arch.features = {ktdf_arch.feature.compute, ktdf_arch.feature.simd = {lanes = #ktdf_arch.map<f16 = 64>}}}
        yield %u
      } -> exec_unit
      %rd = exec_unit {kind = "RD"}
      %wr = exec_unit {kind = "WR"}
      %odd = exec_unit {kind = "ODD"}
      datapath #fifo %pad to %rd : memory, exec_unit
      datapath #wide %rd to %vec : exec_unit, exec_unit
      datapath #wide %vec to %wr : exec_unit, exec_unit
      datapath #fifo %wr to %pad : exec_unit, memory
    }
    group share(%pad) {
      %vec = group {kind = "VEC_BLOCK"} share() {
        %reg = memory {kind = "VEC_REG", size = 2048 : i64}
        %u = exec_unit {kind = "VEC", ktdf_arch.features = {ktdf_arch.feature.compute, ktdf_arch.feature.simd = {lanes = #ktdf_arch.map<f16 = 64>}}}
        yield %u
      } -> exec_unit
      %rd = exec_unit {kind = "RD"}
      %wr = exec_unit {kind = "WR"}
      datapath #fifo %pad to %rd : memory, exec_unit
      datapath #wide %rd to %vec : exec_unit, exec_unit
      datapath #wide %vec to %wr : exec_unit, exec_unit
      datapath #fifo %wr to %pad : exec_unit, memory
    }
  }
}
