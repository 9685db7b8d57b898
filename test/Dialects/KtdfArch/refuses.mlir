// RUN: spyrec opt --verify-diagnostics --split-input-file %s

ktdf_arch.device @d {
  %m = memory @here {kind = "DDR"}
  // expected-error @+1 {{attribute size must be an i64 integer of at least 1, but is 0}}
  %n = memory {kind = "L1", size = 0}
  // expected-error @+1 {{a datapath joins two resources, but this one has one}}
  datapath %m to %m : memory, memory
  %u = exec_unit {kind = "IN"}
  // expected-error @+2 {{ktdf_arch.datapath has no property ktdf_arch.bandwith}}
  // expected-note @+1 {{it has ktdf_arch.features}}
  datapath {ktdf_arch.bandwith = 2} %m to %u : memory, exec_unit
  // expected-error @+1 {{ktdf_arch.memory needs the attribute kind}}
  %o = memory {size = 4} // expected-note {{what it is an instance of}}
  // expected-error @+2 {{ktdf_arch.exec_unit has no feature ktdf_arch.feature.queue}}
  // expected-note @+1 {{it has ktdf_arch.feature.compute}}
  %v = exec_unit {ktdf_arch.features = {ktdf_arch.feature.queue = {depth = 2}}}
  // expected-error @+1 {{the group yields 1 units, but has 2 results}}
  %g:2 = group share(%m) {
    %w = exec_unit {kind = "SFU"}
    yield %w
  } -> exec_unit, exec_unit
}

// -----

// expected-error @+1 {{two resources of this device are called @here}}
ktdf_arch.device @d {
  %m = memory @here {kind = "DDR"}
  %u = exec_unit @here {kind = "IN"}
}

// -----

// expected-error @+1 {{neither a body nor a path to import}}
"ktdf_arch.device"() ({}) {sym_name = "d"} : () -> ()

// -----

ktdf_arch.device @ends {
  %u = exec_unit {kind = "IN"}
  // expected-error @+1 {{ktdf_arch.yield ends a group, but stands in ktdf_arch.device}}
  yield %u
}

// -----

func.func @around() {
  // expected-error @+1 {{a device stands in a module, but this one in func.func}}
  ktdf_arch.device @d {
  }
  return
}
