// What is flat already stays as it is.
//
// RUN: spyrec opt %s --normalize-grid > %t && spyrec opt %s > %t.same && diff %t %t.same

func.func @flat(%x: index) attributes {grid = [32]} {
  %0 = dataflow.tile_id
  %1 = arith.addi %0, %x : index
  return
}
