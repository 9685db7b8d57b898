# ruff: noqa: E501 (an op per line)
"""Tiles that read the same boxes, against the numbers that each of them computes."""

from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spyrec import asm, diag
from spyrec.dialects import dataflow, make_context
from spyrec.passes.analysis import kernels
from spyrec.passes.analysis.same_boxes import Groups, SameBoxes, grouped

TERMS = st.sampled_from(
    ["t", "t floordiv 2", "t floordiv 3", "t floordiv 4", "t mod 2", "t mod 3", "t mod 4", "(t + 1) mod 6"]
)
FORMS = st.lists(st.tuples(TERMS, st.integers(-3, 3)), max_size=3)


def kernel(offset: str, tiles: int, *, operand: str = "%t", clip: str = "") -> str:
    return f"""func.func @k(%x: index, %y: index, %n: index) attributes {{grid = [{tiles}]}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = dataflow.tile_id
  scf.for %i = %c0 to %n step %c1 {{
    %at = affine.apply affine_map<(t, i) -> ({offset} + i * 64)>({operand}, %i)
    %b = dataflow.alloc {{name = "x"}} : memref<64xf16, "lx">
    dataflow.data_transfer from @device[%at from %x] strides [1] to %b {clip} {{route = ["ddr", "load", "lx"], unit = @load}} : memref<64xf16, "lx">
  }}
  return
}}
"""


def groups(text: str) -> Groups | None:
    context = make_context()
    with context:
        module = asm.read(text, "k.mlir", context, sink=diag.Sink()).module
        function = module.operation.regions[0].blocks[0].operations[0].operation
        reads = [op.opview for op in kernels.walk(function) if isinstance(op.opview, dataflow.DataTransferOp)]
        return SameBoxes(function).groups(reads[0])


@settings(max_examples=150, deadline=None)
@given(FORMS, st.sampled_from([2, 3, 4, 6, 8, 12]))
def test_they_are_those_with_equal_addresses(form: list[tuple[str, int]], tiles: int) -> None:
    text = " + ".join(["0", *(f"({term}) * {factor}" for term, factor in form)])
    classes = defaultdict(list)
    for tile in range(tiles):
        at = sum(
            factor * eval(term.replace("floordiv", "//").replace("mod", "%"), {"t": tile}) for term, factor in form
        )
        classes[at].append(tile)
    assert groups(kernel(text, tiles)) == grouped(list(classes.values()))


@pytest.mark.parametrize(
    ("classes", "expected"),
    [
        ([[0, 1, 2, 3]], Groups((0,), 4, 1)),
        ([[0, 2], [1, 3]], Groups((0, 1), 2, 2)),
        ([[0], [1]], None),
        ([[0, 1, 2], [3]], None),
        ([[0, 1, 3]], None),
        ([[0, 1], [2, 4], [3, 5]], None),
    ],
)
def test_groups_are_progressions(classes: list[list[int]], expected: Groups | None) -> None:
    assert grouped(classes) == expected
    if expected is not None:
        assert [list(expected.members(g)) for g in range(len(classes))] == classes
        assert all(t in expected.members(expected.group_of(t)) for members in classes for t in members)


def test_groups_in_parts() -> None:
    assert Groups((0, 1), 4, 2).parted(2) == Groups((0, 4, 1, 5), 2, 2)


def test_what_is_not_known_is_not_the_same() -> None:
    assert groups(kernel("0", 4)) == Groups((0,), 4, 1)
    assert groups(kernel("t * 64", 4, operand="%n")) == Groups((0,), 4, 1)
    assert groups(kernel("0", 4, clip="clip [0] to [%n] fill 0")) == Groups((0,), 4, 1)
    assert groups(kernel("0", 4, clip="clip [0] to [%t] fill 0")) is None
    loaded = kernel("t", 4, operand="%k").replace(
        "  scf.for",
        """  %l = dataflow.alloc {name = "l"} : memref<1xi32, "lx">
  %w = memref.load %l[%c0] : memref<1xi32, "lx">
  %k = arith.index_cast %w : i32 to index
  scf.for""",
    )
    assert groups(loaded) is None
