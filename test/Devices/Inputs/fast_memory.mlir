// Another device with one entry changed: the importer's attributes win.
ktdf_arch.device @fast_memory attributes {spyrec.timing = {device_bandwidth = 2560 : i64}} import("small.mlir")
