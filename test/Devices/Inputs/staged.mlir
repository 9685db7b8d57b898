// Four cores whose LX is reached through a memory of each core only: in by two units, out by two. LX and that memory have
// grains of their own, and what is in flight does not fit the smaller one twice over.
#wide = {ktdf_arch.bandwidth = 128 : i64, ktdf_arch.transfer_granularity = array<i64: 64>, spyrec.latency = 20 : i64}
#near = {ktdf_arch.bandwidth = 64 : i64, spyrec.latency = 4 : i64}

ktdf_arch.device @staged attributes {
  mem_space_mapping = #ktdf_arch.map<#ktdp.memory_space<global> = "ddr", #ktdp.memory_space<ct_local> = "lx">
} {
  %ddr = memory {kind = "ddr", size = 268435456 : i64, spyrec.alignment = 64 : i64}
  group {kind = "core", spyrec.instances = 4 : i64} share(%ddr) {
    %l1 = memory {kind = "l1", size = 65536 : i64, spyrec.alignment = 64 : i64}
    %lx = memory {kind = "lx", size = 262144 : i64, spyrec.alignment = 32 : i64}
    %fetch = exec_unit {kind = "fetch", spyrec.max_outstanding = 2 : i64}
    %fill = exec_unit {kind = "fill", spyrec.max_outstanding = 2 : i64}
    %spill = exec_unit {kind = "spill", spyrec.max_outstanding = 2 : i64}
    %drain = exec_unit {kind = "drain", spyrec.max_outstanding = 2 : i64}
    %ring = exec_unit {kind = "ring", spyrec.role = "ring"}
    %vec = exec_unit {kind = "vec", ktdf_arch.features = {
      ktdf_arch.feature.compute, ktdf_arch.feature.simd = {lanes = #ktdf_arch.map<f16 = 32, bf16 = 32, f32 = 16, i8 = 32, i16 = 32, i32 = 16, i64 = 8>}}}
    datapath #wide %ddr to %fetch : memory, exec_unit
    datapath #wide %fetch to %l1 : exec_unit, memory
    datapath #near %l1 to %fill : memory, exec_unit
    datapath #near %fill to %lx : exec_unit, memory
    datapath #near %lx to %spill : memory, exec_unit
    datapath #near %spill to %l1 : exec_unit, memory
    datapath #wide %l1 to %drain : memory, exec_unit
    datapath #wide %drain to %ddr : exec_unit, memory
    datapath #near %lx to %ring : memory, exec_unit
    datapath #near %ring to %lx : exec_unit, memory
    datapath #near %lx to %vec : memory, exec_unit
    datapath #near %vec to %lx : exec_unit, memory
  }
}
