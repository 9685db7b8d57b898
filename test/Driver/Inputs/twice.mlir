func.func @twice(%x: index) {
  %a = arith.addi %x, %x : index
  %b = arith.addi %x, %x : index
  %c = arith.cmpi eq, %a, %b : index
  cf.assert %c, "equal"
  return
}
