"""Sets whose dimensions are bounded through others have the same points as when the bounds are written out."""

import itertools

import pytest

from spyrec import dialects
from spyrec.interp.faults import Fault
from spyrec.interp.points import SetFunction
from spyrec.mlir import ir


def points(text: str) -> set[tuple[int, ...]]:
    with dialects.make_context():
        found = SetFunction(ir.Attribute.parse(f"affine_set<{text}>")).points()
        box = found.box
        inside = itertools.product(*(range(a, b) for a, b in zip(box.low, box.high, strict=True)))
        mask = found.mask(box)
        return {p for p in inside if mask is None or mask[tuple(x - a for x, a in zip(p, box.low, strict=True))]}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("(a, b) : (a >= 0, -a + 3 >= 0, b >= 0, a - b >= 0)", {(a, b) for a in range(4) for b in range(a + 1)}),
        ("(a, b) : (a >= 0, -a + 3 >= 0, a - b == 0)", {(a, a) for a in range(4)}),
        (
            "(a, b, c) : (a - 2 >= 0, -a + 4 >= 0, b - a >= 0, a - b + 2 >= 0, b - 2 * c >= 0, 2 * c - b + 3 >= 0)",
            {
                (a, b, c)
                for a in range(2, 5)
                for b in range(a, a + 3)
                for c in range(-9, 9)
                if b - 2 * c >= 0 and 2 * c - b + 3 >= 0
            },
        ),
    ],
)
def test_bounds_are_found_through_other_dimensions(text: str, wanted: set[tuple[int, ...]]) -> None:
    assert points(text) == wanted


def test_what_is_unbounded_is_said() -> None:
    with pytest.raises(Fault, match=r"d1 of .* has no lower and upper bound"):
        points("(a, b) : (a >= 0, -a + 3 >= 0, b - a >= 0)")
