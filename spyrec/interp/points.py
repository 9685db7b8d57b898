"""Integer sets as sets of points: a box, and where the set is no box the constraints that cut points out of it."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from spyrec.interp.affine import expressions_function, set_constraints
from spyrec.interp.faults import Fault
from spyrec.mlir import ir

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Box:
    """The points with ``low[k] <= x[k] < high[k]``; empty when a bound is not above the other."""

    low: tuple[int, ...]
    high: tuple[int, ...]

    @functools.cached_property
    def extents(self) -> tuple[int, ...]:
        """Number of points per dimension."""
        return tuple([b - a if b > a else 0 for a, b in zip(self.low, self.high, strict=True)])

    @functools.cached_property
    def is_empty(self) -> bool:
        """Whether there are no points."""
        return 0 in self.extents

    @property
    def count(self) -> int:
        """Number of points."""
        return math.prod(self.extents)

    def moved(self, by: Sequence[int]) -> Box:
        """The box with ``by`` added to each point."""
        return Box(tuple(map(operator.add, self.low, by)), tuple(map(operator.add, self.high, by)))

    def common(self, other: Box) -> Box:
        """The points of both."""
        return Box(
            tuple(map(max, self.low, other.low)),
            tuple(map(min, self.high, other.high)),
        )

    def holds(self, other: Box) -> bool:
        """Whether every point of ``other`` is one of this box."""
        return other.is_empty or (
            all(map(operator.le, self.low, other.low)) and all(map(operator.ge, self.high, other.high))
        )

    def __str__(self) -> str:
        return "[" + ", ".join(f"{a}..{b - 1}" for a, b in zip(self.low, self.high, strict=True)) + "]"


@dataclass(frozen=True)
class Points:
    """The points of ``box`` that ``rest`` (None: all) holds for; ``symbols`` are the values of the set's symbols."""

    box: Box
    rest: SetFunction | None
    symbols: tuple[int, ...]

    def mask(self, box: Box) -> Mask | None:
        """Which points of ``box``, which lies within this set's own, belong to the set; None: all of them."""
        return self.rest.mask(box, self.symbols) if self.rest is not None else None

    def holds(self, coordinates: Sequence[Any], count: int) -> Mask:
        """Which of ``count`` points, given by one array per dimension, belong to the set."""
        kept = np.ones(count, bool)
        for x, low, high in zip(coordinates, self.box.low, self.box.high, strict=True):
            kept &= (x >= low) & (x < high)
        return kept if self.rest is None else kept & self.rest.holds(coordinates, self.symbols)


_PREPARED: dict[tuple[str, bool], SetFunction] = {}
_MOST = 4096


class SetFunction:
    """An ``affine_set`` prepared for evaluation: bounds of single dimensions, and the other constraints.

    Only one that is ``bounded`` can be asked for its points. Equal sets are prepared once, see :meth:`of`: a kernel has
    few, and meets them in every view and tile."""

    @staticmethod
    def of(attribute: ir.Attribute, *, bounded: bool = True) -> SetFunction:
        """The set in an attribute."""
        key = (str(attribute), bounded)
        if key not in _PREPARED:
            if len(_PREPARED) >= _MOST:
                _PREPARED.clear()
            _PREPARED[key] = SetFunction(attribute, bounded=bounded)
        return _PREPARED[key]

    def __init__(self, attribute: ir.Attribute, *, bounded: bool = True) -> None:
        sides, equal, self.dims, self.symbols = set_constraints(attribute)
        self._text = str(attribute)
        self._function = expressions_function(sides)
        self._equal = equal
        # A constraint is a bound when it is factor * dimension + (something of symbols only).
        self._bounds: list[tuple[int, int, int]] = []  # constraint, dimension, factor
        self._others: list[int] = []
        self._joint: list[tuple[int, list[int]]] = []  # constraint, factors: linear in several dimensions
        for number, side in enumerate(sides):
            factors = _factors(side, self.dims)
            used = [d for d in range(self.dims) if factors is None or factors[d]]
            if factors is None or len(used) > 1:
                self._others.append(number)
                if factors is not None:
                    self._joint.append((number, factors))
            else:
                d = used[0] if used else 0
                self._bounds.append((number, d, factors[d] if used else 0))
        self._constant = self._points(()) if bounded and self.symbols == 0 else None

    def points(self, symbols: Sequence[int] = ()) -> Points:
        """The points for these values of the symbols. Raises :class:`Fault` when a dimension has no bounds of its
        own.
        """
        return self._constant if self._constant is not None else self._points(tuple(symbols))

    def _points(self, symbols: tuple[int, ...]) -> Points:
        low: list[int | None] = [None] * self.dims
        high: list[int | None] = [None] * self.dims
        at_origin = self._function([0] * self.dims, symbols)
        empty = False
        for number, d, factor in self._bounds:
            rest = int(at_origin[number])
            if factor == 0:
                empty |= rest != 0 if self._equal[number] else rest < 0
                continue
            # factor * x + rest >= 0, and for an equality also <= 0
            for f, r in ((factor, rest), (-factor, -rest))[: 1 + self._equal[number]]:
                if f > 0:
                    low[d] = _choose(max, low[d], -(r // f))
                else:
                    high[d] = _choose(min, high[d], r // -f + 1)
        if None in low or None in high:
            self._propagate(low, high, at_origin)
        if None in low or None in high:
            d = next(i for i in range(self.dims) if None in (low[i], high[i]))
            raise Fault("unbounded-set", f"d{d} of {self._text} has no lower and upper bound")
        box = Box(tuple(int(v) for v in low if v is not None), tuple(int(v) for v in high if v is not None))
        if empty:
            box = Box(box.low, box.low)
            empty = not self.dims
        if empty:  # rank 0 has no extents to be empty in
            return Points(box, self, symbols)
        return Points(box, self if self._others else None, symbols)

    def _propagate(self, low: list[int | None], high: list[int | None], at_origin: Sequence[Any]) -> None:
        """Find the bounds that a dimension lacks through those of others: ``d1 <= d0`` and ``d0 <= 9`` say ``d1 <= 9``.

        Each round either finds a bound or ends it, so there are at most twice as many as dimensions.
        """
        found = True
        while found:
            found = False
            for number, factors in self._joint:
                for sign in (1, -1)[: 1 + self._equal[number]]:
                    for d in [d for d, factor in enumerate(factors) if factor]:
                        bounds = low if sign * factors[d] > 0 else high
                        if bounds[d] is not None:
                            continue
                        rest = _greatest([sign * f if i != d else 0 for i, f in enumerate(factors)], low, high)
                        if rest is None:
                            continue
                        # sign * factor * x + most >= 0
                        factor, most = sign * factors[d], rest + sign * int(at_origin[number])
                        bounds[d] = -(most // factor) if factor > 0 else most // -factor + 1
                        found = True

    def mask(self, box: Box, symbols: Sequence[int]) -> Mask:
        """Which points of ``box`` satisfy all constraints: booleans of the box's extents."""
        grid: Any = np.ogrid[tuple(slice(a, b) for a, b in zip(box.low, box.high, strict=True))] if box.low else []
        result = np.ones(box.extents, bool)
        result &= self.holds(list(grid), symbols)
        return result

    def holds(self, coordinates: Sequence[Any], symbols: Sequence[int]) -> Any:
        """Whether points, whose coordinates broadcast, satisfy all constraints."""
        result: Any = np.asarray(True)
        for value, equal in zip(self._function(list(coordinates), list(symbols)), self._equal, strict=True):
            result = result & (value == 0 if equal else value >= 0)
        return result


def _greatest(factors: Sequence[int], low: Sequence[int | None], high: Sequence[int | None]) -> int | None:
    """The greatest value of a linear form over a box; None where the box has no bound there."""
    total = 0
    for factor, first, end in zip(factors, low, high, strict=True):
        bound = first if factor < 0 else None if end is None else end - 1
        if factor and bound is None:
            return None
        total += factor * (bound or 0)
    return total


def _choose(function: Any, old: int | None, new: int) -> int:
    return new if old is None else int(function(old, new))


def _factors(expression: ir.AffineExpr, dims: int) -> list[int] | None:
    """Factors of the dimensions in an expression that is linear in them; None when it is not."""
    if isinstance(expression, ir.AffineDimExpr):
        return [int(d == expression.position) for d in range(dims)]
    if isinstance(expression, ir.AffineConstantExpr | ir.AffineSymbolExpr):
        return [0] * dims
    assert isinstance(expression, ir.AffineBinaryExpr)
    left, right = _factors(expression.lhs, dims), _factors(expression.rhs, dims)
    if left is None or right is None:
        return None
    if isinstance(expression, ir.AffineAddExpr):
        return [a + b for a, b in zip(left, right, strict=True)]
    if not any(left) and not any(right):
        return left
    if isinstance(expression, ir.AffineMulExpr) and isinstance(expression.rhs, ir.AffineConstantExpr):
        return [a * expression.rhs.value for a in left]
    return None
