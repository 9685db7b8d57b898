// A buffer has to be an allocation of the function: of any other memref nobody knows which bytes it means. One mistake is
// said once, though the op reads and writes there.
//
// RUN: not 1 spyrec opt %s --insert-synchronization 2>&1 | filecheck %s --check-prefix=SAID

// SAID: [unknown-buffer]
// SAID-NOT: error:

#id = affine_map<(c) -> (c)>
func.func @argument(%m: memref<64xf16, "lx">) attributes {grid = [1]} {
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%m : memref<64xf16, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%o: f16):
    %s = arith.addf %o, %o : f16
    linalg.yield %s : f16
  }
  return
}
