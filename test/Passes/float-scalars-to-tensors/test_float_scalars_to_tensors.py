# ruff: noqa: E501 (ops of kernels keep to a line)
"""Floats that go through scalars, loops, branches and lanes keep their bits on tensors of rank 0."""

from __future__ import annotations

import re

import pytest
from executed import Executed, kernel, load, store, unchanged

PASS = "func.func(float-scalars-to-tensors)"


def check(body: str, arguments: str = "", given: dict[str, float] | None = None) -> Executed:
    text = kernel(
        "\n".join([load("a", "x", "4x8xf32"), body, store("r", "y", "4x8xf32")]),
        "x 4x8xf32",
        "y 4x8xf32",
        arguments=arguments,
    )
    made = unchanged(text, PASS, given)
    # No float is computed but in lanes.
    outside = re.sub(r"\{\n\s*\^bb0\(%\w+: (f|i).*?\n\s*\} ->", "", made.text, flags=re.DOTALL)
    assert not re.search(r"= (math\.|arith\.\w+f )\S* ?[^\n]* : f32\n", outside), outside
    return made


def test_extract_compute_and_splat() -> None:
    check("""
    %half = arith.constant 0.5 : f32
    %m = tensor.extract %a[%c1, %c0] : tensor<4x8xf32>
    %n = arith.mulf %m, %half : f32
    %e = math.exp %n : f32
    %s = tensor.splat %e : tensor<4x8xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<4x8xf32>) outs(%a : tensor<4x8xf32>) {
    ^bb0(%p: f32, %o: f32):
      %t = arith.addf %p, %n : f32
      %u = arith.subf %t, %m : f32
      linalg.yield %u : f32
    } -> tensor<4x8xf32>""")


def test_scalars_among_the_inputs_and_from_the_launch() -> None:
    made = check(
        """
    %m = tensor.extract %a[%c1, %c0] : tensor<4x8xf32>
    %k = arith.mulf %scale, %scale : f32
    %l = arith.addf %k, %m : f32
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> ()>, affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%l, %scale : f32, f32) outs(%a : tensor<4x8xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %t = arith.addf %p, %o : f32
      %u = arith.mulf %t, %q : f32
      linalg.yield %u : f32
    } -> tensor<4x8xf32>""",
        "%scale: f32",
        {"scale": 1.25},
    )
    assert "ins(%" in made.text


@pytest.mark.parametrize("trips", [0, 1, 3])
def test_carried_by_a_loop(trips: int) -> None:
    check(f"""
    %n = arith.constant {trips} : index
    %start = arith.constant 0.25 : f32
    %first = tensor.extract %a[%c0, %c0] : tensor<4x8xf32>
    %last, %count, %sum = scf.for %i = %c0 to %n step %c1 iter_args(%u = %start, %k = %c0, %v = %first) -> (f32, index, f32) {{
      %x = tensor.extract %a[%i, %c1] : tensor<4x8xf32>
      %w = arith.addf %u, %x : f32
      %l = arith.addi %k, %c1 : index
      scf.yield %w, %l, %u : f32, index, f32
    }}
    %j = arith.index_cast %count : index to i32
    %f = arith.sitofp %j : i32 to f32
    %g = arith.addf %f, %last : f32
    %h = arith.maximumf %g, %sum : f32
    %r = tensor.splat %h : tensor<4x8xf32>""")


def test_steers_a_branch_and_comes_out_of_one() -> None:
    made = check("""
    %zero = arith.constant 0.0 : f32
    %m = tensor.extract %a[%c1, %c0] : tensor<4x8xf32>
    %positive = arith.cmpf ogt, %m, %zero : f32
    %v = scf.if %positive -> (f32) {
      %p = math.sqrt %m : f32
      scf.yield %p : f32
    } else {
      scf.yield %zero : f32
    }
    %w = arith.select %positive, %v, %m : f32
    %k = arith.fptosi %w : f32 to i32
    %l = arith.index_cast %k : i32 to index
    %less = arith.cmpi slt, %l, %c1 : index
    %x = arith.select %less, %w, %v : f32
    %r = tensor.splat %x : tensor<4x8xf32>""")
    assert "tensor.extract" in made.text


def test_integers_that_only_lanes_compute() -> None:
    body = f"""
    {load("a", "x", "8xi32")}
    %k = tensor.extract %a[%c0] : tensor<8xi32>
    %n = math.ctpop %k : i32
    %s = tensor.splat %n : tensor<8xi32>
    {store("s", "y", "8xi32")}"""
    unchanged(kernel(body, "x 8xi32", "y 8xi32"), PASS)
