// The kernel and what it calls, through others as well, stay; nothing else does.
//
// RUN: spyrec opt %s --select-kernel=name=b | filecheck %s
// RUN: spyrec opt %s --pass-pipeline='builtin.module(select-kernel{name=a})' | filecheck %s --check-prefix=OTHER

// CHECK-NOT: @a
// CHECK: func.func @b() attributes {grid = [1]}
// CHECK: func.func private @c()
// CHECK: func.func private @d()
// CHECK-NOT: @alone
// OTHER: func.func @a
// OTHER-NOT: func.func
func.func @a() attributes {grid = [1]} {
  return
}

func.func @b() attributes {grid = [1]} {
  func.call @c() : () -> ()
  return
}

func.func private @c() {
  func.call @d() : () -> ()
  return
}

func.func private @d() {
  return
}

func.func private @alone() {
  return
}
