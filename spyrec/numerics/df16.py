"""``df16``: IBM's DLFloat, a 16-bit float of 1 sign bit, 6 bits of exponent and 9 of fraction.

What is public about it (the paper on the format and IBM's patent US 2019/0369960; the dialect says "1-6-9" only):

* the value is (-1)^sign * 2^(exponent - 31) * (1 + fraction / 512), for all exponents from 0 to 63: there are **no
  subnormal numbers**;
* exponent 0 with fraction 0 is zero; exponent 63 with fraction 511 is one symbol for **NaN and both infinities**;
* rounding is to nearest, halves away from zero ("nearest up"); what is too large becomes the symbol.

The sign of zero and of the symbol "do not care". Here a zero keeps the sign that it was computed with, and the symbol
has sign 0 and reads as NaN: whatever overflows is lost.

NumPy has no such type. An element is a structured dtype of two bytes, so that no arithmetic happens by accident.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import numpy.typing as npt

DF16: np.dtype[Any] = np.dtype([("df16", "<u2")])
"""The dtype of an element: its bits."""

SYMBOL = 0x7FFF
"""NaN, or an infinity: nobody can tell."""

SMALLEST = 2.0**-31 * (1 + 2.0**-9)
LARGEST = 2.0**32 * (1 + 510 / 512)


@functools.cache
def _table() -> npt.NDArray[np.float32]:
    """The value of each of the 65,536 patterns; all are exact in f32."""
    bits = np.arange(1 << 16)
    exponent, fraction = bits >> 9 & 63, bits & 511
    values = np.ldexp(1 + fraction / 512, exponent - 31)
    values[(exponent == 0) & (fraction == 0)] = 0.0
    values[(exponent == 63) & (fraction == 511)] = np.nan
    signed: npt.NDArray[np.float32] = np.where(bits >> 15 & 1, -values, values).astype(np.float32)
    return signed


def bits_of(array: npt.NDArray[Any]) -> npt.NDArray[np.uint16]:
    """The bits of an array of :data:`DF16`."""
    return np.ascontiguousarray(array).reshape(array.shape).view(np.uint16)


def decode(array: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """Values of an array of :data:`DF16` as f32, exactly."""
    found: npt.NDArray[np.float32] = _table()[bits_of(array)]
    return found


def encode(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """f32 or f64 numbers rounded once to :data:`DF16`."""
    wide = np.asarray(values, np.float64)
    with np.errstate(invalid="ignore"):
        # magnitude = mantissa * 2**exponent with mantissa in [1, 2); frexp's is in [1/2, 1)
        mantissa, exponent = np.frexp(np.abs(np.where(np.isfinite(wide), wide, 0.0)))
        scaled = np.floor(mantissa * 1024 + 0.5)  # exact: a double has 53 bits; halves go up
        carried = scaled == 1024
        fraction = np.where(carried, 0, scaled - 512).astype(np.int64)
        biased = (exponent - 1 + carried).astype(np.int64) + 31
    code = (biased << 9) + fraction
    # 2**-31 is the pattern of zero: what lies between 0 and the smallest number goes to the nearer of them, half up.
    below = np.abs(wide) < SMALLEST
    code = np.where(below, np.where(np.abs(wide) >= SMALLEST / 2, 1, 0), code)
    code = np.where(~np.isfinite(wide) | (code >= SYMBOL), SYMBOL, code | np.where(np.signbit(wide), 0x8000, 0))
    return np.asarray(code).astype("<u2").view(DF16)
