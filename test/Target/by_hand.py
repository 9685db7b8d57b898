"""What NumPy makes of the hand-written programs."""

from __future__ import annotations

import numpy as np
from target import Arrays, Program


def _softmax_inputs(rng: np.random.Generator) -> Arrays:
    x = (rng.standard_normal((24, 64)) * 4).astype(np.float16)
    x[3, 7] = -np.inf
    return {"x": x}


def _softmax(arrays: Arrays) -> Arrays:
    x = arrays["x"].astype(np.float64)
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return {"y": (e / e.sum(axis=1, keepdims=True)).astype(np.float16)}


PROGRAMS = [Program("softmax", 4, _softmax_inputs, _softmax, ulp=1)]
