"""What starts from an empty tensor starts from the same numbers when they are written down."""

from __future__ import annotations

import numpy as np
import pytest
from executed import kernel, load, store, unchanged

PASSES = "linalg-generalize-named-ops,func.func(normalize-reductions)"


@pytest.mark.parametrize(
    "combiner", ["arith.addf", "arith.mulf", "arith.maximumf", "arith.minimumf", "arith.maxnumf", "arith.minnumf"]
)
def test_floats(combiner: str) -> None:
    body = f"""
    {load("a", "x", "4x9xf16")}
    %e = tensor.empty() : tensor<4xf16>
    %r = linalg.reduce {{ {combiner} }} ins(%a : tensor<4x9xf16>) outs(%e : tensor<4xf16>) dimensions = [1]
    {store("r", "y", "4xf16")}"""
    x = np.random.default_rng(3).standard_normal((4, 9)).astype(np.float16)
    x[1] = np.nan
    x[2, 3] = -np.inf
    made = unchanged(kernel(body, "x 4x9xf16", "y 4xf16"), PASSES, {"x_ptr": x})
    assert "tensor.empty" not in made.text
    assert made.ids == ("empty-init",)


@pytest.mark.parametrize("combiner", ["addi", "muli", "maxsi", "minsi", "maxui", "minui", "andi", "ori", "xori"])
def test_integers(combiner: str) -> None:
    body = f"""
    {load("a", "x", "9x4xi32")}
    %e = tensor.empty() : tensor<4xi32>
    %r = linalg.reduce {{ arith.{combiner} }} ins(%a : tensor<9x4xi32>) outs(%e : tensor<4xi32>) dimensions = [0]
    {store("r", "y", "4xi32")}"""
    assert "tensor.empty" not in unchanged(kernel(body, "x 9x4xi32", "y 4xi32"), PASSES).text


def test_an_empty_tensor_through_a_loop_and_a_slice() -> None:
    body = f"""
    {load("a", "x", "3x4xf32")}
    %c2 = arith.constant 2 : index
    %e = tensor.empty() : tensor<2x4xf32>
    %whole = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %e) -> (tensor<2x4xf32>) {{
      %half = tensor.extract_slice %acc[1, 0] [1, 4] [1, 1] : tensor<2x4xf32> to tensor<4xf32>
      %r = linalg.reduce {{ arith.maximumf }} ins(%a : tensor<3x4xf32>) outs(%half : tensor<4xf32>) dimensions = [0]
      %next = tensor.insert_slice %r into %acc[1, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<2x4xf32>
      scf.yield %next : tensor<2x4xf32>
    }}
    %low = tensor.extract_slice %whole[1, 0] [1, 4] [1, 1] : tensor<2x4xf32> to tensor<4xf32>
    {store("low", "y", "4xf32")}"""
    assert "tensor.empty" not in unchanged(kernel(body, "x 3x4xf32", "y 4xf32"), PASSES).text


def test_a_product_into_an_empty_tensor_is_warned_about() -> None:
    body = f"""
    {load("a", "x", "4x4xf16")}
    %e = tensor.empty() : tensor<4x4xf32>
    %r = linalg.matmul ins(%a, %a : tensor<4x4xf16>, tensor<4x4xf16>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
    {store("r", "y", "4x4xf32")}"""
    unchanged(kernel(body, "x 4x4xf16", "y 4x4xf32"), PASSES)
