// A function that has program units, and one without a body.
//
// RUN: spyrec opt %s --split-units > %t && spyrec opt %s | cmp - %t

func.func private @elsewhere(index)

func.func @units(%x: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  dataflow.channel @full from @load to @sfu {init = 0}
  dataflow.program_unit @load(%core) {
    dataflow.post @full
  }
  dataflow.program_unit @sfu(%core) {
    dataflow.wait @full
  }
  return
}
