// RUN: spyrec opt --verify-diagnostics --split-input-file %s

func.func @extract(%m: !ktdp.runtime_arg<i32, granularity=8>) {
  // expected-error @+2 {{the value of the argument is i32, but the result is index}}
  %a = ktdp.runtime_arg_extract value from %m : <i32, granularity=8>
    -> index
  // expected-error @+2 {{the type of the argument states no upperbound}}
  // expected-note @+1 {{add upperbound=N to the type}}
  %b = ktdp.runtime_arg_extract upperbound from %m : <i32, granularity=8> -> index
  // expected-error @+2 {{the granularity of an argument is index, but the result is i32}}
  %c = ktdp.runtime_arg_extract granularity from %m : <i32, granularity=8>
    -> i32
  return
}

// -----

func.func @kinds(%m: !ktdp.runtime_arg<i32, granularity=8>) {
  // expected-error @+2 {{expected one of value, granularity, upperbound, but found 'granularty'}}
  // expected-note @+1 {{did you mean 'granularity'?}}
  %a = ktdp.runtime_arg_extract granularty from %m : <i32, granularity=8> -> index
  return
}

// -----

func.func @numbered_kinds(%m: !ktdp.runtime_arg<i32, granularity=8>) {
  // expected-error @+1 {{attribute kind must be one of value, granularity, upperbound (an i32 from 0), but is 3 : i32}}
  %b = "ktdp.runtime_arg_extract"(%m) {kind = 3 : i32} : (!ktdp.runtime_arg<i32, granularity=8>) -> i32
  return
}

// -----

// expected-error @+1 {{a runtime argument is an index, an integer or a float, but this one is tensor<4xf16>}}
func.func private @a(!ktdp.runtime_arg<tensor<4xf16>>)
// expected-error @+1 {{granularity must be at least 1, but is 0}}
func.func private @b(!ktdp.runtime_arg<index, granularity=0>)
// expected-error @+1 {{upperbound must be at least 1, but is -4}}
func.func private @c(!ktdp.runtime_arg<index, upperbound=-4>)
// expected-error @+1 {{'granularity' is given twice}}
func.func private @d(!ktdp.runtime_arg<index, granularity=8, granularity=8>)
// expected-error @+1 {{expected one of granularity, upperbound, but found '8'}}
func.func private @e(!ktdp.runtime_arg<index, 8>)
