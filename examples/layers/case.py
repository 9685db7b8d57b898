"""A kernel of these families with its data and its NumPy meaning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

Values = dict[str, Any]
DTYPES: dict[str, Any] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "i32": np.int32,
    "i8": np.int8,
    "i1": np.bool_,
}
STEP = {"f16": 2.0**-10, "bf16": 2.0**-7, "f32": 2.0**-22}
"""Relative distance of two neighbouring numbers (two of them in f32, where transcendental functions are off by one)."""


@dataclass(frozen=True)
class Case:
    """``inputs(rng)`` makes the arrays and numbers of a launch, ``reference(values)`` the arrays after it, in f64 or
    exactly. ``tolerance`` is relative to the largest magnitude of a result; 0 asks for equal bits. ``reassociated``:
    tiles are so large that the compiler sums up in parts, so bits may differ from those of the kernel as written."""

    name: str
    text: str
    inputs: Callable[[np.random.Generator], Values]
    reference: Callable[[Values], Values]
    tolerance: float = 0.0
    reassociated: bool = False


def normal(**arrays: tuple[tuple[int, ...], str]) -> Callable[[np.random.Generator], Values]:
    """Arrays of standard normal numbers: shape and element type by name."""

    def make(rng: np.random.Generator) -> Values:
        return {name: rng.standard_normal(shape).astype(DTYPES[element]) for name, (shape, element) in arrays.items()}

    return make


def wide(array: Any) -> Any:
    """As f64."""
    return np.asarray(array).astype(np.float64)


def softmax(x: Any) -> Any:
    """Along the last dimension."""
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def silu(x: Any) -> Any:
    return x / (1 + np.exp(-x))


def close(got: Any, want: Any, tolerance: float) -> bool:
    """Equal where ``tolerance`` is 0, else apart by no more than that part of the largest finite magnitude."""
    got = np.asarray(got).reshape(np.shape(want))
    if not tolerance:
        return bool(got.tobytes() == np.asarray(want).astype(got.dtype).tobytes())
    a, b = wide(got), wide(want)
    special = ~np.isfinite(b)
    if not np.array_equal(a[special], b[special], equal_nan=True):
        return False
    fine = ~special
    return not fine.any() or bool(np.abs(a[fine] - b[fine]).max() <= tolerance * max(np.abs(b[fine]).max(), 1e-30))
