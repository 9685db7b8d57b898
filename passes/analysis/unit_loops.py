"""Loops around ops of units, for counts that a descriptor has no room for, and the addresses inside of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from spyrec.mlir import arith, ir, scf
from spyrec.passes.analysis import ops

Bound = int | ir.Value
"""A number that is known here, or an index value that the run computes."""


def as_value(bound: Bound, location: ir.Location) -> ir.Value:
    """``bound`` as an index value."""
    return ops.index_constant(bound, location) if isinstance(bound, int) else bound


def scaled(bound: Bound, factor: int, location: ir.Location) -> Bound:
    """``bound * factor``."""
    if isinstance(bound, int) or factor == 1:
        return bound * factor if isinstance(bound, int) else bound
    return ops.apply(ir.AffineMap.get(1, 0, [ir.AffineExpr.get_dim(0) * factor]), [bound], location)


def at_least(bound: Bound, other: int, location: ir.Location) -> Bound:
    """The greater one."""
    if isinstance(bound, int):
        return max(bound, other)
    result: ir.Value = arith.MaxSIOp(bound, ops.index_constant(other, location), loc=location).result
    return result


def at_most(bound: Bound, other: int, location: ir.Location) -> Bound:
    """The lesser one."""
    if isinstance(bound, int):
        return min(bound, other)
    result: ir.Value = arith.MinSIOp(bound, ops.index_constant(other, location), loc=location).result
    return result


@contextmanager
def nested(bounds: Sequence[tuple[Bound, Bound]], location: ir.Location) -> Iterator[list[ir.Value]]:
    """Loops from one bound to another, outermost first, the insertion point inside all of them; gives the counters."""
    counters: list[ir.Value] = []
    points: list[ir.InsertionPoint] = []
    for low, high in bounds:
        first, end, one = as_value(low, location), as_value(high, location), ops.index_constant(1, location)
        with location:  # of the counter, for which the builder asks
            loop = scf.ForOp(first, end, one)
        with ir.InsertionPoint(loop.body):
            done = scf.YieldOp([], loc=location)
        points.append(ir.InsertionPoint(done))
        points[-1].__enter__()
        counters.append(loop.induction_variable)
    try:
        yield counters
    finally:
        for point in reversed(points):
            point.__exit__(None, None, None)


def offset(counters: Sequence[ir.Value], steps: Sequence[Bound], location: ir.Location) -> ir.Value | None:
    """The sum of all counters times their steps; ``None`` where that is 0."""
    total: ir.AffineExpr = ir.AffineExpr.get_constant(0)
    operands: list[ir.Value] = []
    for counter, step in zip(counters, steps, strict=True):
        if isinstance(step, int):
            if step:
                total = total + ir.AffineExpr.get_dim(len(operands)) * step
                operands.append(counter)
            continue
        total = total + ir.AffineExpr.get_dim(len(operands))
        operands.append(arith.MulIOp(counter, step, loc=location).result)
    return ops.apply(ir.AffineMap.get(len(operands), 0, [total]), operands, location) if operands else None


def plus(address: ir.Value, more: ir.Value | None, location: ir.Location, constant: int = 0) -> ir.Value:
    """``address + more + constant``."""
    if more is None and not constant:
        return address
    total = ir.AffineExpr.get_dim(0) + constant
    operands = [address]
    if more is not None:
        total = total + ir.AffineExpr.get_dim(1)
        operands.append(more)
    return ops.apply(ir.AffineMap.get(len(operands), 0, [total]), operands, location)
