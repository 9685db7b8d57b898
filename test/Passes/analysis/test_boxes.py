"""Which integer sets are boxes, and which boxes they are."""

from __future__ import annotations

import itertools

import pytest

from spyrec.mlir import ir
from spyrec.passes.analysis.boxes import Box, NotABox, box


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("(r, c) : (r >= 0, -r + 95 >= 0, c >= 0, -c + 63 >= 0)", (0, 0), (95, 63)),
        ("(r, c) : (r == 0, c - 8 >= 0, -c + 15 >= 0)", (0, 8), (0, 15)),
        ("(x) : (2 * x - 3 >= 0, 9 - 3 * x >= 0)", (2,), (3,)),
        ("(x) : (-2 * x + 6 == 0)", (3,), (3,)),
        ("(x) : (x + 4 >= 0, -x - 2 >= 0, -x + 10 >= 0)", (-4,), (-2,)),
        ("() : ()", (), ()),
    ],
)
def test_boxes(text: str, low: tuple[int, ...], high: tuple[int, ...]) -> None:
    with ir.Context():
        assert box(ir.Attribute.parse(f"affine_set<{text}>")) == Box(low, high)


def test_points_by_enumeration() -> None:
    """A box has exactly the points that satisfy all constraints."""
    bounds = [(a, b) for a in (-2, 0, 1) for b in (-1, 0, 3)]
    with ir.Context():
        for (a, b), factor in itertools.product(bounds, (1, 2, 3)):
            found = box(ir.Attribute.parse(f"affine_set<(x) : (x * {factor} - {a} >= 0, {b} - x * {factor} >= 0)>"))
            points = [x for x in range(-9, 10) if x * factor - a >= 0 and b - x * factor >= 0]
            assert found.extents == (len(points),)
            assert found.is_empty == (not points)
            if points:
                assert (found.low, found.high) == ((points[0],), (points[-1],))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(r, c) : (r >= 0, -r - c + 9 >= 0, c >= 0)", "ties d0 and d1 together"),
        ("(x) : (x mod 2 == 0, x >= 0, -x + 9 >= 0)", "d0 mod 2"),
        ("(x) : (x >= 0)", "d0 is not bounded on both sides"),
        ("(x)[n] : (x >= 0, n - x >= 0)", "its bounds are not constants"),
    ],
)
def test_not_boxes(text: str, reason: str) -> None:
    with ir.Context(), pytest.raises(NotABox, match=reason.replace("(", r"\(")):
        box(ir.Attribute.parse(f"affine_set<{text}>"))


def test_holding() -> None:
    outer = Box((0, 0), (9, 9))
    assert outer.holds(Box((0, 3), (9, 4)))
    assert not outer.holds(Box((0, 3), (10, 4)))
    assert outer.holds(Box((50, 0), (40, 0)))  # a box without points is inside everything
