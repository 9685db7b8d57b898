// What is no schedule.
//
// RUN: spyrec opt %s --assign-addresses --split-input-file --verify-diagnostics

func.func @odd() attributes {grid = [1]} {
  // expected-error@+1 {{i5}}
  %a = dataflow.alloc : memref<64xi5, "lx">
  return
}

// -----

func.func @named() attributes {grid = [1]} {
  %a = dataflow.alloc : memref<64xf16, "lx">
  // expected-error@+1 {{'linalg.add' must be a linalg.generic here: run linalg-generalize-named-ops}}
  linalg.add ins(%a, %a : memref<64xf16, "lx">, memref<64xf16, "lx">) outs(%a : memref<64xf16, "lx">)
  return
}

// -----

#same = affine_map<(d) -> (d)>
func.func @values(%t: tensor<64xf16>) attributes {grid = [1]} {
  // expected-error@+2 {{operand 0 is a tensor<64xf16>; a schedule has no tensors}}
  // expected-error@+1 {{operand 1 is a tensor<64xf16>; a schedule has no tensors}}
  %r = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%t : tensor<64xf16>) outs(%t : tensor<64xf16>) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f16, %q: f16):
    linalg.yield %p : f16
  } -> tensor<64xf16>
  return
}
