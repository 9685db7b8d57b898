"""Sets of points as clips: in each row along one dimension, the points of a set are those between two bounds."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from spyrec import sets
from spyrec.mlir import arith, ir
from spyrec.passes.analysis import ops, unit_loops
from spyrec.passes.analysis.unit_loops import Bound

Clip = list[tuple[Bound, Bound]]
"""Bounds per dimension."""


@dataclass(frozen=True)
class _Side:
    """``factor * step + rest`` is at least 0, or is 0 if ``equality``; ``rest`` is of other dimensions and symbols."""

    factor: int
    rest: ir.AffineExpr
    equality: bool


@contextmanager
def rows(attribute: ir.Attribute, symbols: Sequence[ir.Value], box: Clip, location: ir.Location) -> Iterator[Clip]:
    """Loops over the rows of the points of ``box`` that are in a set; the insertion point is inside of them.

    Gives the clip of a row. Where rows are intervals in no dimension, as in every other point, a row is a point."""
    points = sets.parse(str(attribute))
    along, sides = _sides(points, box)
    names = {name for c in points.constraints for name in c.expression.steps if isinstance(name, str)}
    walked = [d for d in range(points.dims) if d != along and f"d{d}" in names]
    with unit_loops.nested([box[d] for d in walked], location) as counters:
        clip = list(box)
        zero = ops.index_constant(0, location)
        dims = [zero] * points.dims
        for d, counter in zip(walked, counters, strict=True):
            dims[d] = counter
            clip[d] = counter, unit_loops.plus(counter, None, location, 1)
        last = walked[-1] if along is None else along
        low, high = clip[last]
        for side in sides:
            low, high = _tighter(side, points, [*dims, *symbols], low, high, location)
        clip[last] = low, high
        yield clip


def _sides(points: sets.IntegerSet, box: Clip) -> tuple[int | None, list[_Side]]:
    """The longest dimension in which all constraints are linear, and what they say of it."""
    lengths = [high - low if isinstance(low, int) and isinstance(high, int) else 1 << 30 for low, high in box]
    for along in (*sorted(range(points.dims), key=lambda d: (-lengths[d], -d)), None):
        found: list[_Side] = []
        for constraint in points.constraints:
            side = constraint.expression.fold(lambda n: (0, _number(n)), functools.partial(_name, along), _apply)
            if side is None:
                break
            found.append(_Side(*side, constraint.equality))
        else:
            return along, found
    raise AssertionError("a constraint is an affine expression")


_Linear = tuple[int, ir.AffineExpr]


def _number(value: int) -> ir.AffineExpr:
    made: ir.AffineExpr = ir.AffineExpr.get_constant(value)
    return made


def _name(along: int | None, name: str) -> _Linear:
    number = int(name[1:])
    if name[0] == "s":
        return 0, ir.AffineExpr.get_symbol(number)
    return (1, _number(0)) if number == along else (0, ir.AffineExpr.get_dim(number))


def _apply(operator: str, arguments: Sequence[_Linear]) -> _Linear | None:
    if operator == "neg":
        ((factor, rest),) = arguments
        return -factor, ir.AffineExpr.get_mul(rest, _number(-1))
    (left, a), (right, b) = arguments
    if operator == "+":
        return left + right, ir.AffineExpr.get_add(a, b)
    if operator == "-":
        return left - right, ir.AffineExpr.get_add(a, ir.AffineExpr.get_mul(b, _number(-1)))
    if operator == "*":
        if isinstance(a, ir.AffineConstantExpr) and not left:
            (left, a), (right, b) = (right, b), (left, a)
        if right or not isinstance(b, ir.AffineConstantExpr):
            return (0, ir.AffineExpr.get_mul(a, b)) if not left and not right else None
        return left * b.value, ir.AffineExpr.get_mul(a, b)
    if left or right:
        return None
    divided = {
        "floordiv": ir.AffineExpr.get_floor_div,
        "ceildiv": ir.AffineExpr.get_ceil_div,
        "mod": ir.AffineExpr.get_mod,
    }[operator]
    return 0, divided(a, b)


def _tighter(
    side: _Side, points: sets.IntegerSet, operands: Sequence[ir.Value], low: Bound, high: Bound, location: ir.Location
) -> tuple[Bound, Bound]:
    """The bounds that a constraint leaves."""

    def value(expression: ir.AffineExpr) -> ir.Value:
        return ops.apply(ir.AffineMap.get(points.dims, points.symbols, [expression]), operands, location)

    if side.factor == 0:
        predicate = arith.CmpIPredicate.eq if side.equality else arith.CmpIPredicate.sge
        holds = ops.compare(predicate, value(side.rest), ops.index_constant(0, location), location)
        ends = [unit_loops.as_value(bound, location) for bound in (high, low)]
        return low, arith.SelectOp(holds, *ends, loc=location).result
    for sign in (1, -1)[: 1 + side.equality]:
        factor, rest = side.factor * sign, ir.AffineExpr.get_mul(side.rest, _number(sign))
        if factor > 0:  # step >= ceil(-rest / factor)
            bound = value(ir.AffineExpr.get_ceil_div(ir.AffineExpr.get_mul(rest, _number(-1)), factor))
            low = arith.MaxSIOp(unit_loops.as_value(low, location), bound, loc=location).result
        else:
            bound = value(ir.AffineExpr.get_add(ir.AffineExpr.get_floor_div(rest, -factor), _number(1)))
            high = arith.MinSIOp(unit_loops.as_value(high, location), bound, loc=location).result
    return low, high
