"""The scalar intrinsics of ``spyreop``. At infinities they take their limits.

``exx2*`` and ``layernorm*`` are absent on purpose: public documents give them no per-element meaning (they work on
the lanes of a stick, and disagree about their operands).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from spyrec.numerics import special
from spyrec.numerics.floats import arithmetic, elementary
from spyrec.numerics.integers import INTEGER_OPS
from spyrec.numerics.op import Attributes, ScalarOp, table
from spyrec.numerics.rounding import F32, narrow, widen
from spyrec.numerics.types import Array


def _sigmoid(x: Array) -> Array:
    return np.asarray(1.0 / (1.0 + np.exp(-x)))


def _silu(x: Array) -> Array:
    return np.where(x == -np.inf, -0.0, x / (1.0 + np.exp(-x)))


def _gelu(x: Array) -> Array:
    """x times the normal distribution's cumulative function, in the form that keeps the left tail's digits."""
    return np.where(x == -np.inf, -0.0, x * (0.5 * special.erfc(x * -math.sqrt(0.5))))


def _softplus(x: Array, beta: Array, threshold: Array) -> Array:
    """log(1 + exp(beta x)) / beta, and x itself where beta x exceeds the threshold.

    The public one-line summary of the op writes beta outside the exponential. The frontends that emit the op pass the
    two constants of the deep-learning function of this name; only this reading is continuous at the threshold.
    """
    scaled = np.asarray(beta * x)
    soft = (np.maximum(scaled, 0.0) + np.log1p(np.exp(-np.abs(scaled)))) / beta
    return np.where(scaled > threshold, x, soft)


def _integer(name: str, meaning: str) -> ScalarOp:
    return ScalarOp(name, 2, INTEGER_OPS[meaning].evaluate)


def _address(operands: tuple[Array, ...], result: np.dtype[Any], _: Attributes) -> Array:
    index, base, stride = operands
    return np.asarray(base + stride * index).astype(result, copy=False)


_COMPARE = {
    "equal": np.equal,
    "notequal": np.not_equal,
    "greaterthan": np.greater,
    "greaterequal": np.greater_equal,
    "lesserthan": np.less,
    "lesserequal": np.less_equal,
}
COMPARE_PREDICATES = tuple(_COMPARE)


def _compare(operands: tuple[Array, ...], result: np.dtype[Any], attributes: Attributes) -> Array:
    """1.0 where the relation holds, else 0.0, in the operands' type. NaN is unequal to all and ordered to nothing."""
    return narrow(np.asarray(_COMPARE[COMPARE.predicate(attributes)](*map(widen, operands))).astype(F32), result)


COMPARE = ScalarOp("spyreop.compare", 2, _compare, predicates=COMPARE_PREDICATES)


def _select(operands: tuple[Array, ...], result: np.dtype[Any], _: Attributes) -> Array:
    """The second operand where the first is not zero (NaN is not), else the third; moves bits."""
    condition, yes, no = operands
    return np.asarray(np.where(widen(condition) != 0, yes, no)).astype(result, copy=False)


INTRINSICS = table(
    _integer("spyreop.addi32toi32", "arith.addi"),
    _integer("spyreop.muli32toi32", "arith.muli"),
    _integer("spyreop.addi64toi64", "arith.addi"),
    ScalarOp("spyreop.idx32toaddr", 3, _address),
    arithmetic("spyreop.realdiv", 2, np.divide),
    arithmetic("spyreop.reciprocal", 1, np.reciprocal),
    arithmetic("spyreop.sqrt", 1, np.sqrt),
    elementary("spyreop.rsqrt", 1, lambda x: 1.0 / np.sqrt(x)),
    elementary("spyreop.exp", 1, np.exp),
    elementary("spyreop.sigmoid", 1, _sigmoid),
    elementary("spyreop.silu", 1, _silu),
    elementary("spyreop.gelu", 1, _gelu),
    elementary("spyreop.softplus", 1, _softplus, constants=("beta", "threshold")),
    COMPARE,
    ScalarOp("spyreop.select", 3, _select),
)
