"""What may share bytes is found without looking at all pairs, and all of it is found."""

from __future__ import annotations

import itertools
import random

import pytest

from spyrec.passes.analysis import hazards
from spyrec.passes.analysis.hazards import Cells
from spyrec.passes.analysis.linear import Leaf, Linear
from spyrec.passes.analysis.overlap import overlapping
from spyrec.passes.analysis.places import BoxPlace, Variable
from spyrec.passes.analysis.skeleton import Block, Loop
from spyrec.passes.analysis.tensor_boxes import AccessBox
from spyrec.passes.analysis.tiling import neighbours

MANY = 2_000


def test_overlapping_pieces_against_all_pairs() -> None:
    draw = random.Random(1)
    for _ in range(300):
        starts = [draw.randint(0, 30) for _ in range(draw.randint(0, 8))]
        pieces = [(a, a + draw.randint(1, 6), draw.random() < 0.5, number) for number, a in enumerate(starts)]
        expected = {
            frozenset((m, n))
            for (a, b, one, m), (c, d, other, n) in itertools.combinations(pieces, 2)
            if a < d and c < b and (one or other)
        }
        found = [frozenset(pair) for pair in overlapping(pieces)]
        assert set(found) == expected
        assert len(found) == len(expected)


# Boxes of tensors, before they are cut


def box(start: Linear, strides: tuple[int, ...], extents: tuple[int, ...], *, unknown: bool = False) -> AccessBox:
    return AccessBox(
        space="device", base=None, start=start, strides=strides, extents=extents, element=2, unknown=unknown
    )


def elements(of: AccessBox, leaf: int) -> set[int]:
    """All bytes, a leaf of the start being the number ``leaf``."""
    start = of.start.constant + sum(factor * leaf for _, factor in of.start.terms)
    found = set()
    for point in itertools.product(*map(range, of.extents)):
        first = start + sum(i * stride for i, stride in zip(point, of.strides, strict=True))
        found |= {first, first + 1}
    return found


def test_boxes_that_share_bytes_are_neighbours() -> None:
    draw = random.Random(2)
    leaf = Linear.atom(Leaf(0))
    for _ in range(300):
        boxes = []
        for _ in range(draw.randint(1, 6)):
            start = Linear.of(2 * draw.randint(0, 20)) + leaf.scaled(draw.choice([0, 0, 8, 8, 16]))
            strides = tuple(2 * draw.randint(-4, 8) for _ in range(2))
            extents = (draw.randint(0, 3), draw.randint(1, 3))
            boxes.append(box(start, strides, extents, unknown=draw.random() < 0.1))
        writes = [draw.random() < 0.5 for _ in boxes]
        found = {frozenset(pair) for pair in neighbours(boxes, writes)}
        for m, n in itertools.combinations_with_replacement(range(len(boxes)), 2):
            if not (writes[m] or writes[n]) or 0 in (*boxes[m].extents, *boxes[n].extents):
                continue
            meet = any(not elements(boxes[m], k).isdisjoint(elements(boxes[n], k)) for k in range(3))
            if meet or (m != n and (boxes[m].unknown or boxes[n].unknown)):
                assert frozenset((m, n)) in found, (boxes[m], boxes[n])


def test_rows_have_few_neighbours() -> None:
    at = Linear.atom(Leaf(0)).scaled(128)
    rows = [box(at + Linear.of(128 * row), (128, 2), (1, 64)) for row in range(MANY)]
    # Each row is loaded, and stored to where it was.
    pairs = list(neighbours([*rows, *rows], [False] * MANY + [True] * MANY))
    assert len(pairs) == 2 * MANY  # with itself, and the load with the store


# Places of device memory, in loops


def in_loops(count: int, trips: int) -> tuple[Loop, ...]:
    loops: tuple[Loop, ...] = ()
    for number in range(count):
        block = Block(loops, loops[-1] if loops else None)
        loops = (*loops, Loop(block, number, None, max_trips=trips))  # type: ignore[arg-type]
    return loops


def touched(place: BoxPlace, tile: int) -> set[int]:
    """All bytes of a place in any iteration on one tile; what has no bound is looked at near 0."""
    ranges = []
    for variable, factor in place.variables:
        low, high = (-2, 2) if variable.low is None or variable.high is None else (variable.low, variable.high)
        numbers = range(low, high + 1) if variable.loops else [tile]
        ranges.append([factor * number for number in numbers])
    ranges += [[stride * i for i in range(extent)] for stride, extent in place.box]
    firsts = {place.start + sum(point) for point in itertools.product(*ranges)}
    return {first + byte for first in firsts for byte in range(place.element)}


@pytest.mark.parametrize("kinds", [hazards._KINDS, 1])
def test_places_that_meet_in_some_iterations_are_neighbours(kinds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hazards, "_KINDS", kinds)
    draw = random.Random(3)
    met = 0
    for _ in range(300):
        loops = in_loops(2, draw.randint(1, 4))
        known = [Variable(frozenset(loops[k:]), loop, 0, (loop.max_trips or 1) - 1) for k, loop in enumerate(loops)]
        variables = [*known, Variable(frozenset(), None, 0, 3), Variable(frozenset(loops), None, None, None)]
        tile = draw.choice([0, 64])
        places = []
        for number in range(draw.randint(2, 6)):
            factors = [draw.choice([0, 0, 16, 48]), draw.choice([0, 16]), tile, draw.choice([0] * 9 + [32])]
            terms = tuple((v, f) for v, f in zip(variables, factors, strict=True) if f)
            extents = ((draw.choice([2, 4, 16]), draw.randint(1, 4)),)
            places.append(BoxPlace(str(number), 0, False, 2 * draw.randint(0, 40), terms, extents, 2))
        cells = Cells(places)
        for one, other in itertools.combinations(places, 2):
            if any(not touched(one, tile).isdisjoint(touched(other, tile)) for tile in range(4)):
                met += 1
                assert other in cells.near(one), (one, other)
                assert one in cells.near(other), (one, other)
    assert met > 200


def test_rows_in_a_loop_have_few_neighbours() -> None:
    (loop,) = in_loops(1, 3)
    down = Variable(frozenset({loop}), loop, 0, 2)
    tile = Variable(frozenset(), None, 0, 31)
    terms = ((down, 128), (tile, 4096))
    # Three rows in three iterations each.
    places = [BoxPlace(str(k), 0, False, 384 * k, terms, ((2, 64),), 2) for k in range(MANY)]
    cells = Cells(places)
    assert all(cells.near(place) == (place,) for place in places)
