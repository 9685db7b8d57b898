# ruff: noqa: E501 (ops of kernels keep to a line)
"""One constant as first value of a loop and as init of what the loop does: the same bits with one fill and with two."""

from __future__ import annotations

from executed import kernel, load, store, unchanged


def test_a_constant_that_begins_a_loop_and_each_of_its_products() -> None:
    body = f"""
    {load("a", "x", "8x8xf32")}
    %c3 = arith.constant 3 : index
    %zero = arith.constant dense<0.5> : tensor<8x8xf32>
    %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%sum = %zero) -> (tensor<8x8xf32>) {{
      %p = linalg.matmul ins(%a, %sum : tensor<8x8xf32>, tensor<8x8xf32>) outs(%zero : tensor<8x8xf32>) -> tensor<8x8xf32>
      scf.yield %p : tensor<8x8xf32>
    }}
    {store("r", "y", "8x8xf32")}"""
    passes = "linalg-generalize-named-ops,func.func(scalars-to-tensors,cse,unshare-inits)"
    made = unchanged(kernel(body, "x 8x8xf32", "y 8x8xf32"), passes)
    assert made.text.count("outs(") == 3  # two fills and the contraction


def test_slices_of_one_tensor_that_go_on_in_two_ways() -> None:
    # Copied as a whole, what is not written yet would be read.
    body = f"""
    {load("a", "x", "4x4xf32")}
    %e = tensor.empty() : tensor<4x8xf32>
    %half = tensor.insert_slice %a into %e[0, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x8xf32>
    %twice = tensor.insert_slice %a into %half[0, 4] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x8xf32>
    %f = tensor.empty() : tensor<4x4xf32>
    %n = linalg.negf ins(%a : tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
    %other = tensor.insert_slice %n into %half[0, 4] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x8xf32>
    {store("twice", "y", "4x8xf32")}
    {store("other", "z", "4x8xf32")}"""
    passes = "linalg-generalize-named-ops,func.func(unshare-inits)"
    made = unchanged(kernel(body, "x 4x4xf32", "y 4x8xf32", "z 4x8xf32"), passes)
    assert made.text.count("insert_slice") == 4
    assert made.text.count("tensor.empty() : tensor<4x8xf32>") == 2
