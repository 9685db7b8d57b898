// A device from which nothing comes back, and whose way in passes two units.
ktdf_arch.device @one_way {
  %far = memory {kind = "far", size = 1048576 : i64}
  group {kind = "core", spyrec.instances = 2 : i64} share(%far) {
    %near = memory {kind = "near", size = 65536 : i64}
    %fetch = exec_unit {kind = "fetch", spyrec.role = "load"}
    %relay = exec_unit {kind = "relay", spyrec.role = "lxload"}
    %lanes = exec_unit {kind = "lanes", ktdf_arch.features = {ktdf_arch.feature.compute, ktdf_arch.feature.simd = {lanes = #ktdf_arch.map<f16 = 32>}}}
    datapath %far to %fetch : memory, exec_unit
    datapath %fetch to %relay : exec_unit, exec_unit
    datapath %relay to %near : exec_unit, memory
  }
}
