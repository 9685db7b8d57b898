# ruff: noqa: E501 (an op per line)
"""The structured ops of the affine dialect, and one index as several."""

from __future__ import annotations

import numpy as np
import pytest
from kernel import execute, refused, store, tile, view, written

from spyrec import interp


def kernel(body: str) -> str:
    """A kernel that stores %r, an index, as i32."""
    return (
        "func.func @kernel(%n: index, %z: index) attributes {grid = [1]} {\n%c7 = arith.constant 7 : index\n"
        + body
        + "%v = arith.index_cast %r : index to i32\n%t = tensor.from_elements %v : tensor<1xi32>\n"
        + view("zv", "%z", (1,), "i32")
        + tile("zt", "zv", "0", (1,), "memref<1xi32>")
        + store("t", "zt", (1,), "i32")
        + "return\n}\n"
    )


SUM = "iter_args(%s = %c7) -> (index) {\n%u = arith.addi %s, %i : index\naffine.yield %u : index\n}\n"
BODIES = {
    "a loop": ("%r = affine.for %i = 2 to %n step 3 " + SUM, 7 + 2 + 5 + 8),
    "the greatest lower and the least upper bound": ("%r = affine.for %i = max affine_map<(d0)[s0] -> (d0, s0 - 4)>(%c7)[%n] to min affine_map<(d0) -> (d0, 9)>(%n) " + SUM, 7 + 7 + 8),
    "a loop without iterations": ("%r = affine.for %i = 12 to %n " + SUM, 7),
    "a branch": ("%r = affine.if affine_set<(d0)[s0] : (d0 - s0 >= 0)>(%c7)[%n] -> index {\naffine.yield %n : index\n} else {\naffine.yield %c7 : index\n}\n", 7),
    "the other branch": ("%r = affine.if affine_set<(d0)[s0] : (s0 - d0 - 3 == 0)>(%c7)[%n] -> index {\naffine.yield %n : index\n} else {\naffine.yield %c7 : index\n}\n", 10),
    "one index as three": ("%a, %b, %c = affine.delinearize_index %c7 into (2, 2, 3) : index, index, index\n%k = arith.muli %a, %n : index\n%l = arith.addi %k, %b : index\n%m = arith.muli %l, %n : index\n%r = arith.addi %m, %c : index\n", 101),
    "without an outer extent": ("%a, %b = affine.delinearize_index %n into (3) : index, index\n%k = arith.muli %a, %n : index\n%r = arith.addi %k, %b : index\n", 31),
    "three indices as one": ("%r = affine.linearize_index [%c7, %n, %c7] by (8, %n, 5) : index\n", (7 * 10 + 10) * 5 + 7),
}  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
def test_affine_ops(name: str) -> None:
    body, want = BODIES[name]
    got = execute(kernel(body), {"n": 10, "z": written((1,), "i32")})["z"]
    assert np.array_equal(got, [want])


def test_an_index_beyond_its_basis() -> None:
    body = "%r, %b = affine.delinearize_index %n into (2, 3) : index, index\n"
    assert refused(kernel(body), {"n": 10, "z": written((1,), "i32")}).id == "index-out-of-range"


def test_reasons_are_reasons() -> None:
    from spyrec.interp.refusals import reason

    assert "scf.parallel" in reason("affine.parallel")
    assert "affine.for" in interp.meanings()
