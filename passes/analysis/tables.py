"""Numbers that depend on one index in any way, as a few integer ops that every unit can do."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence

from spyrec.mlir import arith, ir
from spyrec.passes.analysis import ops

Table = Sequence["int | None"]
"""A number per value of the index; None where it does not matter."""


def look_up(table: Table, index: ir.Value, location: ir.Location) -> ir.Value:
    """``table[index]``, made at the current insertion point: one affine expression where there is one, else a choice
    among as few as possible.
    """
    for function, build in _formulas(len(table)):
        base = next((v - function(i) for i, v in enumerate(table) if v is not None), 0)
        if all(v is None or v == function(i) + base for i, v in enumerate(table)):
            expression = build(ir.AffineExpr.get_dim(0)) + base
            if isinstance(expression, ir.AffineConstantExpr):
                return ops.index_constant(expression.value, location)
            if isinstance(expression, ir.AffineDimExpr):
                return index
            return ops.apply(ir.AffineMap.get(1, 0, [expression]), [index], location)
    return _choice(table, index, location)


def look_up_in(lists: Sequence[Sequence[int]], index: ir.Value, place: ir.Value, location: ir.Location) -> ir.Value:
    """``lists[index][place]``, for a place that the list has."""
    steps = {b - a for entries in lists for a, b in itertools.pairwise(entries)}
    d0, d1 = ir.AffineExpr.get_dim(0), ir.AffineExpr.get_dim(1)
    if len(steps) <= 1:
        step = steps.pop() if steps else 0
        start = look_up([entries[0] if entries else None for entries in lists], index, location)
        return ops.apply(ir.AffineMap.get(2, 0, [d0 + d1 * step]), [start, place], location)
    width = max(map(len, lists))
    flat = ops.apply(ir.AffineMap.get(2, 0, [d0 * width + d1]), [index, place], location)
    table = [entries[k] if k < len(entries) else None for entries in lists for k in range(width)]
    return look_up(table, flat, location)


def holds(members: Sequence[int], count: int, index: ir.Value, location: ir.Location) -> ir.Value:
    """Whether ``index``, from 0 to ``count - 1``, is one of ``members`` (an i1)."""
    chosen = frozenset(members)
    for period in (k for k in range(1, count + 1) if count % k == 0):
        inside = sorted({i % period for i in chosen})
        if not inside or len(chosen) != len(inside) * (count // period) or inside[-1] - inside[0] >= len(inside):
            continue
        d0 = ir.AffineExpr.get_dim(0)
        place = index
        if period < count:
            place = ops.apply(ir.AffineMap.get(1, 0, [ir.AffineExpr.get_mod(d0, period)]), [index], location)
        return _between(place, inside[0], inside[-1] + 1, period, location)
    bits = look_up([int(i in chosen) for i in range(count)], index, location)
    return ops.compare(arith.CmpIPredicate.eq, bits, ops.index_constant(1, location), location)


def _between(value: ir.Value, low: int, high: int, limit: int, location: ir.Location) -> ir.Value:
    """Whether a value of ``0..limit - 1`` is in ``low..high - 1``."""

    def compared(predicate: arith.CmpIPredicate, bound: int) -> ir.Value:
        return ops.compare(predicate, value, ops.index_constant(bound, location), location)

    if high - low == 1:
        return compared(arith.CmpIPredicate.eq, low)
    below = compared(arith.CmpIPredicate.slt, high) if high < limit else None
    above = compared(arith.CmpIPredicate.sge, low) if low > 0 else None
    if below is None or above is None:
        return below or above or ops.constant(ir.IntegerType.get_signless(1), 1, location)
    result: ir.Value = arith.AndIOp(above, below, loc=location).result
    return result


_Formula = tuple[Callable[[int], int], Callable[[ir.AffineExpr], ir.AffineExpr]]


def _formulas(count: int) -> Iterator[_Formula]:
    """Functions of an index below ``count`` that are one affine expression, simple ones first.

    With i = k * block + place: steps per block and per place, the place perhaps turned within the block.
    """
    blocks = [k for k in range(1, min(count, 64) + 1) if count % k == 0]
    for k in blocks:
        for per_block in {0, 1, k, count // k}:
            for per_place in (0, 1, -1):
                yield _straight(k, per_block, per_place)
    for k in blocks:
        for factor in range(1, k):
            for shift in range(k):
                yield _turned(k, factor, shift)


def _straight(k: int, per_block: int, per_place: int) -> _Formula:
    def build(i: ir.AffineExpr) -> ir.AffineExpr:
        block, place = ir.AffineExpr.get_floor_div(i, k), ir.AffineExpr.get_mod(i, k)
        return block * per_block + place * per_place

    return lambda i: i // k * per_block + i % k * per_place, build


def _turned(k: int, factor: int, shift: int) -> _Formula:
    def build(i: ir.AffineExpr) -> ir.AffineExpr:
        return ir.AffineExpr.get_floor_div(i, k) * k + ir.AffineExpr.get_mod(i * factor + shift, k)

    return lambda i: i // k * k + (i * factor + shift) % k, build


def _choice(table: Table, index: ir.Value, location: ir.Location) -> ir.Value:
    """A chain of selects over runs in which the number grows by a constant step."""
    d0 = ir.AffineExpr.get_dim(0)
    result: ir.Value | None = None
    for end, step, start in reversed(list(_runs(table))):
        value = ops.apply(ir.AffineMap.get(1, 0, [d0 * step + start]), [index], location)
        if result is None:
            result = value
            continue
        before = ops.compare(arith.CmpIPredicate.slt, index, ops.index_constant(end, location), location)
        result = arith.SelectOp(before, value, result, loc=location).result
    return ops.index_constant(0, location) if result is None else result


def _runs(table: Table) -> Iterator[tuple[int, int, int]]:
    """Runs of ``step * i + start``: the index after the last one, step, start."""
    first = 0
    while first < len(table):
        known: list[tuple[int, int]] = []
        step, end = 0, first
        while end < len(table):
            value = table[end]
            if value is not None:
                if len(known) == 1:
                    distance, rest = divmod(value - known[0][1], end - known[0][0])
                    if rest:
                        break
                    step = distance
                elif known and value != known[0][1] + step * (end - known[0][0]):
                    break
                known.append((end, value))
            end += 1
        start = known[0][1] - step * known[0][0] if known else 0
        yield end, step, start
        first = end
