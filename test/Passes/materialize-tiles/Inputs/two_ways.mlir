// Two ways in: a wide one that moves whole lines of 512 bytes, and a narrow one for single elements.
#line = {ktdf_arch.bandwidth = 256 : i64, ktdf_arch.transfer_granularity = array<i64: 512>}
#fine = {ktdf_arch.bandwidth = 128 : i64}
ktdf_arch.device @two_ways {
  %far = memory {kind = "far", size = 268435456 : i64}
  group {kind = "core", spyrec.instances = 32 : i64} share(%far) {
    %near = memory {kind = "near", size = 65536 : i64}
    %bulk = exec_unit {kind = "bulk", spyrec.role = "load"}
    %single = exec_unit {kind = "single", spyrec.role = "load"}
    %out = exec_unit {kind = "out", spyrec.role = "store"}
    %lanes = exec_unit {kind = "lanes", ktdf_arch.features = {ktdf_arch.feature.compute, ktdf_arch.feature.simd = {lanes = #ktdf_arch.map<f16 = 64, f32 = 32>}}}
    datapath #line %far to %bulk : memory, exec_unit
    datapath #line %bulk to %near : exec_unit, memory
    datapath #fine %far to %single : memory, exec_unit
    datapath #fine %single to %near : exec_unit, memory
    datapath #fine %near to %out : memory, exec_unit
    datapath #fine %out to %far : exec_unit, memory
    datapath #fine %near to %lanes : memory, exec_unit
    datapath #fine %lanes to %near : exec_unit, memory
  }
}
