// RUN: spyrec opt --verify-diagnostics --split-input-file --allow-unregistered-dialect %s

ktdf_arch.device @features {
  // expected-error @+2 {{ktdf_arch.memory has no feature ktdf_arch.feature.compute}}
  // expected-note @+1 {{features belong to units and datapaths}}
  %m = memory {kind = "A", ktdf_arch.features = {ktdf_arch.feature.compute}}
  // expected-error @+1 {{ktdf_arch.features must be a dictionary, but is "a"}}
  %a = exec_unit {ktdf_arch.features = "a"}
  // expected-error @+1 {{word_size of ktdf_arch.feature.load must be a #ktdf_arch.map}}
  %b = exec_unit {ktdf_arch.features = {ktdf_arch.feature.load = {word_size = 1}}}
  // expected-error @+1 {{word_size of ktdf_arch.feature.store must be a map to an i64 integer of at least 1, but for "A" it holds 0}}
  %c = exec_unit {ktdf_arch.features = {ktdf_arch.feature.store = {word_size = #ktdf_arch.map<"A" = 0>}}}
  // expected-error @+1 {{must be a map to lists of {size_in_words = N, align_in_words = N} with numbers of at least 1, but for "A" it holds}}
  %d = exec_unit {ktdf_arch.features = {ktdf_arch.feature.load = {access_granularity = #ktdf_arch.map<"A" = [{size_in_words = 0}]>}}}
  // expected-error @+1 {{must be a map to lists of {size_in_words = N, align_in_words = N}}}
  %e = exec_unit {ktdf_arch.features = {ktdf_arch.feature.load = {access_granularity = #ktdf_arch.map<"A" = [{align_in_words = 1}]>}}}
  // expected-error @+1 {{lanes of ktdf_arch.feature.simd must be a map from a type, but has the key "f16"}}
  %f = exec_unit {ktdf_arch.features = {ktdf_arch.feature.simd = {lanes = #ktdf_arch.map<"f16" = 64>}}}
  // expected-error @+1 {{splat of ktdf_arch.feature.simd must be the unit attribute (its name alone)}}
  %g = exec_unit {ktdf_arch.features = {ktdf_arch.feature.simd = {splat = 1}}}
  // expected-error @+2 {{ktdf_arch.feature.simd has no entry lane}}
  // expected-note @+1 {{it has splat, zero_pad, lanes}}
  %h = exec_unit {ktdf_arch.features = {ktdf_arch.feature.simd = {lane = 1}}}
  // expected-error @+2 {{ktdf_arch.feature.compute has no entry fast}}
  // expected-note @+1 {{it has none}}
  %i = exec_unit {ktdf_arch.features = {ktdf_arch.feature.compute = {fast}}}
  // expected-error @+1 {{ktdf_arch.feature.compute must be a dictionary, but is 3}}
  %j = exec_unit {ktdf_arch.features = {ktdf_arch.feature.compute = 3}}
  // expected-error @+2 {{ktdf_arch.exec_unit has no property ktdf_arch.bandwidth}}
  // expected-note @+1 {{it has ktdf_arch.features, ktdf_arch.overlaps}}
  %k = exec_unit {ktdf_arch.bandwidth = 1}
  // expected-error @+2 {{ktdf_arch.exec_unit has no property ktdf_arch.maps_to}}
  // expected-note @+1 {{it has ktdf_arch.features, ktdf_arch.overlaps}}
  %l = exec_unit {ktdf_arch.maps_to = 4}
  // expected-error @+1 {{ktdf_arch.overlaps must be an array, but is 4}}
  %n = exec_unit {ktdf_arch.overlaps = 4}
  // expected-error @+1 {{depth of ktdf_arch.feature.queue must be an i64 integer of at least 1}}
  datapath {ktdf_arch.features = {ktdf_arch.feature.queue = {depth = 0}}} %m to %a : memory, exec_unit
  // expected-error @+1 {{ordered of ktdf_arch.feature.queue must be the unit attribute}}
  datapath {ktdf_arch.features = {ktdf_arch.feature.queue = {ordered = true}}} %m to %a : memory, exec_unit
  // expected-error @+2 {{ktdf_arch.datapath has no feature ktdf_arch.feature.load}}
  // expected-note @+1 {{it has ktdf_arch.feature.queue}}
  datapath {ktdf_arch.features = {ktdf_arch.feature.load}} %m to %a : memory, exec_unit
  // expected-error @+1 {{ktdf_arch.transfer_granularity must be an i64 array of distinct sizes of at least 0, but is array<i64: 1, 1>}}
  datapath {ktdf_arch.transfer_granularity = array<i64: 1, 1>} %m to %a : memory, exec_unit
  // expected-error @+1 {{ktdf_arch.transfer_granularity must be an i64 array of distinct sizes of at least 0, but is [0, 1]}}
  datapath {ktdf_arch.transfer_granularity = [0, 1]} %m to %a : memory, exec_unit
  // expected-error @+2 {{kind must be what a memref takes as memory space, but is 1.5}}
  // expected-note @+1 {{write a string, an integer, a dictionary or an attribute}}
  %o = memory {kind = 1.5}
  // Somebody else's features and entries are kept.
  %p = exec_unit {ktdf_arch.features = {their.feature = 1, ktdf_arch.feature.simd = {their.entry = 1}}}
}

// -----

// expected-error @+1 {{pdl.pattern is no resource of a device}}
ktdf_arch.device @strangers {
  // expected-note @+1 {{it stands here}}
  pdl.pattern : benefit(1) {
    %op = operation
    rewrite %op with "x"
  }
  // expected-error @+1 {{ktdf_arch.patterns is no resource of a group}}
  group share() {
    // expected-note @+1 {{it stands here}}
    patterns {}
  }
  // expected-error @+1 {{patterns holds pdl.pattern ops, not ktdf_arch.memory}}
  patterns {
    // expected-note @+1 {{it stands here}}
    %m = ktdf_arch.memory {kind = "A"}
  }
  // expected-error @+1 {{connectivity of 2 ports must be tensor<2x2xi1>, but is tensor<2x2xi8>}}
  %sw:2 = switch [2] {connectivity = dense<1> : tensor<2x2xi8>}
  // expected-error @+1 {{connectivity of 2 ports must be tensor<2x2xi1>, but is tensor<3x3xi1>}}
  %so:2 = switch [2] {connectivity = sparse<[[0, 1]], true> : tensor<3x3xi1>}
}

// -----

// expected-error @+2 {{an op that is no resource has no property ktdf_arch.mapsto}}
// expected-note @+1 {{it has ktdf_arch.maps_to, ktdf_arch.features}}
func.func private @reserved() attributes {ktdf_arch.mapsto = "A"}
// expected-error @+1 {{ktdf_arch.features must be a dictionary, but is 1}}
func.func private @no_dictionary() attributes {ktdf_arch.features = 1}
