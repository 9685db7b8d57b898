"""Floating-point ops of ``arith`` and ``math``.

Arithmetic on f32 and f64 is IEEE 754's. Elementary functions (exp, log, sin, ...) are evaluated in f64 and rounded to
f32 (f16 and bf16 then from f32), so that a result is the f32 nearest to the exact one in all but about one case in
10**8, on any machine and however the data is cut into tiles.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from spyrec.numerics import special
from spyrec.numerics.errors import UnknownOp
from spyrec.numerics.op import Attributes, ScalarOp, table
from spyrec.numerics.rounding import F32, F64, narrow, widen, widest
from spyrec.numerics.types import Array

Function = Callable[..., Array]


def arithmetic(name: str, arity: int, function: Function) -> ScalarOp:
    """An op whose function is exact-then-rounded in f32 and f64 (add, mul, div, sqrt, rounding to integers, ...)."""

    def evaluate(operands: tuple[Array, ...], result: np.dtype[Any], _: Attributes) -> Array:
        return narrow(np.asarray(function(*map(widen, operands))), result)

    return ScalarOp(name, arity, evaluate)


def in_f64(function: Function, operands: tuple[Array, ...], result: np.dtype[Any]) -> Array:
    """Evaluate ``function`` in f64 and round to f32, then to ``result``; for f64 there is nothing to round."""
    # Contiguous operands: NumPy may use another implementation of an elementary function for strided ones.
    wide = np.asarray(function(*(np.ascontiguousarray(widest(a)).reshape(a.shape) for a in operands)))
    return narrow(wide if result == F64 else wide.astype(F32), result)


def elementary(name: str, arity: int, function: Function, constants: tuple[str, ...] = ()) -> ScalarOp:
    """An op that is evaluated in f64 and rounded; ``constants`` are float attributes passed after the operands."""

    def evaluate(operands: tuple[Array, ...], result: np.dtype[Any], attributes: Attributes) -> Array:
        if len(operands) == arity:
            operands += tuple(np.asarray(attributes[c], dtype=F32) for c in constants)
        return in_f64(function, operands, result)

    return ScalarOp(name, arity, evaluate, slow=True, constants=constants)


# Minimum and maximum ----------------------------------------------------------------------------------------------


def _ordered(greater: bool, a: Array, b: Array) -> Array:
    """The larger (smaller) of two numbers, with -0 below +0; unspecified where one is NaN."""
    # Of two zeros, + wins a maximum and - a minimum: and, or or their sign bits.
    zeros = (unsigned_bits(a) & unsigned_bits(b) if greater else unsigned_bits(a) | unsigned_bits(b)).view(a.dtype)
    return np.where(a == b, zeros, np.where(a > b if greater else a < b, a, b))


def unsigned_bits(array: Array) -> Array:
    """The bits of a float array as unsigned integers."""
    return np.ascontiguousarray(array).reshape(array.shape).view(f"uint{array.dtype.itemsize * 8}")


def _extremum(greater: bool, propagate: bool) -> Function:
    def function(a: Array, b: Array) -> Array:
        a, b = np.broadcast_arrays(a, b)
        chosen = _ordered(greater, a, b)
        if propagate:
            return np.where(np.isnan(a) | np.isnan(b), np.asarray(np.nan, dtype=a.dtype), chosen)
        return np.where(np.isnan(a), b, np.where(np.isnan(b), a, chosen))

    return function


# Sign bits: moves of bits, so that a NaN keeps its payload --------------------------------------------------------


def _sign_mask(array: Array) -> Array:
    bits = array.dtype.itemsize * 8
    return np.asarray(1 << (bits - 1), dtype=f"uint{bits}")


def _signs(name: str, arity: int, function: Callable[..., Array]) -> ScalarOp:
    def evaluate(operands: tuple[Array, ...], result: np.dtype[Any], _: Attributes) -> Array:
        mask = _sign_mask(operands[0])
        return np.asarray(function(mask, *map(unsigned_bits, operands))).view(result)

    return ScalarOp(name, arity, evaluate)


# Comparison -------------------------------------------------------------------------------------------------------

_TRUE_FALSE: dict[str, Function] = {
    "false": lambda a, b: np.zeros(np.broadcast_shapes(a.shape, b.shape), dtype=bool),
    "true": lambda a, b: np.ones(np.broadcast_shapes(a.shape, b.shape), dtype=bool),
}
_ORDERED: dict[str, Function] = {
    "oeq": lambda a, b: a == b,
    "ogt": lambda a, b: a > b,
    "oge": lambda a, b: a >= b,
    "olt": lambda a, b: a < b,
    "ole": lambda a, b: a <= b,
    "one": lambda a, b: (a < b) | (a > b),
    "ord": lambda a, b: (a == a) & (b == b),
}
_UNORDERED: dict[str, Function] = {
    "ueq": lambda a, b: ~((a < b) | (a > b)),
    "ugt": lambda a, b: ~(a <= b),
    "uge": lambda a, b: ~(a < b),
    "ult": lambda a, b: ~(a >= b),
    "ule": lambda a, b: ~(a > b),
    "une": lambda a, b: a != b,
    "uno": lambda a, b: (a != a) | (b != b),
}
_COMPARE = {**_TRUE_FALSE, **_ORDERED, **_UNORDERED}
#: Predicates of arith.cmpf in the order of their integer encoding.
CMPF_PREDICATES = ("false", *_ORDERED, *_UNORDERED, "true")


def _cmpf(operands: tuple[Array, ...], _: np.dtype[Any], attributes: Attributes) -> Array:
    function = _COMPARE[CMPF.predicate(attributes)]
    return np.asarray(function(*map(widen, operands)))


CMPF = ScalarOp("arith.cmpf", 2, _cmpf, predicates=CMPF_PREDICATES)


# Fused multiply-add -----------------------------------------------------------------------------------------------


def _two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """a + b rounded, and the exact rounding error."""
    total = np.asarray(a + b)
    part = total - a
    return total, np.asarray((a - (total - part)) + (b - part))


def _add_to_odd(a: Array, b: Array) -> Array:
    """a + b in f64, inexact results rounded to the neighbour with an odd last bit."""
    total, error = _two_sum(a, b)
    bits = total.view(np.int64)
    wrong = (error != 0) & np.isfinite(total) & (bits & 1 == 0)
    towards_zero = (error < 0) == (total > 0)
    return np.where(wrong, np.where(towards_zero, bits - 1, bits + 1), bits).astype(np.int64).view(F64)


def _two_product(a: Array, b: Array) -> tuple[Array, Array]:
    """a * b rounded, and the exact rounding error, for magnitudes far from overflow and underflow."""
    product = np.asarray(a * b)

    def split(x: Array) -> tuple[Array, Array]:
        scaled = x * 134217729.0  # 2**27 + 1
        high = scaled - (scaled - x)
        return high, x - high

    (ah, al), (bh, bl) = split(a), split(b)
    return product, np.asarray(al * bl - (((product - ah * bh) - al * bh) - ah * bl))


def _fma_f64(a: Array, b: Array, c: Array) -> Array:
    """a * b + c with one rounding: the sum of three f64 values, the smaller two added to odd first.

    Operands are scaled by powers of two so that the products neither overflow nor underflow; a result in the
    subnormal range is rounded twice.
    """
    (ma, ea), (mb, eb), (mc, ec) = np.frexp(a), np.frexp(b), np.frexp(c)
    exponent = ea.astype(np.int64) + eb
    # An addend 2**200 times larger or smaller than the product decides nothing but the direction of rounding.
    shift = np.clip(ec - exponent, -400, 400)
    high, low = _two_product(ma, mb)
    c_scaled = np.ldexp(mc, shift.astype(np.int32))
    uh, ul = _two_sum(c_scaled, low)
    vh, vl = _two_sum(high, uh)
    scaled = vh + _add_to_odd(ul, vl)
    base = np.where(ec - exponent > 400, ec - 400, exponent)
    ordinary = np.isfinite(a) & np.isfinite(b) & np.isfinite(c) & (a != 0) & (b != 0) & (c != 0)
    return np.where(ordinary, np.ldexp(scaled, np.clip(base, -2200, 2200).astype(np.int32)), a * b + c)


def _fma(operands: tuple[Array, ...], result: np.dtype[Any], _: Attributes) -> Array:
    a, b, c = (widest(x) for x in np.broadcast_arrays(*operands))
    if result == F64:
        return narrow(_fma_f64(a, b, c), result)
    # The product of two f32 (or narrower) numbers is exact in f64; the sum, rounded to odd, can be rounded again.
    total = _add_to_odd(np.asarray(a * b), c)
    return narrow(total if result != F32 else total.astype(F32), result)


# Powers -----------------------------------------------------------------------------------------------------------


def _fpowi(operands: tuple[Array, ...], result: np.dtype[Any], _: Attributes) -> Array:
    return in_f64(np.power, operands, result)


def _round_half_away(x: Array) -> Array:
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(1.0, x).astype(x.dtype), whole)


# Casts between float types ----------------------------------------------------------------------------------------


def _convert(operands: tuple[Array, ...], result: np.dtype[Any], attributes: Attributes) -> Array:
    # MLIR's enum: 0 is to_nearest_even.
    if attributes.get("roundingmode", 0) not in (0, "to_nearest_even"):
        raise UnknownOp("only rounding to nearest, ties to even, is defined here")
    return narrow(np.array(widen(operands[0])), result)


def _test(name: str, function: Function) -> ScalarOp:
    def evaluate(operands: tuple[Array, ...], _result: np.dtype[Any], _: Attributes) -> Array:
        return np.asarray(function(widen(operands[0])))

    return ScalarOp(name, 1, evaluate)


FLOAT_OPS = table(
    arithmetic("arith.addf", 2, np.add),
    arithmetic("arith.subf", 2, np.subtract),
    arithmetic("arith.mulf", 2, np.multiply),
    arithmetic("arith.divf", 2, np.divide),
    arithmetic("arith.remf", 2, np.fmod),
    _signs("arith.negf", 1, lambda mask, a: a ^ mask),
    arithmetic("arith.maximumf", 2, _extremum(greater=True, propagate=True)),
    arithmetic("arith.minimumf", 2, _extremum(greater=False, propagate=True)),
    arithmetic("arith.maxnumf", 2, _extremum(greater=True, propagate=False)),
    arithmetic("arith.minnumf", 2, _extremum(greater=False, propagate=False)),
    CMPF,
    ScalarOp("arith.extf", 1, _convert),
    ScalarOp("arith.truncf", 1, _convert),
    _signs("math.absf", 1, lambda mask, a: a & ~mask),
    _signs("math.copysign", 2, lambda mask, a, b: (a & ~mask) | (b & mask)),
    arithmetic("math.ceil", 1, np.ceil),
    arithmetic("math.floor", 1, np.floor),
    arithmetic("math.trunc", 1, np.trunc),
    arithmetic("math.roundeven", 1, np.rint),
    arithmetic("math.round", 1, _round_half_away),
    arithmetic("math.sqrt", 1, np.sqrt),
    ScalarOp("math.fma", 3, _fma),
    elementary("math.rsqrt", 1, lambda x: 1.0 / np.sqrt(x)),
    elementary("math.exp", 1, np.exp),
    elementary("math.exp2", 1, np.exp2),
    elementary("math.expm1", 1, np.expm1),
    elementary("math.log", 1, np.log),
    elementary("math.log2", 1, np.log2),
    elementary("math.log10", 1, np.log10),
    elementary("math.log1p", 1, np.log1p),
    elementary("math.sin", 1, np.sin),
    elementary("math.cos", 1, np.cos),
    elementary("math.tan", 1, np.tan),
    elementary("math.asin", 1, np.arcsin),
    elementary("math.acos", 1, np.arccos),
    elementary("math.atan", 1, np.arctan),
    elementary("math.atan2", 2, np.arctan2),
    elementary("math.sinh", 1, np.sinh),
    elementary("math.cosh", 1, np.cosh),
    elementary("math.tanh", 1, np.tanh),
    elementary("math.asinh", 1, np.arcsinh),
    elementary("math.acosh", 1, np.arccosh),
    elementary("math.atanh", 1, np.arctanh),
    elementary("math.cbrt", 1, np.cbrt),
    elementary("math.erf", 1, special.erf),
    elementary("math.erfc", 1, special.erfc),
    elementary("math.powf", 2, np.power),
    ScalarOp("math.fpowi", 2, _fpowi, slow=True),
    _test("math.isnan", np.isnan),
    _test("math.isinf", np.isinf),
    _test("math.isfinite", np.isfinite),
    ScalarOp("dataflow.rounded", 1, lambda operands, result, _: operands[0].astype(result, copy=False)),
)
