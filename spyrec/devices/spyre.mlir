// The Spyre accelerator, in the public ktdf_arch syntax.
//
// Every number that the compiler or the simulator uses about this device stands here and nowhere else. Each op says in
// `spyrec.source` where each of its numbers comes from:
//
//   P  published by IBM or the torch-spyre project
//   R  the RaPiD paper (ISCA 2021), the research chip that Spyre descends from
//   M  used by a public model or sample file: not a statement about the product
//   E  our estimate
//
// Entries under `spyrec.` are numbers for which the public syntax has no name: bytes, cycles, bytes per cycle, elements per
// cycle. docs/devices.md lists them, with what a device file gets that leaves one out.

#to_lx = {
  ktdf_arch.bandwidth = 256 : i64, ktdf_arch.transfer_granularity = array<i64: 1>, spyrec.latency = 10 : i64,
  spyrec.source = {bandwidth = "M", transfer_granularity = "E", latency = "E"}
}
#to_device = {
  ktdf_arch.bandwidth = 128 : i64, ktdf_arch.transfer_granularity = array<i64: 1>, spyrec.latency = 10 : i64,
  spyrec.source = {bandwidth = "M", transfer_granularity = "E", latency = "E"}
}
#lane_queue = {
  ktdf_arch.bandwidth = 256 : i64, spyrec.latency = 1 : i64,
  ktdf_arch.features = {ktdf_arch.feature.queue = {depth = 16 : i64, ordered}},
  spyrec.source = {bandwidth = "E", latency = "E", depth = "M"}
}
#register = {
  ktdf_arch.bandwidth = 256 : i64, spyrec.latency = 1 : i64, spyrec.source = {bandwidth = "E", latency = "E"}
}

ktdf_arch.device @spyre attributes {
  mem_space_mapping = #ktdf_arch.map<#ktdp.memory_space<global> = "ddr", #ktdp.memory_space<ct_local> = "lx">,
  spyrec.timing = {
    clock_hz = 1000000000 : i64, device_bandwidth = 128 : i64, transfer_startup = 32 : i64, stream_startup = 8 : i64,
    post_latency = 10 : i64, transcendental_factor = 4 : i64, scalar_cycles = 1 : i64,
    ring_bandwidth = 128 : i64, hop_latency = 4 : i64
  },
  spyrec.limits = {
    loop_count = 65535 : i64, access_span = 268431360 : i64, segments = 8 : i64, segment_size = 17179869184 : i64
  },
  spyrec.source = {
    clock_hz = "M", device_bandwidth = "M", transfer_startup = "E", stream_startup = "E", post_latency = "E",
    transcendental_factor = "M", scalar_cycles = "E", ring_bandwidth = "P", hop_latency = "E",
    loop_count = "P", access_span = "P", segments = "P", segment_size = "P"
  }
} {
  %ddr = memory @ddr {
    kind = "ddr", size = 137438953472 : i64, spyrec.alignment = 128 : i64, spyrec.source = {size = "P", alignment = "P"}
  }
  group @core {kind = "core", spyrec.instances = 32 : i64, spyrec.source = {instances = "P"}} share(%ddr) {
    %lx = memory @lx {
      kind = "lx", size = 2097152 : i64, spyrec.alignment = 128 : i64, spyrec.source = {size = "P", alignment = "P"}
    }
    %load = exec_unit @load {
      kind = "load", ktdf_arch.features = {ktdf_arch.feature.load = {}},
      spyrec.max_outstanding = 4 : i64, spyrec.source = {max_outstanding = "E"}
    }
    %store = exec_unit @store {
      kind = "store", ktdf_arch.features = {ktdf_arch.feature.store = {}},
      spyrec.max_outstanding = 4 : i64, spyrec.source = {max_outstanding = "E"}
    }
    // Core to core: both directions of the ring, 128 bytes per cycle each.
    %ring = exec_unit @ring {
      kind = "ring", spyrec.role = "ring", ktdf_arch.features = {ktdf_arch.feature.load = {}},
      spyrec.max_outstanding = 4 : i64, spyrec.source = {max_outstanding = "E"}
    }
    datapath #to_lx %lx to %ring : memory, exec_unit
    datapath #to_lx %ring to %lx : exec_unit, memory
    datapath #to_lx %ddr to %load : memory, exec_unit
    datapath #to_lx %load to %lx : exec_unit, memory
    datapath #to_device %lx to %store : memory, exec_unit
    datapath #to_device %store to %ddr : exec_unit, memory

    // The two corelets of a core share its LX.
    group @corelet {kind = "corelet", spyrec.instances = 2 : i64, spyrec.source = {instances = "P"}} share(%lx) {
      %registers = memory @sfu_registers {
        kind = "sfu_registers", size = 2048 : i64, spyrec.alignment = 128 : i64,
        spyrec.source = {size = "M", alignment = "E"}
      }
      %sfu = exec_unit @sfu {
        kind = "sfu", spyrec.role = "vector",
        ktdf_arch.features = {
          ktdf_arch.feature.compute,
          ktdf_arch.feature.simd = {
            lanes = #ktdf_arch.map<f16 = 64, bf16 = 64, f32 = 32, i1 = 64, i8 = 64, i16 = 64, i32 = 32, i64 = 16>
          }
        },
        spyrec.max_outstanding = 1 : i64,
        // f16 is in the sample device; the other widths keep the same bytes per cycle.
        spyrec.source = {lanes = "M", lanes.bf16 = "E", lanes.f32 = "E", lanes.i1 = "E", lanes.i8 = "E", lanes.i16 = "E",
          lanes.i32 = "E", lanes.i64 = "E", max_outstanding = "E"}
      }
      // 8 x 8 systolic array (P); 1024 multiply-adds per cycle and core in f16 (R), so 512 per corelet.
      %pt = exec_unit @pt {
        kind = "pt", spyrec.role = "matrix",
        ktdf_arch.features = {ktdf_arch.feature.simd = {lanes = #ktdf_arch.map<f16 = 512>}},
        spyrec.array = array<i64: 8, 8>, spyrec.max_outstanding = 1 : i64,
        spyrec.source = {lanes = "R", array = "P", max_outstanding = "E"}
      }
      %lxload = exec_unit @lxload {
        kind = "lxload", ktdf_arch.features = {ktdf_arch.feature.load = {}},
        spyrec.max_outstanding = 1 : i64, spyrec.source = {max_outstanding = "E"}
      }
      %lxstore = exec_unit @lxstore {
        kind = "lxstore", ktdf_arch.features = {ktdf_arch.feature.store = {}},
        spyrec.max_outstanding = 1 : i64, spyrec.source = {max_outstanding = "E"}
      }
      datapath #lane_queue %lx to %lxload : memory, exec_unit
      datapath #lane_queue %lxload to %sfu : exec_unit, exec_unit
      datapath #lane_queue %lxload to %pt : exec_unit, exec_unit
      datapath #lane_queue %pt to %sfu : exec_unit, exec_unit
      datapath #lane_queue %sfu to %lxstore : exec_unit, exec_unit
      datapath #lane_queue %lxstore to %lx : exec_unit, memory
      datapath #register %registers to %sfu : memory, exec_unit
      datapath #register %sfu to %registers : exec_unit, memory
    }
  }
}
