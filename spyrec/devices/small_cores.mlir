// 64 small cores: 256 KiB of LX each, one corelet, other engines and kinds. Not a real device.
//
// The shape differs from Spyre's on purpose: units that compute sit in the core and reach its scratchpad directly, cores are
// written without corelets, sticks are 64 bytes, lanes are narrow, one transfer is in flight at a time. Whatever the
// compiler or the simulator takes for granted about Spyre fails here first.
//
// All numbers are our estimates (E).

#in = {
  ktdf_arch.bandwidth = 64 : i64, ktdf_arch.transfer_granularity = array<i64: 1>, spyrec.latency = 20 : i64,
  spyrec.source = {bandwidth = "E", transfer_granularity = "E", latency = "E"}
}
#near = {ktdf_arch.bandwidth = 128 : i64, spyrec.latency = 2 : i64, spyrec.source = {bandwidth = "E", latency = "E"}}

ktdf_arch.device @small_cores attributes {
  mem_space_mapping = #ktdf_arch.map<#ktdp.memory_space<global> = "dram", #ktdp.memory_space<ct_local> = "scratch">,
  spyrec.timing = {
    clock_hz = 1500000000 : i64, device_bandwidth = 256 : i64, transfer_startup = 50 : i64, stream_startup = 4 : i64,
    post_latency = 4 : i64, transcendental_factor = 8 : i64, scalar_cycles = 1 : i64,
    ring_bandwidth = 32 : i64, hop_latency = 2 : i64
  },
  spyrec.limits = {
    loop_count = 65535 : i64, access_span = 268431360 : i64, segments = 8 : i64, segment_size = 17179869184 : i64
  },
  spyrec.source = {
    clock_hz = "E", device_bandwidth = "E", transfer_startup = "E", stream_startup = "E", post_latency = "E",
    transcendental_factor = "E", scalar_cycles = "E", ring_bandwidth = "E", hop_latency = "E",
    loop_count = "E", access_span = "E", segments = "E", segment_size = "E"
  }
} {
  %dram = memory @dram {
    kind = "dram", size = 17179869184 : i64, spyrec.alignment = 64 : i64, spyrec.source = {size = "E", alignment = "E"}
  }
  group @tile {kind = "tile", spyrec.instances = 64 : i64, spyrec.source = {instances = "E"}} share(%dram) {
    %scratch = memory @scratch {
      kind = "scratch", size = 262144 : i64, spyrec.alignment = 64 : i64, spyrec.source = {size = "E", alignment = "E"}
    }
    %fetch = exec_unit @fetch {
      kind = "fetch", ktdf_arch.features = {ktdf_arch.feature.load = {}},
      spyrec.max_outstanding = 1 : i64, spyrec.source = {max_outstanding = "E"}
    }
    %drain = exec_unit @drain {
      kind = "drain", ktdf_arch.features = {ktdf_arch.feature.store = {}},
      spyrec.max_outstanding = 1 : i64, spyrec.source = {max_outstanding = "E"}
    }
    %mesh = exec_unit @mesh {
      kind = "mesh", spyrec.role = "ring", ktdf_arch.features = {ktdf_arch.feature.load = {}},
      spyrec.max_outstanding = 1 : i64, spyrec.source = {max_outstanding = "E"}
    }
    %lanes = exec_unit @lanes {
      kind = "lanes", spyrec.role = "vector",
      ktdf_arch.features = {
        ktdf_arch.feature.compute,
        ktdf_arch.feature.simd = {
          lanes = #ktdf_arch.map<f16 = 16, bf16 = 16, f32 = 8, i1 = 16, i8 = 16, i16 = 16, i32 = 8, i64 = 4>
        }
      },
      spyrec.max_outstanding = 1 : i64, spyrec.source = {lanes = "E", max_outstanding = "E"}
    }
    %cells = exec_unit @cells {
      kind = "cells", spyrec.role = "matrix",
      ktdf_arch.features = {ktdf_arch.feature.simd = {lanes = #ktdf_arch.map<f16 = 64>}},
      spyrec.array = array<i64: 4, 4>, spyrec.max_outstanding = 1 : i64,
      spyrec.source = {lanes = "E", array = "E", max_outstanding = "E"}
    }
    datapath #in %dram to %fetch : memory, exec_unit
    datapath #in %fetch to %scratch : exec_unit, memory
    datapath #in %scratch to %drain : memory, exec_unit
    datapath #in %drain to %dram : exec_unit, memory
    datapath #near %scratch to %mesh : memory, exec_unit
    datapath #near %mesh to %scratch : exec_unit, memory
    datapath #near %scratch to %lanes : memory, exec_unit
    datapath #near %lanes to %scratch : exec_unit, memory
    datapath #near %scratch to %cells : memory, exec_unit
    datapath #near %cells to %scratch : exec_unit, memory
  }
}
