"""Reductions and contractions.

A combiner is the op that folds elements into an accumulator. Float sums and products accumulate in f64 and are
rounded once at the end; a product that feeds a contraction's sum is not rounded either. So results do not depend on
the order of accumulation, but for f64 elements and for the rare sum that lies within f64's error of a rounding
boundary.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from spyrec.numerics.rounding import narrow, widest
from spyrec.numerics.types import Array, limits, scalar_type, signed, unsigned

Axes = tuple[int, ...]


@dataclass(frozen=True)
class Combiner:
    """One folding op: ``op`` is its name in the IR, ``kind`` one of add, mul, max, min, and, or, xor.

    ``product``, of one that adds: the op whose results it sums up in a contraction.
    """

    op: str
    kind: str
    ufunc: np.ufunc
    is_float: bool
    is_unsigned: bool = False
    product: str | None = None


COMBINERS: dict[str, Combiner] = {
    c.op: c
    for c in (
        Combiner("arith.addf", "add", np.add, True, product="arith.mulf"),
        Combiner("arith.mulf", "mul", np.multiply, True),
        Combiner("arith.maximumf", "max", np.maximum, True),
        Combiner("arith.minimumf", "min", np.minimum, True),
        Combiner("arith.maxnumf", "max", np.fmax, True),
        Combiner("arith.minnumf", "min", np.fmin, True),
        Combiner("arith.addi", "add", np.add, False, product="arith.muli"),
        Combiner("arith.muli", "mul", np.multiply, False),
        Combiner("arith.maxsi", "max", np.maximum, False),
        Combiner("arith.minsi", "min", np.minimum, False),
        Combiner("arith.maxui", "max", np.maximum, False, is_unsigned=True),
        Combiner("arith.minui", "min", np.minimum, False, is_unsigned=True),
        Combiner("arith.andi", "and", np.bitwise_and, False),
        Combiner("arith.ori", "or", np.bitwise_or, False),
        Combiner("arith.xori", "xor", np.bitwise_xor, False),
    )
}


def identity(op: str, element_type: str) -> Array:
    """The value (rank 0, of ``element_type``) that combiner ``op`` leaves any other unchanged with."""
    combiner, element = COMBINERS[op], scalar_type(element_type)
    value: float | int
    if combiner.kind in ("add", "or", "xor"):
        value = 0
    elif combiner.kind == "mul":
        value = 1
    elif combiner.kind == "and":
        value = -1
    elif combiner.is_float:
        value = -np.inf if combiner.kind == "max" else np.inf
    elif combiner.is_unsigned:
        value = 0 if combiner.kind == "max" else -1
    else:
        value = limits(element_type)[0 if combiner.kind == "max" else 1]
    return np.asarray(value & 1 if element.bits == 1 else value).astype(element.dtype)  # type: ignore[operator]


def _zero_sign(combiner: Combiner, wide: Array, axes: Axes, folded: Array) -> Array:
    """Give a zero extremum the sign that -0 < +0 asks for; NumPy returns either."""
    if combiner.kind not in ("max", "min") or not combiner.is_float or not (folded == 0).any():
        return folded
    wanted = ~np.signbit(wide) if combiner.kind == "max" else np.signbit(wide)
    found = ((wide == 0) & wanted).any(axis=axes)
    sign_wanted, sign_other = (0.0, -0.0) if combiner.kind == "max" else (-0.0, 0.0)
    return np.where(folded == 0, np.where(found, sign_wanted, sign_other), folded)


def reduce(op: str, values: Array, axes: Sequence[int], init: Array | None, result_type: str) -> Array:
    """Fold ``values`` over ``axes`` with combiner ``op``, starting from ``init`` (the shape without ``axes``; None:
    identity).

    ``values`` holds the element type, or f64 when an unrounded product is folded. Returns ``result_type``, rounded
    once. Axes of extent 0 leave ``init``.
    """
    combiner, axes = COMBINERS[op], tuple(axes)
    shape = tuple(n for i, n in enumerate(values.shape) if i not in axes)
    start = np.broadcast_to(identity(op, result_type), shape) if init is None else init
    with np.errstate(all="ignore"):
        if any(values.shape[i] == 0 for i in axes):
            return start.astype(scalar_type(result_type).dtype)
        if combiner.is_float:
            wide = widest(values)
            folded = _zero_sign(combiner, wide, axes, np.asarray(combiner.ufunc.reduce(wide, axis=axes)))
            first = widest(start)
            total = np.asarray(combiner.ufunc(first, folded))
            if combiner.kind in ("max", "min"):
                total = _zero_sign(combiner, np.stack([first, folded]), (0,), total)
            return narrow(total, scalar_type(result_type).dtype)
        view: Callable[[Array], Array] = unsigned if combiner.is_unsigned else signed
        raw = view(np.asarray(values))
        folded = np.asarray(combiner.ufunc.reduce(raw, axis=axes, dtype=raw.dtype))
        return _wrap(np.asarray(combiner.ufunc(view(np.asarray(start)), folded)), result_type)


def _wrap(raw: Array, result_type: str) -> Array:
    target = scalar_type(result_type)
    return (raw & 1).astype(bool) if target.bits == 1 else raw.astype(target.dtype)


def contract(spec: str, left: Array, right: Array, init: Array, result_type: str) -> Array:
    """``init`` plus the sum of products that the einsum ``spec`` (``"mk,kn->mn"``) names; floats in f64, rounded once.

    Integer operands are taken as signed (extend unsigned ones before), products and sums wrap in ``result_type``.
    """
    target = scalar_type(result_type)
    with np.errstate(all="ignore"):
        if target.kind == "float":
            total = _sum_of_products(spec, widest(left), widest(right))
            return narrow(np.array(total + widest(init)), target.dtype)
        total = np.einsum(spec, signed(left).astype(np.int64), signed(right).astype(np.int64), optimize=True)
        return _wrap(np.asarray(total + signed(init).astype(np.int64)), result_type)


def _sum_of_products(spec: str, left: Array, right: Array) -> Array:
    """``numpy.einsum`` as one product of matrices, where it is one."""
    plan = _plan(spec)
    if plan is None:
        # einsum would multiply sums of what the other factor has no dimension for, and inf * (1 - 1) is no inf - inf.
        factors, out = spec.split("->")
        names = out + "".join(sorted(set(factors) - {",", *out}))
        products = np.einsum(f"{factors}->{names}", left, right)
        return np.asarray(products.sum(axis=tuple(range(len(out), len(names)))))
    shared, rows, columns, order = plan
    a = left if rows[0] is None else left.transpose(rows[0])
    b = right if columns[0] is None else right.transpose(columns[0])
    head, m, n = a.shape[:shared], a.shape[shared : shared + rows[1]], b.shape[b.ndim - columns[1] :]
    inner = math.prod(a.shape[shared + rows[1] :])
    a, b = a.reshape((*head, math.prod(m), inner)), b.reshape((*head, inner, math.prod(n)))
    total = np.matmul(a, b).reshape((*head, *m, *n))
    return np.asarray(total if order is None else total.transpose(order))


_Side = tuple[tuple[int, ...] | None, int]


@functools.lru_cache(maxsize=1024)
def _plan(spec: str) -> tuple[int, _Side, _Side, tuple[int, ...] | None] | None:
    """How an einsum of two operands is a (batched) product of matrices: how many dimensions all three have; per
    operand its order (None: as it is) and how many dimensions only it has; the order of the result. None when a
    dimension is in one operand alone and summed.
    """
    factors, out = spec.split("->")
    left, right = factors.split(",")
    batch = [c for c in out if c in left and c in right]
    rows, columns = [c for c in out if c not in right], [c for c in out if c not in left]
    inner = [c for c in left if c in right and c not in out]
    if len(batch + rows + inner) != len(left) or len(batch + inner + columns) != len(right):
        return None
    made = batch + rows + columns

    def order(have: str, wanted: Sequence[str]) -> tuple[int, ...] | None:
        return None if list(have) == list(wanted) else tuple(have.index(c) for c in wanted)

    return (
        len(batch),
        (order(left, batch + rows + inner), len(rows)),
        (order(right, batch + inner + columns), len(columns)),
        order("".join(made), list(out)),
    )


def product(left: Array, right: Array) -> Array:
    """The product of two float arrays that a contraction sums: f64, not rounded to their type."""
    with np.errstate(all="ignore"):
        return np.asarray(widest(left) * widest(right))
