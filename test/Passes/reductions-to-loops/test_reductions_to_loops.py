# ruff: noqa: E501 (ops of kernels keep to a line)
"""Bodies that no known combiner ends give the same bits in loops, one iteration after the other."""

from __future__ import annotations

import pytest
from executed import kernel, load, store, unchanged

PASSES = "linalg-generalize-named-ops,func.func(reductions-to-loops)"
ARGMAX = """
    %low = arith.constant dense<0xFF800000> : tensor<{out}xf32>
    %none = arith.constant dense<-1> : tensor<{out}xi32>
    %m:2 = linalg.generic {{indexing_maps = [#in, #out, #out], iterator_types = ["parallel", "reduction"]}} ins(%a : tensor<4x9xf32>) outs(%low, %none : tensor<{out}xf32>, tensor<{out}xi32>) {{
    ^bb0(%v: f32, %best: f32, %at: i32):
      %k = linalg.index {dim} : index
      %i = arith.index_cast %k : index to i32
      %more = arith.cmpf ogt, %v, %best : f32
      %nv = arith.select %more, %v, %best : f32
      %ni = arith.select %more, %i, %at : i32
      linalg.yield %nv, %ni : f32, i32
    }} -> (tensor<{out}xf32>, tensor<{out}xi32>)"""


@pytest.mark.parametrize(("out", "maps", "dim"), [("4", "(r, c) -> (r)", 1), ("4x1", "(r, c) -> (r, 0)", 0)])
def test_the_place_of_the_greatest(out: str, maps: str, dim: int) -> None:
    body = "\n".join(
        [
            load("a", "x", "4x9xf32"),
            ARGMAX.format(out=out, dim=dim),
            store("m#0", "y", f"{out}xf32"),
            store("m#1", "z", f"{out}xi32"),
        ]
    )
    text = "#in = affine_map<(r, c) -> (r, c)>\n" + f"#out = affine_map<{maps}>\n"
    made = unchanged(text + kernel(body, "x 4x9xf32", f"y {out}xf32", f"z {out}xi32"), PASSES)
    assert '"reduction"' not in made.text
    assert "scf.for" in made.text


def test_each_operation_is_rounded_in_the_order_of_the_loops() -> None:
    body = f"""
    {load("a", "x", "3x4x5xf16")}
    %s = arith.constant dense<1.0> : tensor<4xf16>
    %r = linalg.reduce ins(%a : tensor<3x4x5xf16>) outs(%s : tensor<4xf16>) dimensions = [0, 2]
      (%v: f16, %o: f16) {{
        %h = arith.constant 0.75 : f16
        %p = arith.mulf %o, %h : f16
        %q = arith.subf %v, %p : f16
        linalg.yield %q : f16
      }}
    {store("r", "y", "4xf16")}"""
    assert unchanged(kernel(body, "x 3x4x5xf16", "y 4xf16"), PASSES).text.count("scf.for") == 2


def test_a_running_sum_writes_every_place() -> None:
    body = f"""
    {load("a", "x", "4x9xf32")}
    %z = arith.constant dense<0.0> : tensor<4xf32>
    %e = tensor.empty() : tensor<4x9xf32>
    %r:2 = linalg.generic {{indexing_maps = [#rc, #r, #rc], iterator_types = ["parallel", "reduction"]}} ins(%a : tensor<4x9xf32>) outs(%z, %e : tensor<4xf32>, tensor<4x9xf32>) {{
    ^bb0(%v: f32, %o: f32, %p: f32):
      %s = arith.addf %o, %v : f32
      linalg.yield %s, %s : f32, f32
    }} -> (tensor<4xf32>, tensor<4x9xf32>)
    {store("r#0", "y", "4xf32")}
    {store("r#1", "z", "4x9xf32")}"""
    text = "#rc = affine_map<(r, c) -> (r, c)>\n#r = affine_map<(r, c) -> (r)>\n"
    made = unchanged(text + kernel(body, "x 4x9xf32", "y 4xf32", "z 4x9xf32"), PASSES)
    assert "tensor.insert_slice" in made.text
    sums, every = made.arrays["y_ptr"].reshape(4), made.arrays["z_ptr"].reshape(4, 9)
    assert (every[:, -1] == sums).all()
    assert (every[:, 0] != sums).any()


def test_without_an_old_value_the_last_iteration_counts() -> None:
    body = f"""
    {load("a", "x", "4x9xf32")}
    %e = tensor.empty() : tensor<9xf32>
    %r = linalg.generic {{indexing_maps = [#rc, #c], iterator_types = ["reduction", "parallel"]}} ins(%a : tensor<4x9xf32>) outs(%e : tensor<9xf32>) {{
    ^bb0(%v: f32, %o: f32):
      linalg.yield %v : f32
    }} -> tensor<9xf32>
    {store("r", "y", "9xf32")}"""
    text = "#rc = affine_map<(r, c) -> (r, c)>\n#c = affine_map<(r, c) -> (c)>\n"
    assert "scf.for" not in unchanged(text + kernel(body, "x 4x9xf32", "y 9xf32"), PASSES).text


def test_a_fold_that_keeps_what_was_there_is_its_output() -> None:
    body = f"""
    {load("a", "x", "4x9xf32")}
    {load("i", "w", "9xf32")}
    %r = linalg.generic {{indexing_maps = [#rc, #c], iterator_types = ["reduction", "parallel"]}} ins(%a : tensor<4x9xf32>) outs(%i : tensor<9xf32>) {{
    ^bb0(%v: f32, %o: f32):
      linalg.yield %o : f32
    }} -> tensor<9xf32>
    {store("r", "y", "9xf32")}"""
    text = "#rc = affine_map<(r, c) -> (r, c)>\n#c = affine_map<(r, c) -> (c)>\n"
    made = unchanged(text + kernel(body, "x 4x9xf32", "w 9xf32", "y 9xf32"), PASSES)
    assert "linalg.generic" not in made.text


def test_sums_of_rows_and_of_columns_are_two_ops() -> None:
    body = f"""
    {load("a", "x", "4x9xf32")}
    %z = arith.constant dense<0.0> : tensor<4xf32>
    %w = arith.constant dense<0.0> : tensor<9xf32>
    %r:3 = linalg.generic {{indexing_maps = [#rc, #r, #rc, #c], iterator_types = ["reduction", "reduction"]}} ins(%a : tensor<4x9xf32>) outs(%z, %a, %w : tensor<4xf32>, tensor<4x9xf32>, tensor<9xf32>) {{
    ^bb0(%v: f32, %o: f32, %p: f32, %q: f32):
      %t = arith.addf %v, %p : f32
      %s = arith.addf %o, %t : f32
      %m = arith.maximumf %q, %t : f32
      linalg.yield %s, %t, %m : f32, f32, f32
    }} -> (tensor<4xf32>, tensor<4x9xf32>, tensor<9xf32>)
    {store("r#0", "y", "4xf32")}
    {store("r#1", "w", "4x9xf32")}
    {store("r#2", "z", "9xf32")}"""
    maps = "#rc = affine_map<(r, c) -> (r, c)>\n#r = affine_map<(r, c) -> (r)>\n#c = affine_map<(r, c) -> (c)>\n"
    made = unchanged(maps + kernel(body, "x 4x9xf32", "y 4xf32", "w 4x9xf32", "z 9xf32"), PASSES)
    assert made.text.count("linalg.generic") == 2
    assert "scf.for" not in made.text
