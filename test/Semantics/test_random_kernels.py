# ruff: noqa: E501 (ops of kernels keep to a line)
"""Random kernels do the same at every stage, as binary and in any order; and small ones that once did not.

``bench/fuzz_kernels.py`` runs as many as one likes.
"""

from __future__ import annotations

import numpy as np
import pytest
from agreement import Setting, check, setting
from executed import kernel, load, store
from random_kernels import Kernel
from random_kernels import kernel as random_kernel

MAPS = "#rc = affine_map<(r, c) -> (r, c)>\n#r = affine_map<(r, c) -> (r)>\n#none = affine_map<(r, c) -> ()>\n"


@pytest.mark.parametrize("seed", range(12))
def test_a_random_kernel_does_the_same_everywhere(seed: int) -> None:
    outcome = check(random_kernel(seed), setting(seed))
    assert outcome.kind in ("equal", "rounded", "refused"), outcome


def test_a_difference_is_seen() -> None:
    """The check itself: a kernel with other data at its later stages."""
    found = random_kernel(0)
    changed = Kernel(found.text, dict(found.values), found.exact)
    runs = []

    class Changing(dict[str, object]):
        def items(self):  # type: ignore[no-untyped-def]
            runs.append(0)
            return [(n, v + len(runs) if isinstance(v, np.ndarray) else v) for n, v in super().items()]

    changed.values = Changing(found.values)
    assert check(changed, Setting()).kind in ("mismatch", "fault")


FOUND = {
    # Folding has made the term 0 before the fold had its init.
    "a_fold_of_nothing_into_nothing": (
        f"""{load("a", "x", "4x8xi32")}
    %e = tensor.empty() : tensor<i32>
    %f = linalg.generic {{indexing_maps = [#rc, #none], iterator_types = ["reduction", "reduction"]}} ins(%a : tensor<4x8xi32>) outs(%e : tensor<i32>) {{
    ^bb0(%p: i32, %o: i32):
      %g = arith.xori %p, %p : i32
      %h = arith.addi %o, %g : i32
      linalg.yield %h : i32
    }} -> tensor<i32>
    %y = tensor.expand_shape %f [] output_shape [1] : tensor<i32> into tensor<1xi32>
    {store("y", "z", "1xi32")}""",
        ("x 4x8xi32", "z 1xi32"),
        Setting(),
    ),
    # Fusion has: a maximum of unsigned numbers with 0 is no fold any more.
    "a_fold_that_fusion_makes_none": (
        f"""{load("a", "x", "4x8xi32")}
    %zero = arith.xori %a, %a : tensor<4x8xi32>
    %e = arith.constant dense<-2> : tensor<4xi32>
    %f = linalg.generic {{indexing_maps = [#rc, #rc, #r], iterator_types = ["parallel", "reduction"]}} ins(%a, %zero : tensor<4x8xi32>, tensor<4x8xi32>) outs(%e : tensor<4xi32>) {{
    ^bb0(%p: i32, %q: i32, %o: i32):
      %g = arith.muli %p, %q : i32
      %h = arith.maxui %o, %g : i32
      linalg.yield %h : i32
    }} -> tensor<4xi32>
    {store("f", "z", "4xi32")}""",
        ("x 4x8xi32", "z 4xi32"),
        Setting("small_cores"),
    ),
}


@pytest.mark.parametrize("name", FOUND)
def test_found(name: str) -> None:
    body, arguments, how = FOUND[name]
    rng = np.random.default_rng(3)
    values = {f"{a.split()[0]}_ptr": rng.integers(-9, 9, 4096).astype(np.int32) for a in arguments}
    assert check(Kernel(MAPS + kernel(body, *arguments), values, True), how).kind == "equal"
