"""A softmax is the same bits when it is taken apart, for every axis and element type, infinities and NaN included."""

from __future__ import annotations

import numpy as np
import pytest
from executed import kernel, load, store, unchanged


@pytest.mark.parametrize("element", ["f16", "f32", "bf16"])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_softmax(element: str, axis: int) -> None:
    type_ = f"3x5x4x{element}"
    body = f"""
    {load("a", "x", type_)}
    %e = tensor.empty() : tensor<{type_}>
    %r = linalg.softmax dimension({axis}) ins(%a : tensor<{type_}>) outs(%e : tensor<{type_}>) -> tensor<{type_}>
    {store("r", "y", type_)}"""
    given = {}
    if element == "f32":
        given["x_ptr"] = np.random.default_rng(1).standard_normal((3, 5, 4)).astype(np.float32) * 30
        given["x_ptr"][0, 0, 0] = -np.inf
        given["x_ptr"][1, 0] = -np.inf
        given["x_ptr"][2, 1, 1] = np.nan
    made = unchanged(kernel(body, f"x {type_}", f"y {type_}"), "func.func(decompose-softmax)", given)
    assert "linalg.softmax" not in made.text


def test_passes_after_it_change_no_bit() -> None:
    body = f"""
    {load("a", "x", "4x64xf16")}
    %e = tensor.empty() : tensor<4x64xf16>
    %r = linalg.softmax dimension(1) ins(%a : tensor<4x64xf16>) outs(%e : tensor<4x64xf16>) -> tensor<4x64xf16>
    {store("r", "y", "4x64xf16")}"""
    passes = "decompose-softmax,keep-rounding,linalg-fuse-elementwise-ops,canonicalize,cse,drop-rounding"
    unchanged(kernel(body, "x 4x64xf16", "y 4x64xf16"), f"func.func({passes})")
