// RUN: spyrec opt --verify-diagnostics --split-input-file %s

func.func @types(%h: f16, %w: f32, %i: i32, %d: !spyreop.df16) {
  %0 = spyreop.exp %d : !spyreop.df16
  // expected-error @+1 {{type of result must be f16 or f32, but is f64}}
  %1 = spyreop.constant 1.0 : f64
  // expected-error @+1 {{beta must not be 0}}
  %2 = spyreop.softplus %h beta 0.0 threshold 20.0 : f16
  // expected-error @+1 {{type of input must be f16 or !spyreop.df16, but is f32}}
  %3 = spyreop.gelu %w : f32
  return
}

// -----

func.func @tensors(%t: tensor<8xf16>, %w: tensor<8xf32>) {
  // expected-error @+2 {{type of input must be f16 or !spyreop.df16, but is tensor<8xf16>}}
  // expected-note @+1 {{the op works on one element: put it into the body of a linalg.generic}}
  %0 = spyreop.gelu %t : tensor<8xf16>
  // expected-error @+1 {{type of input must be f16 or !spyreop.df16, but is tensor<8xf32>}}
  %1 = spyreop.gelu %w : tensor<8xf32>
  return
}

// -----

func.func @form(%h: f16) {
  // expected-error @+2 {{expected the end of spyreop.gelu, but found '->'}}
  // expected-note @+1 {{its form: spyreop.gelu $input attr-dict `:` type($result)}}
  %0 = spyreop.gelu %h : f16 -> f16
  return
}

// -----

func.func @predicates(%h: f16) {
  // expected-error @+2 {{expected one of equal, notequal}}
  // expected-note @+1 {{did you mean 'lesserthan'?}}
  %0 = spyreop.compare <lessthan> %h, %h : f16
  return
}

// -----

func.func @names(%h: f16) {
  // expected-error @+1 {{spyreop.sigmod}}
  %0 = spyreop.sigmod %h : f16 // expected-note {{spyreop.sigmoid}}
  return
}
