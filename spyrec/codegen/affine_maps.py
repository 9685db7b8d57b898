"""Affine expressions, over whatever computes them: the units' code, or the host's steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from spyrec.mlir import ir

T = TypeVar("T")


def evaluate(
    expression: ir.AffineExpr,
    dims: Sequence[T],
    symbols: Sequence[T],
    constant: Callable[[int], T],
    combine: Callable[[str, T, T], T],
) -> T:
    """The value of ``expression``. ``combine`` is given ``add``, ``mul``, ``mod``, ``floordiv`` or ``ceildiv``
    and two values.
    """
    if isinstance(expression, ir.AffineConstantExpr):
        return constant(expression.value)
    if isinstance(expression, ir.AffineDimExpr):
        return dims[expression.position]
    if isinstance(expression, ir.AffineSymbolExpr):
        return symbols[expression.position]
    assert isinstance(expression, ir.AffineBinaryExpr)
    left = evaluate(expression.lhs, dims, symbols, constant, combine)
    right = evaluate(expression.rhs, dims, symbols, constant, combine)
    return combine(_NAMES[_kind(expression)], left, right)


_NAMES = {
    "AffineAddExpr": "add",
    "AffineMulExpr": "mul",
    "AffineModExpr": "mod",
    "AffineFloorDivExpr": "floordiv",
    "AffineCeilDivExpr": "ceildiv",
}


def _kind(expression: ir.AffineExpr) -> str:
    return type(expression).__name__


def results(
    op: ir.Operation | ir.OpView,
    operands: Sequence[T],
    constant: Callable[[int], T],
    combine: Callable[[str, T, T], T],
) -> list[T]:
    """The results of the op's attribute ``map`` on its operands (dimensions first, then symbols)."""
    attribute = op.attributes["map"]
    assert isinstance(attribute, ir.AffineMapAttr)
    map_ = attribute.value
    dims, symbols = operands[: map_.n_dims], operands[map_.n_dims :]
    return [evaluate(expression, dims, symbols, constant, combine) for expression in map_.results]
