"""Boxes as nested counts with strides, the way descriptors and streams walk through memory. Strides are bytes."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from spyrec.mlir import ir
from spyrec.records import dataclass

MAX_NEST = 4
"""How many nested counts one transfer or stream has at most."""


@dataclass(frozen=True)
class Nest:
    """``counts``, outermost first, and for each operand one stride per count."""

    counts: tuple[int, ...]
    strides: tuple[tuple[int, ...], ...]

    @property
    def is_empty(self) -> bool:
        """Whether it has no point."""
        return 0 in self.counts


def collapsed(nest: Nest) -> Nest:
    """The same points in the same order with the fewest counts: neighbours that all operands walk as one become one.

    At least one count is left. Counts of 1 go.
    """
    return grouped(nest)[0]


def grouped(nest: Nest, clipped: Collection[int] = ()) -> tuple[Nest, tuple[tuple[int, ...], ...]]:
    """:func:`collapsed`, and per count which of the old ones it stands for, outermost first.

    Of counts ``clipped``, which leave out points, nothing goes, and they may only be the outermost of those that become
    one: its bounds are then theirs times the counts inside.
    """
    dims = [
        (count, steps, (d,))
        for d, (count, *steps) in enumerate(zip(nest.counts, *nest.strides, strict=True))
        if count != 1 or d in clipped
    ]
    merged: list[tuple[int, list[int], tuple[int, ...]]] = []
    for count, steps, own in reversed(dims):
        if merged and merged[-1][2][0] not in clipped:
            inner, inner_steps, inside = merged[-1]
            if all(step == inner_step * inner for step, inner_step in zip(steps, inner_steps, strict=True)):
                merged[-1] = (count * inner, inner_steps, own + inside)
                continue
        merged.append((count, steps, own))
    merged.reverse()
    if not merged:
        return Nest((1,), tuple((0,) for _ in nest.strides)), ((),)
    strides = tuple(zip(*(steps for _, steps, _ in merged), strict=True)) if nest.strides else ()
    return Nest(tuple(count for count, _, _ in merged), strides), tuple(group for _, _, group in merged)


def dense_strides(shape: Sequence[int], element_bytes: int) -> tuple[int, ...]:
    """Strides of a row-major array."""
    strides = []
    step = element_bytes
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))


def linear(expression: ir.AffineExpr, dims: int) -> tuple[list[int], int] | None:
    """Factors of the dimensions, and the constant; ``None`` for what is not linear in them."""
    if isinstance(expression, ir.AffineConstantExpr):
        return [0] * dims, expression.value
    if isinstance(expression, ir.AffineDimExpr):
        return [int(d == expression.position) for d in range(dims)], 0
    if not isinstance(expression, ir.AffineAddExpr | ir.AffineMulExpr):
        return None
    left, right = linear(expression.lhs, dims), linear(expression.rhs, dims)
    if left is None or right is None:
        return None
    (a, x), (b, y) = left, right
    if isinstance(expression, ir.AffineAddExpr):
        return [p + q for p, q in zip(a, b, strict=True)], x + y
    if any(a) and any(b):
        return None
    return ([p * y for p in a] if any(a) else [q * x for q in b]), x * y


def walk(map_: ir.AffineMap, strides: Sequence[int]) -> tuple[tuple[int, ...], int] | None:
    """How an array with ``strides`` is walked when its coordinates are ``map_`` of the loops: strides per loop, first
    byte.

    ``None`` when a coordinate is not linear in the loops.
    """
    steps = [0] * map_.n_dims
    first = 0
    for result, stride in zip(map_.results, strides, strict=True):
        found = linear(result, map_.n_dims)
        if found is None:
            return None
        factors, constant = found
        first += constant * stride
        steps = [step + factor * stride for step, factor in zip(steps, factors, strict=True)]
    return tuple(steps), first
