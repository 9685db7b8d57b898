// Four cores that share one memory on the way in, of which each has a part; results go straight back.
ktdf_arch.device @shared_stage attributes {
  mem_space_mapping = #ktdf_arch.map<#ktdp.memory_space<global> = "ddr", #ktdp.memory_space<ct_local> = "lx">
} {
  %ddr = memory {kind = "ddr", size = 268435456 : i64}
  %l2 = memory {kind = "l2", size = 262400 : i64, spyrec.alignment = 128 : i64}
  group {kind = "core", spyrec.instances = 4 : i64} share(%ddr, %l2) {
    %lx = memory {kind = "lx", size = 131072 : i64}
    %fetch = exec_unit {kind = "fetch"}
    %fill = exec_unit {kind = "fill"}
    %store = exec_unit {kind = "store"}
    %ring = exec_unit {kind = "ring", spyrec.role = "ring"}
    %vec = exec_unit {kind = "vec", ktdf_arch.features = {ktdf_arch.feature.compute}}
    datapath %ddr to %fetch : memory, exec_unit
    datapath %fetch to %l2 : exec_unit, memory
    datapath %l2 to %fill : memory, exec_unit
    datapath %fill to %lx : exec_unit, memory
    datapath %lx to %store : memory, exec_unit
    datapath %store to %ddr : exec_unit, memory
    datapath %lx to %ring : memory, exec_unit
    datapath %ring to %lx : exec_unit, memory
    datapath %lx to %vec : memory, exec_unit
    datapath %vec to %lx : exec_unit, memory
  }
}
