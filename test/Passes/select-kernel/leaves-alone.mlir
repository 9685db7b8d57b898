// Without a name there is nothing to select; a kernel alone is selected already.
//
// RUN: spyrec opt %s --select-kernel > %t && spyrec opt %s | cmp - %t
// RUN: spyrec opt %s --select-kernel=name=b > %t.one && spyrec opt %t.one --select-kernel=name=b | cmp - %t.one
// RUN: not cmp -s %t %t.one

func.func @a() attributes {grid = [1]} {
  return
}

func.func @b() attributes {grid = [1]} {
  return
}
