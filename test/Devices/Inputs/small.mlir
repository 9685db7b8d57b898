// Four cores with 16 KiB each, one engine that moves in both directions through a relay memory, f32 only, memory ten times as fast.
ktdf_arch.device @small attributes {
  spyrec.timing = {device_bandwidth = 1280 : i64, post_latency = 3 : i64}, spyrec.limits = {loop_count = 100 : i64}
} {
  %main = memory {kind = "main", size = 16777216 : i64, spyrec.alignment = 64 : i64}
  group {kind = "tile", spyrec.instances = 4 : i64} share(%main) {
    %pad = memory {kind = "pad", size = 16384 : i64, spyrec.alignment = 32 : i64}
    %dma = exec_unit {kind = "dma", spyrec.role = "load"}
    %back = exec_unit {kind = "back", spyrec.role = "store"}
    %vec = exec_unit {kind = "vec", ktdf_arch.features = {ktdf_arch.feature.compute, ktdf_arch.feature.simd = {lanes = #ktdf_arch.map<f32 = 8>}}}
    datapath %main to %dma : memory, exec_unit
    datapath %dma to %pad : exec_unit, memory
    datapath %pad to %back : memory, exec_unit
    datapath %back to %main : exec_unit, memory
    datapath %pad to %vec : memory, exec_unit
    datapath %vec to %pad : exec_unit, memory
  }
}
