# ruff: noqa: E501 (ops of kernels keep to a line)
"""Fusing and folding after it change no bit of a sum; without it they do."""

from __future__ import annotations

import numpy as np
import pytest
from executed import execute, kernel, load, store, unchanged

FUSE = "func.func(convert-elementwise-to-linalg,linalg-fuse-elementwise-ops,canonicalize,cse)"
GENERIC = "linalg-generalize-named-ops"


def squares(element: str) -> str:
    """The sum of squares, each rounded, as LayerNorm computes its variance."""
    body = f"""
    {load("a", "x", f"64x8x{element}")}
    %zero = arith.constant dense<0.0> : tensor<64x{element}>
    %p = arith.mulf %a, %a : tensor<64x8x{element}>
    %r = linalg.reduce {{ arith.addf }} ins(%p : tensor<64x8x{element}>) outs(%zero : tensor<64x{element}>) dimensions = [1]
    {store("r", "y", f"64x{element}")}"""
    return kernel(body, f"x 64x8x{element}", f"y 64x{element}")


FOLDED = kernel(
    f"""
    {load("a", "x", "64x8xf16")}
    %zero = arith.constant dense<0.0> : tensor<64xf16>
    %r = linalg.generic {{indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>],
        iterator_types = ["parallel", "reduction"]}} ins(%a : tensor<64x8xf16>) outs(%zero : tensor<64xf16>) {{
    ^bb0(%in: f16, %o: f16):
      %one = arith.constant 1.0 : f16
      %m = arith.mulf %in, %in : f16
      %n = arith.mulf %m, %one : f16
      %s = arith.addf %o, %n : f16
      linalg.yield %s : f16
    }} -> tensor<64xf16>
    {store("r", "y", "64xf16")}""",
    "x 64x8xf16",
    "y 64xf16",
)

CONSTANTS = kernel(
    f"""
    %zero = arith.constant dense<0.0> : tensor<64xf16>
    %e = tensor.empty() : tensor<64x3xf16>
    %r = linalg.generic {{indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>],
        iterator_types = ["parallel", "reduction"]}} ins(%e : tensor<64x3xf16>) outs(%zero : tensor<64xf16>) {{
    ^bb0(%in: f16, %o: f16):
      %a = arith.constant 0.1 : f16
      %b = arith.constant 0.3 : f16
      %m = arith.mulf %a, %b : f16
      %s = arith.addf %o, %m : f16
      linalg.yield %s : f16
    }} -> tensor<64xf16>
    {store("r", "y", "64xf16")}""",
    "y 64xf16",
)


OUTSIDE = kernel(
    f"""
    {load("a", "x", "64x9xf16")}
    %one = arith.constant 1 : index
    %v = tensor.extract %a[%c0, %c0] : tensor<64x9xf16>
    %w = tensor.extract %a[%one, %one] : tensor<64x9xf16>
    %m = arith.mulf %v, %w : f16
    %zero = arith.constant dense<0.0> : tensor<64xf16>
    %r = linalg.generic {{indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>],
        iterator_types = ["parallel", "reduction"]}} ins(%a : tensor<64x9xf16>) outs(%zero : tensor<64xf16>) {{
    ^bb0(%in: f16, %o: f16):
      %s = arith.addf %o, %m : f16
      linalg.yield %s : f16
    }} -> tensor<64xf16>
    {store("r", "y", "64xf16")}""",
    "x 64x9xf16",
    "y 64xf16",
)


def test_a_product_outside_of_the_sum_stays_rounded() -> None:
    scalars = "func.func(float-scalars-to-tensors)"
    unchanged(OUTSIDE, f"func.func(keep-rounding),{scalars},{FUSE},func.func(drop-rounding)")
    before, after = execute(OUTSIDE), execute(OUTSIDE, f"{scalars},{FUSE}")
    assert before.arrays["y_ptr"].tobytes() != after.arrays["y_ptr"].tobytes()


@pytest.mark.parametrize("text", [squares("f32"), squares("f16"), squares("bf16"), FOLDED, CONSTANTS])
def test_marked_sums_keep_their_bits(text: str) -> None:
    unchanged(
        text,
        f"func.func(fold-constants,keep-rounding),{GENERIC},func.func(keep-rounding),{FUSE},func.func(drop-rounding)",
    )


@pytest.mark.parametrize("text", [squares("f16"), FOLDED])
def test_without_marks_bits_change(text: str) -> None:
    before, after = execute(text), execute(text, f"{GENERIC},{FUSE}")
    assert before.arrays["y_ptr"].tobytes() != after.arrays["y_ptr"].tobytes()


def test_a_product_of_the_sum_itself_is_not_rounded() -> None:
    body = f"""
    {load("a", "x", "8x64xf16")}
    %zero = arith.constant dense<0.0> : tensor<8x8xf16>
    %e = tensor.empty() : tensor<64x8xf16>
    %t = linalg.transpose ins(%a : tensor<8x64xf16>) outs(%e : tensor<64x8xf16>) permutation = [1, 0]
    %r = linalg.matmul ins(%a, %t : tensor<8x64xf16>, tensor<64x8xf16>) outs(%zero : tensor<8x8xf16>) -> tensor<8x8xf16>
    {store("r", "y", "8x8xf16")}"""
    passes = f"{GENERIC},func.func(keep-rounding),{FUSE},func.func(drop-rounding)"
    made = unchanged(kernel(body, "x 8x64xf16", "y 8x8xf16"), passes)
    assert "rounded" not in made.text
    x = np.asarray(execute(kernel(body, "x 8x64xf16", "y 8x8xf16")).arrays["y_ptr"])
    assert np.array_equal(x, made.arrays["y_ptr"])
