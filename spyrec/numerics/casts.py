"""Casts between integers, and between integers and floats.

Float to integer truncates towards zero; out of range it saturates and NaN gives 0 (MLIR leaves both undefined).
Integer to float rounds once, to nearest, ties to even, for every pair of types.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spyrec.numerics.errors import UnknownOp
from spyrec.numerics.op import Attributes, ScalarOp, table
from spyrec.numerics.rounding import F32, F64, narrow, widest
from spyrec.numerics.types import Array, signed, unsigned


def _resize(operands: tuple[Array, ...], result: np.dtype[Any], _: Attributes) -> Array:
    """Sign extension or truncation."""
    source = signed(operands[0])
    return (source & 1).astype(bool) if result == np.bool_ else source.astype(result)


def _resize_unsigned(operands: tuple[Array, ...], result: np.dtype[Any], _: Attributes) -> Array:
    """Zero extension or truncation."""
    source = unsigned(operands[0])
    return (source & 1).astype(bool) if result == np.bool_ else source.astype(result)


def _to_float(source: Array, result: np.dtype[Any]) -> Array:
    if result in (F32, F64):
        return source.astype(result)
    if source.dtype.itemsize < 8:
        return narrow(source.astype(F64), result)
    # 64 bits do not fit f64. Where they are needed, fold the low 11 into one sticky bit: exact, and rounds the same.
    high = source >> np.asarray(11, dtype=source.dtype)
    sticky = (source & np.asarray(2047, dtype=source.dtype)) != 0
    folded = (high | sticky.astype(source.dtype)).astype(F64) * 2048.0
    near = source.astype(F64)
    return narrow(np.where(np.abs(near) < 2.0**53, near, folded), result)


def _from_signed(operands: tuple[Array, ...], result: np.dtype[Any], _: Attributes) -> Array:
    return _to_float(signed(operands[0]), result)


def _from_unsigned(operands: tuple[Array, ...], result: np.dtype[Any], _: Attributes) -> Array:
    return _to_float(unsigned(operands[0]), result)


def _saturate(value: Array, low: int, high: int, work: np.dtype[Any]) -> Array:
    """Truncate float ``value`` to integers of dtype ``work``, held to low..high."""
    whole = np.trunc(widest(value))
    # high + 1 is a power of two and exact in f64 where high is not.
    inside = np.isfinite(whole) & (whole >= low) & (whole < high + 1)
    safe = np.where(inside, whole, 0.0).astype(work)
    ends = np.where(whole > 0, np.asarray(high, dtype=work), np.asarray(low, dtype=work))
    return np.where(inside | np.isnan(whole), safe, ends)


def _to_signed(operands: tuple[Array, ...], result: np.dtype[Any], _: Attributes) -> Array:
    bits = 1 if result == np.bool_ else result.itemsize * 8
    whole = _saturate(operands[0], -(1 << (bits - 1)), (1 << (bits - 1)) - 1, np.dtype(np.int64))
    return (whole & 1).astype(bool) if bits == 1 else whole.astype(result)


def _to_unsigned(operands: tuple[Array, ...], result: np.dtype[Any], _: Attributes) -> Array:
    bits = 1 if result == np.bool_ else result.itemsize * 8
    whole = _saturate(operands[0], 0, (1 << bits) - 1, np.dtype(np.uint64))
    return whole.astype(bool) if bits == 1 else whole.astype(result)


def _bitcast(operands: tuple[Array, ...], result: np.dtype[Any], _: Attributes) -> Array:
    source = operands[0]
    if (source.dtype == np.bool_) != (result == np.bool_) or source.dtype.itemsize != result.itemsize:
        raise UnknownOp(f"arith.bitcast from {source.dtype} to {result} changes the width")
    return np.ascontiguousarray(source).reshape(source.shape).view(result).copy()


CASTS = table(
    ScalarOp("arith.extsi", 1, _resize),
    ScalarOp("arith.trunci", 1, _resize),
    ScalarOp("arith.index_cast", 1, _resize),
    ScalarOp("arith.extui", 1, _resize_unsigned),
    ScalarOp("arith.index_castui", 1, _resize_unsigned),
    ScalarOp("arith.sitofp", 1, _from_signed),
    ScalarOp("arith.uitofp", 1, _from_unsigned),
    ScalarOp("arith.fptosi", 1, _to_signed),
    ScalarOp("arith.fptoui", 1, _to_unsigned),
    ScalarOp("arith.bitcast", 1, _bitcast),
)
