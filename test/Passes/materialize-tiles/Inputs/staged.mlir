// A device whose bytes rest in a memory on their way in.
ktdf_arch.device @staged {
  %far = memory {kind = "far", size = 1048576 : i64, spyrec.role = "device"}
  group {kind = "core", spyrec.instances = 2 : i64} share(%far) {
    %mid = memory {kind = "mid", size = 262144 : i64, spyrec.role = "register"}
    %near = memory {kind = "near", size = 65536 : i64, spyrec.role = "lx"}
    %fetch = exec_unit {kind = "fetch", spyrec.role = "load"}
    %pull = exec_unit {kind = "pull", spyrec.role = "lxload"}
    %drain = exec_unit {kind = "drain", spyrec.role = "store"}
    %lanes = exec_unit {kind = "lanes", ktdf_arch.features = {ktdf_arch.feature.compute, ktdf_arch.feature.simd = {lanes = #ktdf_arch.map<f16 = 32>}}}
    datapath %far to %fetch : memory, exec_unit
    datapath %fetch to %mid : exec_unit, memory
    datapath %mid to %pull : memory, exec_unit
    datapath %pull to %near : exec_unit, memory
    datapath %near to %drain : memory, exec_unit
    datapath %drain to %far : exec_unit, memory
  }
}
