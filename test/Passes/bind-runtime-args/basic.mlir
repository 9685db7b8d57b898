// Numbers of the launch become plain arguments, which keep what their types promised.
//
// RUN: spyrec opt %s --allow-unregistered-dialect --bind-runtime-args | filecheck %s

// CHECK-LABEL: func.func @all
// CHECK-SAME: (%x: index {my.note}, %n: index {spyrec.granularity = 8 : i64, spyrec.upperbound = 1024 : i64}, %m: i32, %r: f32 {spyrec.upperbound = 3 : i64}, %u: i64 {spyrec.granularity = 2 : i64})
// CHECK-DAG: %[[G:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[B:.*]] = arith.constant 1024 : index
// CHECK: "test.use"(%x, %n, %[[G]], %[[B]], %m, %r)
// CHECK-NOT: runtime_arg
func.func @all(%x: index {my.note}, %n: !ktdp.runtime_arg<index, granularity=8, upperbound=1024>, %m: !ktdp.runtime_arg<i32>,
               %r: !ktdp.runtime_arg<f32, upperbound=3>, %u: !ktdp.runtime_arg<i64, granularity=2>) {
  %a = ktdp.runtime_arg_extract value from %n : <index, granularity=8, upperbound=1024> -> index
  %b = ktdp.runtime_arg_extract granularity from %n : <index, granularity=8, upperbound=1024> -> index
  %c = ktdp.runtime_arg_extract upperbound from %n : <index, granularity=8, upperbound=1024> -> index
  %d = ktdp.runtime_arg_extract value from %m : <i32> -> i32
  %e = ktdp.runtime_arg_extract value from %r : <f32, upperbound=3> -> f32
  "test.use"(%x, %a, %b, %c, %d, %e) : (index, index, index, index, i32, f32) -> ()
  return
}
