"""Boxes: integer sets in which every dimension runs from one number to another, whatever the others do."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from spyrec.mlir import ir


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

    @property
    def extents(self) -> tuple[int, ...]:
        """Number of points per dimension."""
        return tuple(max(0, high - low + 1) for low, high in zip(self.low, self.high, strict=True))

    @property
    def is_empty(self) -> bool:
        return 0 in self.extents

    def holds(self, other: Box) -> bool:
        """Whether every point of ``other`` is one of this box."""
        return other.is_empty or all(
            a <= b and d <= c for a, b, c, d in zip(self.low, other.low, self.high, other.high, strict=True)
        )

    def __str__(self) -> str:
        return "[" + ", ".join(f"{low}..{high}" for low, high in zip(self.low, self.high, strict=True)) + "]"


def box(attribute: ir.Attribute) -> Box:
    """The box that an integer set (``affine_set``) describes. Raises :class:`NotABox` when it is none."""
    expressions, equalities, dims, symbols = constraints(attribute)
    if symbols:
        raise NotABox(f"it has {symbols} symbol{'s' * (symbols > 1)}: its bounds are not constants")
    low: list[int | None] = [None] * dims
    high: list[int | None] = [None] * dims
    impossible = False
    for expression, equality in zip(expressions, equalities, strict=True):
        factors, constant = _linear(expression, dims)
        used = [d for d in range(dims) if factors[d]]
        if not used:
            impossible |= constant != 0 if equality else constant < 0
            continue
        if len(used) > 1:
            names = " and ".join(f"d{d}" for d in used)
            raise NotABox(f"the constraint {expression} {'==' if equality else '>='} 0 ties {names} together")
        (d,) = used
        for factor, bound in [(factors[d], constant), (-factors[d], -constant)][: 1 + equality]:
            # factor * x + bound >= 0
            if factor > 0:
                low[d] = _larger(low[d], -(bound // factor))
            else:
                high[d] = _smaller(high[d], bound // -factor)
    missing = [f"d{d}" for d in range(dims) if low[d] is None or high[d] is None]
    if missing:
        raise NotABox(f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not bounded on both sides")
    lows = tuple(b for b in low if b is not None)
    highs = tuple(b for b in high if b is not None)
    return Box(lows, tuple(b - 1 for b in lows)) if impossible else Box(lows, highs)


class Constraints(NamedTuple):
    """Left sides of the constraints of a set, whether each is an equality, numbers of dimensions and symbols."""

    expressions: list[ir.AffineExpr]
    equalities: list[bool]
    dims: int
    symbols: int


def constraints(attribute: ir.Attribute) -> Constraints:
    """What an integer set (``affine_set``) says."""
    text = str(attribute)
    found = re.fullmatch(r"affine_set<\((?P<dims>.*?)\)(?:\[(?P<symbols>.*?)\])? : \((?P<body>.*)\)>", text)
    if found is None:
        raise NotABox(f"{text} is no integer set")
    # The bindings do not hand out the set inside an attribute; its constraints read as the results of a map do.
    equalities = [relation == "==" for relation in re.findall(r" (>=|==) 0", found["body"])]
    dims, symbols = found["dims"], found["symbols"] or ""
    results = re.sub(r" (?:>=|==) 0", "", found["body"])
    map_ = ir.Attribute.parse(f"affine_map<({dims})[{symbols}] -> ({results})>")
    assert isinstance(map_, ir.AffineMapAttr)
    return Constraints(list(map_.value.results), equalities, map_.value.n_dims, map_.value.n_symbols)


def _linear(expression: ir.AffineExpr, dims: int) -> tuple[list[int], int]:
    """Factors of the dimensions and the constant. Raises :class:`NotABox` for a quotient or a remainder."""
    if isinstance(expression, ir.AffineConstantExpr):
        return [0] * dims, expression.value
    if isinstance(expression, ir.AffineDimExpr):
        return [int(d == expression.position) for d in range(dims)], 0
    if isinstance(expression, ir.AffineAddExpr | ir.AffineMulExpr):
        (left, a), (right, b) = _linear(expression.lhs, dims), _linear(expression.rhs, dims)
        if isinstance(expression, ir.AffineAddExpr):
            return [x + y for x, y in zip(left, right, strict=True)], a + b
        if any(left):
            left, a, right, b = right, b, left, a
        if any(left):
            raise NotABox(f"the constraint holds the product {expression}")
        return [a * x for x in right], a * b
    raise NotABox(f"the constraint holds {expression}")


def _larger(old: int | None, new: int) -> int:
    return new if old is None else max(old, new)


def _smaller(old: int | None, new: int) -> int:
    return new if old is None else min(old, new)
