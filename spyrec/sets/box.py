"""Boxes: integer sets in which every dimension runs from one number to another, whatever the others do."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from spyrec.sets.affine import Constraint, IntegerSet, Linear, parse

MAX_PIECES = 4096
"""Subtracting boxes from a box gives up beyond so many pieces."""


class NotABox(ValueError):
    """The set is no box of constant bounds; the text says why."""


@dataclass(frozen=True)
class Box:
    """The points with ``low[k] <= x[k] <= high[k]`` in every dimension. Empty when a bound crosses the other."""

    low: tuple[int, ...]
    high: tuple[int, ...]

    @staticmethod
    def of_sizes(sizes: Sequence[int]) -> Box:
        """All points from 0 up to, but not including, ``sizes``."""
        return Box((0,) * len(sizes), tuple(size - 1 for size in sizes))

    @functools.cached_property
    def extents(self) -> tuple[int, ...]:
        """Number of points per dimension."""
        return tuple(max(0, high - low + 1) for low, high in zip(self.low, self.high, strict=True))

    @property
    def volume(self) -> int:
        """Number of points."""
        return math.prod(self.extents)

    @property
    def is_empty(self) -> bool:
        return 0 in self.extents

    def holds(self, other: Box) -> bool:
        """Whether every point of ``other`` is one of this box."""
        return other.is_empty or all(
            a <= b and d <= c for a, b, c, d in zip(self.low, other.low, self.high, other.high, strict=True)
        )

    def common(self, other: Box) -> Box:
        """The points of both."""
        return Box(tuple(map(max, self.low, other.low)), tuple(map(min, self.high, other.high)))

    def moved(self, by: Sequence[int]) -> Box:
        """The box with ``by`` added to each point."""
        return Box(*(tuple(x + d for x, d in zip(side, by, strict=True)) for side in (self.low, self.high)))

    def outside(self, other: Box) -> tuple[int, ...] | None:
        """A point of this box that is none of ``other``; None when there is none."""
        if other.holds(self):
            return None
        point = list(self.low)
        for k, (low, high) in enumerate(zip(other.low, other.high, strict=True)):
            if not low <= point[k] <= high:
                break
            if self.high[k] > high:
                point[k] = high + 1
                break
        return tuple(point)

    def without(self, other: Box) -> list[Box]:
        """Disjoint boxes that together are the points of this box which are none of ``other``."""
        inner = self.common(other)
        if inner.is_empty:
            return [] if self.is_empty else [self]
        pieces: list[Box] = []
        low, high = list(self.low), list(self.high)
        for k in range(len(low)):
            if low[k] < inner.low[k]:
                pieces.append(Box(tuple(low), (*high[:k], inner.low[k] - 1, *high[k + 1 :])))
            if inner.high[k] < high[k]:
                pieces.append(Box((*low[:k], inner.high[k] + 1, *low[k + 1 :]), tuple(high)))
            low[k], high[k] = inner.low[k], inner.high[k]
        return pieces

    def __str__(self) -> str:
        return "[" + ", ".join(f"{low}..{high}" for low, high in zip(self.low, self.high, strict=True)) + "]"


def uncovered(whole: Box, parts: Sequence[Box]) -> tuple[int, ...] | None:
    """A point of ``whole`` that is in none of ``parts``; None when there is none, or finding one takes too long."""
    pieces = [] if whole.is_empty else [whole]
    for part in parts:
        pieces = [rest for piece in pieces for rest in piece.without(part)]
        if len(pieces) > MAX_PIECES:
            return None
    return pieces[0].low if pieces else None


def box(points: IntegerSet | str) -> Box:
    """The box that a set (or its text) describes. Raises :class:`NotABox` when it is none."""
    points = parse(points) if isinstance(points, str) else points
    if points.symbols:
        raise NotABox(f"it has {points.symbols} symbol{'s' * (points.symbols > 1)}: its bounds are not constants")
    return of_constraints(points.dims, points.constraints, [_linear(c) for c in points.constraints])


def of_constraints(dims: int, constraints: Sequence[Constraint], forms: Sequence[Linear]) -> Box:
    """The box of points for which all ``forms`` (of ``d0``, ``d1``, ... alone) are at least 0, or are 0 where the
    constraint is an equality. Raises :class:`NotABox`.
    """
    low: list[int | None] = [None] * dims
    high: list[int | None] = [None] * dims
    impossible = False
    for constraint, form in zip(constraints, forms, strict=True):
        if len(form.factors) > 1:
            names = " and ".join(sorted(form.factors, key=lambda n: int(n[1:])))
            relation = "==" if constraint.equality else ">="
            raise NotABox(f"the constraint {constraint.text} {relation} 0 ties {names} together")
        if not form.factors:
            impossible |= form.constant != 0 if constraint.equality else form.constant < 0
            continue
        ((name, factor),) = form.factors.items()
        d = int(name[1:])
        for f, bound in [(factor, form.constant), (-factor, -form.constant)][: 1 + constraint.equality]:
            # f * x + bound >= 0
            if f > 0:
                low[d] = _choose(max, low[d], -(bound // f))
            else:
                high[d] = _choose(min, high[d], bound // -f)
    missing = [f"d{d}" for d in range(dims) if low[d] is None or high[d] is None]
    if missing:
        raise NotABox(f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not bounded on both sides")
    if impossible and not dims:
        raise NotABox("it has no point, and a box of rank 0 has one")
    lows = tuple(b for b in low if b is not None)
    highs = tuple(b for b in high if b is not None)
    return Box(lows, tuple(b - 1 for b in lows)) if impossible else Box(lows, highs)


def _linear(constraint: Constraint) -> Linear:
    form = constraint.expression.linear
    if form is None:
        raise NotABox(f"the constraint holds {constraint.text}, which is not linear")
    return form


def _choose(function: Callable[[int, int], int], old: int | None, new: int) -> int:
    return new if old is None else function(old, new)
