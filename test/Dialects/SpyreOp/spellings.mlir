// RUN: spyrec opt --verify-roundtrip %s | filecheck %s

// CHECK-LABEL: func.func @scalars
func.func @scalars(%h: f16, %d: !spyreop.df16, %w: f32, %i: i32, %l: i64) {
  // CHECK-NEXT: spyreop.exp %h : f16
  %0 = spyreop.exp %h : f16
  // CHECK-NEXT: spyreop.sqrt %w : f32
  %1 = spyreop.sqrt %w : f32
  // CHECK-NEXT: spyreop.rsqrt %d : !spyreop.df16
  %2 = spyreop.rsqrt %d : !spyreop.df16
  // CHECK-NEXT: spyreop.reciprocal %h : f16
  %3 = spyreop.reciprocal %h : f16
  // CHECK-NEXT: spyreop.sigmoid %h : f16
  %4 = spyreop.sigmoid %h : f16
  // CHECK-NEXT: spyreop.silu %h : f16
  %5 = spyreop.silu %h : f16
  // CHECK-NEXT: spyreop.gelu %d : !spyreop.df16
  %6 = spyreop.gelu %d : !spyreop.df16
  // CHECK-NEXT: spyreop.softplus %h beta 2.000000e+00 threshold 1.000000e-01 : f16
  %7 = spyreop.softplus %h beta 2.0 threshold 0.1 : f16
  // CHECK-NEXT: spyreop.realdiv %w, %1 : f32
  %8 = spyreop.realdiv %w, %1 : f32
  // CHECK-NEXT: spyreop.select %h, %0, %3 {my.note} : f16
  %9 = spyreop.select %h, %0, %3 {my.note} : f16
  // CHECK-NEXT: spyreop.compare <lesserequal> %h, %0 : f16
  %10 = spyreop.compare #spyreop.compare_predicate<lesserequal> %h, %0 : f16
  // CHECK-NEXT: spyreop.constant 1.500000e+00 : f16
  %11 = spyreop.constant 1.5 : f16
  // CHECK-NEXT: spyreop.addi32toi32 %i, %i
  %12 = spyreop.addi32toi32 %i, %i
  // CHECK-NEXT: spyreop.muli32toi32 %i, %12
  %13 = spyreop.muli32toi32 %i, %12
  // CHECK-NEXT: spyreop.addi64toi64 %l, %l
  %14 = "spyreop.addi64toi64"(%l, %l) : (i64, i64) -> i64
  return
}

// CHECK-LABEL: func.func @statistics
func.func @statistics(%h: f16, %d: !spyreop.df16, %w: f32) {
  // CHECK-NEXT: %result:2 = spyreop.exx2 %w : f32
  %result, %squares = spyreop.exx2 %w : f32
  // CHECK-NEXT: spyreop.exx2_fused %h : f16 -> !spyreop.fp16_fused
  %0 = spyreop.exx2_fused %h : f16 -> !spyreop.fp16_fused
  // CHECK-NEXT: spyreop.exx2_fused %d : !spyreop.df16 -> !spyreop.df16_fused
  %1 = spyreop.exx2_fused %d : !spyreop.df16 -> !spyreop.df16_fused
  // CHECK-NEXT: spyreop.exx2_zeromean_fused %w : f32 -> !spyreop.fp32_fused
  %2 = spyreop.exx2_zeromean_fused %w : f32 -> !spyreop.fp32_fused
  // CHECK-NEXT: spyreop.layernormscale %result#0 squares %result#1 : f32
  %3 = spyreop.layernormscale %result squares %squares : f32
  // CHECK-NEXT: spyreop.layernormscale_fused %1 : !spyreop.df16_fused -> !spyreop.df16
  %4 = spyreop.layernormscale_fused %1 : !spyreop.df16_fused -> !spyreop.df16
  // CHECK-NEXT: spyreop.layernormnorm %w squares %result#1 scale %3 weight %w bias %w : f32
  %5 = spyreop.layernormnorm %w squares %squares scale %3 weight %w bias %w : f32
  return
}

// CHECK-LABEL: func.func @sticks
func.func @sticks(%x: tensor<64xf16>, %y: tensor<2x64x!spyreop.df16>) {
  // CHECK-NEXT: spyreop.slice_reduction %x {reduction_kind = #spyreop.reduction_kind<abs_max>, reduction_scope = #spyreop.reduction_scope<across_slice>} : tensor<64xf16> -> tensor<64xf16>
  %0 = spyreop.slice_reduction %x {reduction_scope = #spyreop.reduction_scope<across_slice>, reduction_kind = #spyreop.reduction_kind<abs_max>}
    : tensor<64xf16> -> tensor<64xf16>
  // CHECK-NEXT: reduction_scope = #spyreop.reduction_scope<in_slice_fma_src0_shuf>} : tensor<2x64x!spyreop.df16> -> tensor<2x64x!spyreop.df16>
  %1 = spyreop.slice_reduction %y {reduction_kind = #spyreop.reduction_kind<add>, reduction_scope = #spyreop.reduction_scope<in_slice_fma_src0_shuf>}
    : tensor<2x64x!spyreop.df16> -> tensor<2x64x!spyreop.df16>
  return
}

// The older forms are kept.
// CHECK-LABEL: func.func @older
func.func @older(%h: f16, %i: i32, %b: i32, %s: i32) {
  // CHECK-NEXT: spyreop.idx32toaddr %i base %b stride %s
  %0 = spyreop.idx32toaddr %i base %b stride %s
  // CHECK-NEXT: spyreop.idx32toaddr %i base -559038737 stride 4
  %1 = spyreop.idx32toaddr %i base 0xDEADBEEF stride 4
  // CHECK-NEXT: spyreop.layernormscale %h : f16
  %2 = spyreop.layernormscale %h : f16
  return
}

// Numbers of 16 bits are elements of tensors, memrefs and vectors; strings that look like their carriers stay.
// CHECK-LABEL: func.func @elements
// CHECK-SAME: (%a: memref<?x64x!spyreop.df16>, %b: memref<!spyreop.df16, "lx">, %c: vector<64x!spyreop.df16>, %d: memref<*x!spyreop.df16>, %e: tensor<4x!spyreop.df16>)
func.func @elements(%a: memref<?x64x!spyreop.df16>, %b: memref<!spyreop.df16, "lx">, %c: vector<64x!spyreop.df16>,
    %d: memref<*x!spyreop.df16>, %e: tensor<4x!spyreop.df16>) attributes {
      // CHECK-SAME: my.text = "memref<4xvector<1xui16>>", my.type = memref<4x!spyreop.df16>
      my.text = "memref<4xvector<1xui16>>", my.type = memref<4x!spyreop.df16>} {
  return
}
