"""Widening and rounding of floating-point arrays.

f16 and bf16 are computed in f32 and rounded once per op, to nearest, ties to even. **Every op that computes yields
the canonical NaN** (sign 0, quiet bit, payload 0): which operand's payload a vector instruction passes on depends on
operand order, alignment and machine, and results must not.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from spyrec.numerics.df16 import DF16, decode, encode
from spyrec.numerics.types import Array

F16, BF16, F32, F64 = np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16), np.dtype(np.float32), np.dtype(np.float64)
_NARROW = (F16, BF16)


def widen(array: Array) -> Array:
    """f16, bf16 and df16 as f32, the type they are computed in; f32 and f64 as they are. Exact."""
    if array.dtype == DF16:
        return decode(array)
    return array.astype(F32) if array.dtype in _NARROW else array


def widest(array: Array) -> Array:
    """Any float array as f64. Exact."""
    return (decode(array) if array.dtype == DF16 else array).astype(F64)


def canonical(array: Array) -> Array:
    """Replace every NaN of an f32 or f64 array by the canonical one. May write to ``array``, which the caller owns."""
    nan = np.isnan(array)
    if not nan.any():
        return array
    if array.ndim == 0:
        return np.asarray(np.nan, dtype=array.dtype)
    array[nan] = np.nan
    return array


def to_odd_f32(array: Array) -> Array:
    """f64 to f32, inexact results rounded to the neighbour with an odd last bit.

    Rounding an odd-rounded value again, to at least two bits fewer, gives what one rounding of the f64 value gives.
    """
    near = np.atleast_1d(array).astype(F32)
    back = near.astype(F64)
    bits = near.view(np.int32)
    wrong = (back != array) & ~np.isnan(near) & (bits & 1 == 0)
    too_far = np.abs(back) > np.abs(array)
    # On the bits of sign-magnitude numbers, -1 is one step towards zero and +1 one step away, whatever the sign.
    return np.where(wrong, np.where(too_far, bits - 1, bits + 1), bits).astype(np.int32).view(F32).reshape(array.shape)


def narrow(wide: Array, target: np.dtype[Any]) -> Array:
    """Round an f32 or f64 array to float dtype ``target`` once (nearest, ties to even), NaN to the canonical one.

    May write to ``wide``, which the caller owns.
    """
    if target == DF16:
        return encode(wide)
    wide = canonical(np.asarray(wide))
    if wide.dtype == target:
        return wide
    if target == BF16 and wide.dtype == F64:
        wide = to_odd_f32(wide)
    return wide.astype(target)
