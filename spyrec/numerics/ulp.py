"""How far apart two arrays of one element type are, in units in the last place."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from spyrec.numerics.rounding import widen
from spyrec.numerics.types import Array, type_of

FAR = (1 << 64) - 1
"""How far a NaN and a number are apart."""


def _ordered(array: Array) -> npt.NDArray[np.int64]:
    """Integers that are ordered and spaced as the floats are: neighbours differ by 1, -0 and +0 by 0."""
    bits = type_of(array).bits
    raw = np.ascontiguousarray(array).reshape(array.shape).view(f"int{bits}").astype(np.int64)
    lowest = np.int64(-(1 << (bits - 1)))
    return np.where(raw < 0, lowest - raw, raw)


def distance(actual: Array, expected: Array) -> npt.NDArray[np.uint64]:
    """Units in the last place between two arrays of the same shape and element type; for integers, the difference.

    Two NaNs are 0 apart; a NaN and a number are :data:`FAR` apart.
    """
    if type_of(actual).kind != "float":
        a, b = actual.astype(np.int64), expected.astype(np.int64)
    else:
        a, b = _ordered(actual), _ordered(expected)
    with np.errstate(all="ignore"):
        # The true difference is below 2**64, so the wrapped one is it when read as unsigned.
        apart = np.where(a >= b, a - b, b - a).astype(np.uint64)
    if type_of(actual).kind != "float":
        return apart
    nan_a, nan_b = np.isnan(widen(actual)), np.isnan(widen(expected))
    return np.where(nan_a & nan_b, np.uint64(0), np.where(nan_a | nan_b, np.uint64(FAR), apart))


def same_bits(actual: Array, expected: Array) -> bool:
    """True when both arrays have the same dtype, shape and bytes (so -0 is not +0, and NaNs agree in their payload)."""
    return actual.dtype == expected.dtype and actual.shape == expected.shape and actual.tobytes() == expected.tobytes()
