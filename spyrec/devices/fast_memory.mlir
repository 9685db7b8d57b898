// Spyre with ten times the bandwidth of device memory: what limits a kernel then?
ktdf_arch.device @fast_memory attributes {
  spyrec.timing = {device_bandwidth = 1280 : i64}, spyrec.source = {device_bandwidth = "E"}
} import("spyre.mlir")
