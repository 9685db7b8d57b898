// RUN: spyrec opt --verify-roundtrip %s | filecheck %s

// Limits in either order; one order is printed.

// CHECK-LABEL: func.func @extract
// CHECK-SAME: (%m: !ktdp.runtime_arg<index, granularity=8, upperbound=1024>, %n: !ktdp.runtime_arg<i32>, %r: !ktdp.runtime_arg<f32, upperbound=3>)
func.func @extract(%m: !ktdp.runtime_arg<index, upperbound = 1024, granularity = 8>, %n: !ktdp.runtime_arg<i32>,
                   %r: !ktdp.runtime_arg<f32, upperbound=3>) {
  // CHECK: ktdp.runtime_arg_extract value from %m : <index, granularity=8, upperbound=1024> -> index
  %a = ktdp.runtime_arg_extract value from %m : <index, granularity=8, upperbound=1024> -> index
  // CHECK: ktdp.runtime_arg_extract granularity from %m : <index, granularity=8, upperbound=1024> {my.note} -> index
  %b = ktdp.runtime_arg_extract granularity from %m : !ktdp.runtime_arg<index, granularity=8, upperbound=1024> {my.note} -> index
  // CHECK: ktdp.runtime_arg_extract upperbound from %r : <f32, upperbound=3> -> index
  %c = ktdp.runtime_arg_extract upperbound from %r : <f32, upperbound=3> -> index
  // CHECK: ktdp.runtime_arg_extract value from %n : <i32> -> i32
  %d = "ktdp.runtime_arg_extract"(%n) <{kind = 0 : i32}> : (!ktdp.runtime_arg<i32>) -> i32
  return
}
