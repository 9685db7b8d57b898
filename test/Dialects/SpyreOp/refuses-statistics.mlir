// RUN: spyrec opt --verify-diagnostics --split-input-file %s

func.func @pairs(%h: f16, %w: f32, %p: !spyreop.fp16_fused) {
  // expected-error @+1 {{a pair of f16 is !spyreop.fp16_fused, but here f16 meets !spyreop.fp32_fused}}
  %0 = spyreop.exx2_fused %h : f16 -> !spyreop.fp32_fused
  // expected-error @+1 {{a pair of f32 is !spyreop.fp32_fused, but here f32 meets !spyreop.df16_fused}}
  %1 = spyreop.exx2_zeromean_fused %w : f32 -> !spyreop.df16_fused
  // expected-error @+1 {{a pair of f32 is !spyreop.fp32_fused, but here f32 meets !spyreop.fp16_fused}}
  %2 = spyreop.layernormscale_fused %p : !spyreop.fp16_fused -> f32
  // expected-error @+1 {{type of input must be f16, !spyreop.df16 or f32, but is !spyreop.fp16_fused}}
  %3 = spyreop.exx2_fused %p : !spyreop.fp16_fused -> !spyreop.fp16_fused
  return
}

// -----

func.func @statistics(%w: f32, %h: f16, %i: i32) {
  // expected-error @+1 {{type of input must be f16, !spyreop.df16 or f32, but is i32}}
  %m, %s = spyreop.exx2 %i : i32
  // expected-error @+1 {{lhs and rhs must have one type, but are f32 and f16}}
  %2 = "spyreop.realdiv"(%w, %h) : (f32, f16) -> f32
  return
}

// -----

func.func @sticks(%x: tensor<64xf16>, %h: f16) {
  // expected-error @+1 {{spyreop.slice_reduction needs the attribute reduction_scope}}
  %0 = spyreop.slice_reduction %x {reduction_kind = #spyreop.reduction_kind<add>} : tensor<64xf16> -> tensor<64xf16>
  // expected-error @+2 {{input and result must have one type, but are tensor<64xf16> and tensor<8xf16>}}
  %1 = spyreop.slice_reduction %x {reduction_kind = #spyreop.reduction_kind<add>, reduction_scope = #spyreop.reduction_scope<in_slice>}
    : tensor<64xf16> -> tensor<8xf16>
  // expected-error @+2 {{type of input must be a ranked tensor, but is f16}}
  %2 = spyreop.slice_reduction %h {reduction_kind = #spyreop.reduction_kind<add>, reduction_scope = #spyreop.reduction_scope<in_slice>}
    : f16 -> f16
  return
}

// -----

func.func @words(%x: tensor<64xf16>) {
  // expected-error @+2 {{expected one of add, sub, max, min, mul, abs_max, but found 'absmax'}}
  // expected-note @+1 {{did you mean 'abs_max'?}}
  %0 = spyreop.slice_reduction %x {reduction_kind = #spyreop.reduction_kind<absmax>} : tensor<64xf16> -> tensor<64xf16>
  return
}

// -----

func.func @older_forms(%h: f16, %i: i32) {
  // expected-remark @+2 {{this form of spyreop.layernormscale has no equivalent in the current dialect; it is kept as it is}}
  // expected-note @+1 {{the mean of squares is an operand now}}
  %0 = spyreop.layernormscale %h : f16
  // expected-remark @+2 {{this form of spyreop.idx32toaddr has no equivalent in the current dialect; it is kept as it is}}
  // expected-note @+1 {{base and stride are values now}}
  %1 = spyreop.idx32toaddr %i base 0x1000 stride 4
  // expected-error @+1 {{base and stride must be two values, or two numbers}}
  %2 = spyreop.idx32toaddr %i base %i stride 4
  return
}

// -----

func.func @numbers(%i: i32) {
  // expected-error @+1 {{4294967296 does not fit i32}}
  %3 = spyreop.idx32toaddr %i base 0x100000000 stride 4
  return
}
