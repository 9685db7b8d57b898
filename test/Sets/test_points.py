"""What sets are said to be for certain, against enumeration."""

import itertools
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spyrec import sets
from spyrec.mlir import ir
from spyrec.sets import Box, Points

ROOT = Path(__file__).resolve().parents[2]
RANGE = range(-3, 9)
GRID = list(itertools.product(RANGE, RANGE))


def canonical(text: str) -> str:
    with ir.Context():
        return str(ir.Attribute.parse(f"affine_set<{text}>"))


TERMS = st.sampled_from(
    ["a", "b", "a + b", "a - b", "2 * a - b", "a mod 3", "b floordiv 2", "a + b ceildiv 2", "s - a"]
)
CONSTRAINTS = st.builds(
    lambda term, sign, constant, relation: f"{sign}({term}) + {constant} {relation} 0",
    TERMS,
    st.sampled_from(["", "-"]),
    st.integers(-4, 6),
    st.sampled_from([">=", ">=", ">=", "=="]),
)
# Within RANGE in any case, so that enumeration sees all points.
BOUNDS = ["a + 3 >= 0", "8 - a >= 0", "b + 3 >= 0", "8 - b >= 0"]
SETS = st.lists(CONSTRAINTS, max_size=3).map(lambda more: canonical(f"(a, b)[s] : ({', '.join(BOUNDS + more)})"))


def enumerate_points(text: str, symbol: int) -> set[tuple[int, int]]:
    points = sets.parse(text)
    return {p for p in GRID if points.holds(p, (symbol,))}


@settings(max_examples=60, deadline=None)
@given(SETS, SETS, st.integers(0, 5))
def test_answers_about_numbers_are_exact(one: str, two: str, symbol: int) -> None:
    a, b = Points.of(one, [symbol]), Points.of(two, [symbol])
    in_a, in_b = enumerate_points(one, symbol), enumerate_points(two, symbol)
    assert a.surely_empty() is (not in_a)
    assert a.surely_apart(b) is (not in_a & in_b)
    meets, outside = a.surely_meets(b), a.surely_outside(b)
    assert meets in in_a & in_b if in_a & in_b else meets is None
    assert outside in in_a - in_b if in_a - in_b else outside is None
    missing = a.surely_uncovered([b, Points.of(two, [symbol])])
    assert missing in in_a - in_b if in_a - in_b else missing is None
    for k, extent in enumerate(a.extents()):
        line = [p[k] for p in in_a]
        assert extent == (max(line) - min(line) + 1 if line else 0)
        assert a.spans()[k] == ((min(line), max(line)) if line else None)
    moved = a.moved((100, -100))
    assert moved.surely_meets(a) is None
    assert moved.moved((-100, 100)).surely_outside(a) is None


@settings(max_examples=60, deadline=None)
@given(SETS, SETS)
def test_answers_about_parameters_hold_for_each_value(one: str, two: str) -> None:
    a, b = Points.of(one, ["n"]), Points.of(two, ["n"])
    meets, outside, apart = a.surely_meets(b), a.surely_outside(b), a.surely_apart(b)
    for n in range(12):
        in_a, in_b = enumerate_points(one, n), enumerate_points(two, n)
        if meets is not None and in_a and in_b:
            assert in_a & in_b
        if outside is not None and in_a:
            assert in_a - in_b
        if apart:
            assert not in_a & in_b


def test_dynamic_sizes() -> None:
    low = Points.of("affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>", ["n"])
    high = Points.of("affine_set<(d0)[s0] : (d0 - s0 >= 0, -d0 + s0 * 2 - 1 >= 0)>", ["n"])
    assert low.surely_outside(Points.of_sizes(["n"])) is None
    assert high.surely_outside(Points.of_sizes(["n"])) is not None
    assert high.surely_outside(Points.of_sizes(["m"])) is None
    assert low.surely_apart(high)
    assert not low.surely_apart(Points.of("affine_set<(d0)[s0] : (d0 - s0 >= 0, -d0 + s0 * 2 - 1 >= 0)>", ["m"]))
    assert low.extents() == [None]


def test_symbols_that_are_numbers_make_a_box() -> None:
    points = Points.of("affine_set<(d0)[s0] : (d0 - s0 mod 4 >= 0, -d0 + s0 floordiv 2 >= 0)>", [9])
    assert points.box == Box((1,), (4,))


def test_symbols_without_a_value_belong_to_their_set_alone() -> None:
    text = "affine_set<(d0)[s0] : (d0 - s0 == 0)>"
    assert Points.of(text, ["n"]).surely_meets(Points.of(text, ["n"])) is not None
    assert Points.of(text).surely_meets(Points.of(text)) is None


@pytest.mark.parametrize("text", ["(d0)[s0] : (d0 * s0 - 4 >= 0)", "(d0)[s0] : (d0 mod s0 == 0)"])
def test_what_is_not_affine_is_not_decided(text: str) -> None:
    points = Points.of(canonical(text), ["n"])
    assert points.shape is None
    assert not points.surely_empty()
    assert points.surely_outside(Points.of_sizes([4])) is None
    assert points.extents() == [None]


def test_too_much_work_is_not_decided() -> None:
    sums = " + ".join(f"{3 * k + 2} * d{k}" for k in range(14))
    dims = ", ".join(f"d{k}" for k in range(14))
    halves = ", ".join(f"d{k} mod {k + 3} - d{13 - k} floordiv {k + 2} >= 0" for k in range(14))
    points = Points.of(canonical(f"({dims}) : ({sums} - 700 == 0, {halves})"))
    assert points.surely_outside(Points.of_sizes([9] * 14)) is None


def test_boxes_need_no_library() -> None:
    program = (
        "from spyrec.sets import Points; import sys;"
        "a = Points.of('affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 >= 0)>', [7]);"
        "assert a.surely_outside(Points.of_sizes([7])) == (7,);"
        "assert a.surely_uncovered([a.moved((1,))]) == (0,);"
        "assert 'islpy' not in sys.modules and not any('torch_mlir' in m for m in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT)


BOXES = st.tuples(*[st.tuples(st.integers(-2, 5), st.integers(-1, 4)).map(lambda p: (p[0], p[0] + p[1]))] * 2).map(
    lambda sides: Box(tuple(s[0] for s in sides), tuple(s[1] for s in sides))
)


def inside(box: Box) -> set[tuple[int, ...]]:
    return set(itertools.product(*(range(a, b + 1) for a, b in zip(box.low, box.high, strict=True))))


@settings(max_examples=100, deadline=None)
@given(BOXES, BOXES, BOXES)
def test_boxes_are_their_points(a: Box, b: Box, c: Box) -> None:
    assert a.volume == len(inside(a))
    assert inside(a.common(b)) == inside(a) & inside(b)
    assert a.holds(b) is (inside(b) <= inside(a))
    pieces = a.without(b)
    assert set().union(*map(inside, pieces)) == inside(a) - inside(b)
    assert sum(p.volume for p in pieces) == len(inside(a) - inside(b))
    outside = a.outside(b)
    assert outside in inside(a) - inside(b) if inside(a) - inside(b) else outside is None
    rest = inside(a) - inside(b) - inside(c)
    found = sets.uncovered(a, [b, c])
    assert found in rest if rest else found is None


@pytest.mark.parametrize(
    ("text", "symbols", "among", "expected"),
    [
        ("(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)", [2], None, {8, 9, 10, 11}),
        ("(i)[g] : ((i - g) mod 2 == 0, i - g >= 0, -i + g + 6 >= 0)", [1], None, {1, 3, 5, 7}),
        ("(i) : (i mod 3 == 0)", [], range(10), {0, 3, 6, 9}),
        ("(i) : (i mod 3 == 0)", [], None, None),
        ("(i) : (i >= 0, -i + 1000000 >= 0)", [], None, None),
        ("(i) : (i - 3 >= 0, -i + 2 >= 0)", [], None, set()),
        ("(p)[c, g] : (p + c - 8 * g - 3 == 0)", [1, 1], None, {10}),
        ("(p)[c, g] : (p - g - 8 * (c mod 4) == 0)", [6, 1], None, {17}),
    ],
)
def test_members(text: str, symbols: list[int], among: range | None, expected: set[int] | None) -> None:
    assert sets.members(sets.parse(canonical(text)), symbols, among) == expected
