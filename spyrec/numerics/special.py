"""erf and erfc in f64, vectorised, without SciPy.

Near zero erf is its odd Taylor series. Elsewhere erfc is expanded around the nearest of evenly spaced centres c:
erfc(c) comes from ``math.erfc``, and the derivatives of erfc at c are Hermite polynomials times exp(-c*c), so the
coefficients follow from a two-term recurrence. The table is built on first use. erf is within 2 units in the last
place of f64 and erfc within 16 (tested against ``math``), which leaves f32 results correctly rounded but for about
one value in 2**25.
"""

from __future__ import annotations

import functools
import math

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

_SMALL = 0.5  # below this |x|, the odd series
_STEP = 1 / 16  # distance of centres: |h| <= 1/32, so that h*c stays below 1
_LAST = 27.25  # erfc is below the smallest f64 from here on
_TERMS = 22


@functools.cache
def _table() -> Array:
    """Taylor coefficients of erfc around k * _STEP, one row per k, lowest order first."""
    rows = []
    for k in range(round(_LAST / _STEP) + 1):
        c = k * _STEP
        slope = -2 / math.sqrt(math.pi) * math.exp(-c * c)
        before, last = 0.0, 1.0  # coefficients of exp(-2ch - h*h) in h
        row = [math.erfc(c), slope]
        for n in range(1, _TERMS - 1):
            before, last = last, -2 * (c * last + before) / n
            row.append(slope * last / (n + 1))
        rows.append(row)
    return np.array(rows)


@functools.cache
def _odd_series() -> tuple[float, ...]:
    """Coefficients of erf(x) / x in powers of x*x, lowest first."""
    scale = 2 / math.sqrt(math.pi)
    return tuple(scale * (-1) ** n / (math.factorial(n) * (2 * n + 1)) for n in range(14))


def _erf_small(x: Array) -> Array:
    square = x * x
    total = np.zeros_like(x)
    for coefficient in reversed(_odd_series()):
        total = total * square + coefficient
    return total * x


def _erfc_positive(x: Array) -> Array:
    """erfc for x >= _SMALL (or NaN)."""
    inside = np.minimum(np.where(np.isnan(x), 0.0, x), _LAST)
    k = np.rint(inside / _STEP).astype(np.intp)
    h = inside - k * _STEP
    table = _table()
    total = np.zeros_like(x)
    for n in range(_TERMS - 1, -1, -1):
        total = total * h + table[k, n]
    return np.where(np.isnan(x), np.nan, np.where(x >= _LAST, 0.0, total))


def erf(x: Array) -> Array:
    """The error function of an f64 array."""
    x = np.asarray(x, dtype=np.float64)
    size = np.abs(x)
    large = np.copysign(1.0 - _erfc_positive(np.maximum(size, _SMALL)), x)
    return np.where(size < _SMALL, _erf_small(np.where(size < _SMALL, x, 0.0)), large)


def erfc(x: Array) -> Array:
    """1 - erf(x) of an f64 array, without cancellation for large x."""
    x = np.asarray(x, dtype=np.float64)
    size = np.abs(x)
    tail = _erfc_positive(np.maximum(size, _SMALL))
    near = 1.0 - _erf_small(np.where(size < _SMALL, x, 0.0))
    return np.where(size < _SMALL, near, np.where(x < 0, 2.0 - tail, tail))
