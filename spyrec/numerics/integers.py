"""Integer ops of ``arith`` and ``math`` on arrays. Results wrap around.

Where MLIR leaves a result undefined this compiler defines it, the same everywhere: a shift by the width or more gives
0 (an arithmetic right shift: the sign); the smallest number divided by -1 is itself, remainder 0. A division by zero
raises.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from spyrec.numerics.errors import DivisionByZero
from spyrec.numerics.op import Attributes, ScalarOp, table
from spyrec.numerics.types import Array, signed, unsigned

Function = Callable[..., Array]


def _as(raw: Array, result: np.dtype[Any]) -> Array:
    """A computed array reduced to the bits of ``result`` (``i1``: the lowest bit)."""
    raw = np.asarray(raw)
    return (raw & 1).astype(bool) if result == np.bool_ else raw.astype(result, copy=False)


def _op(name: str, arity: int, function: Function, view: Callable[[Array], Array] = signed) -> ScalarOp:
    """An op computed on signed (or, with ``view=unsigned``, unsigned) integers of the operands' width."""

    def evaluate(operands: tuple[Array, ...], result: np.dtype[Any], _: Attributes) -> Array:
        return _as(function(*map(view, operands)), result)

    return ScalarOp(name, arity, evaluate)


def _division(name: str, function: Function, view: Callable[[Array], Array] = signed) -> ScalarOp:
    """As :func:`_op`, for two operands of which the second must not be 0."""

    def evaluate(operands: tuple[Array, ...], result: np.dtype[Any], _: Attributes) -> Array:
        left, right = np.broadcast_arrays(*operands)
        if not right.all():
            raise DivisionByZero(
                name, tuple(int(i) for i in np.argwhere(np.asarray(right == 0))[0]) if right.ndim else ()
            )
        return _as(function(view(left), view(right)), result)

    return ScalarOp(name, 2, evaluate)


def _floor(a: Array, b: Array) -> Array:
    # -x wraps for the smallest number, which is what its quotient by -1 is; NumPy leaves that case to the machine.
    return np.where(b == -1, -a, np.floor_divide(a, np.where(b == -1, 1, b).astype(b.dtype)))


def _inexact(a: Array, b: Array) -> Array:
    return np.asarray(_remainder(a, b) != 0)


def _truncated(a: Array, b: Array) -> Array:
    return np.asarray(_floor(a, b) + (_inexact(a, b) & ((a < 0) != (b < 0))))


def _ceil(a: Array, b: Array) -> Array:
    return np.asarray(_floor(a, b) + _inexact(a, b))


def _remainder(a: Array, b: Array) -> Array:
    """With the sign of the dividend, as in C."""
    return np.where(b == -1, np.zeros_like(a), np.fmod(a, np.where(b == -1, 1, b).astype(b.dtype)))


def _ceil_unsigned(a: Array, b: Array) -> Array:
    return np.asarray(a // b + (a % b != 0))


def _shift(name: str, function: Function, view: Callable[[Array], Array]) -> ScalarOp:
    """A shift of ``view(a)`` by the unsigned amount b; by the width or more gives 0, an arithmetic one the sign."""

    def evaluate(operands: tuple[Array, ...], result: np.dtype[Any], _: Attributes) -> Array:
        value, amount = view(operands[0]), unsigned(operands[1])
        width = 1 if result == np.bool_ else result.itemsize * 8
        inside = np.minimum(amount, width - 1).astype(value.dtype)
        over = np.where(value < 0, -1, 0) if function is np.right_shift and view is signed else 0
        return _as(np.where(amount < width, function(value, inside), np.asarray(over).astype(value.dtype)), result)

    return ScalarOp(name, 2, evaluate)


_COMPARE: dict[str, tuple[Function, Callable[[Array], Array]]] = {
    "eq": (np.equal, signed),
    "ne": (np.not_equal, signed),
    "slt": (np.less, signed),
    "sle": (np.less_equal, signed),
    "sgt": (np.greater, signed),
    "sge": (np.greater_equal, signed),
    "ult": (np.less, unsigned),
    "ule": (np.less_equal, unsigned),
    "ugt": (np.greater, unsigned),
    "uge": (np.greater_equal, unsigned),
}
#: Predicates of arith.cmpi in the order of their integer encoding.
CMPI_PREDICATES = tuple(_COMPARE)


def _cmpi(operands: tuple[Array, ...], _: np.dtype[Any], attributes: Attributes) -> Array:
    function, view = _COMPARE[CMPI.predicate(attributes)]
    return np.asarray(function(*map(view, operands)))


CMPI = ScalarOp("arith.cmpi", 2, _cmpi, predicates=CMPI_PREDICATES)


def _select(operands: tuple[Array, ...], result: np.dtype[Any], _: Attributes) -> Array:
    """Moves bits: any element type."""
    condition, yes, no = operands
    return np.asarray(np.where(condition, yes, no)).astype(result, copy=False)


def _popcount(a: Array) -> Array:
    return np.bitwise_count(a)


def _bit_length(a: Array) -> Array:
    """Position of the highest set bit plus one, by halving."""
    length = np.zeros(a.shape, dtype=a.dtype)
    rest = a.copy()
    step = a.dtype.itemsize * 4
    while step:
        big = rest >> np.asarray(step, dtype=a.dtype) != 0
        length = np.where(big, length + step, length).astype(a.dtype)
        rest = np.where(big, rest >> np.asarray(step, dtype=a.dtype), rest)
        step //= 2
    return np.asarray(length + (rest != 0))


def _leading_zeros(operands: tuple[Array, ...], result: np.dtype[Any], _: Attributes) -> Array:
    width = 1 if result == np.bool_ else result.itemsize * 8
    return _as(np.asarray(width - _bit_length(unsigned(operands[0])).astype(np.int64)), result)


def _trailing_zeros(operands: tuple[Array, ...], result: np.dtype[Any], _: Attributes) -> Array:
    width = 1 if result == np.bool_ else result.itemsize * 8
    bits = unsigned(operands[0])
    below = bits & (~bits + np.asarray(1, dtype=bits.dtype))
    return _as(np.where(bits == 0, width, _bit_length(below).astype(np.int64) - 1), result)


INTEGER_OPS = table(
    _op("arith.addi", 2, np.add),
    _op("arith.subi", 2, np.subtract),
    _op("arith.muli", 2, np.multiply),
    _division("arith.divsi", _truncated),
    _division("arith.divui", np.floor_divide, unsigned),
    _division("arith.floordivsi", _floor),
    _division("arith.ceildivsi", _ceil),
    _division("arith.ceildivui", _ceil_unsigned, unsigned),
    _division("arith.remsi", _remainder),
    _division("arith.remui", np.remainder, unsigned),
    _op("arith.andi", 2, np.bitwise_and),
    _op("arith.ori", 2, np.bitwise_or),
    _op("arith.xori", 2, np.bitwise_xor),
    _shift("arith.shli", np.left_shift, unsigned),
    _shift("arith.shrsi", np.right_shift, signed),
    _shift("arith.shrui", np.right_shift, unsigned),
    _op("arith.maxsi", 2, np.maximum),
    _op("arith.minsi", 2, np.minimum),
    _op("arith.maxui", 2, np.maximum, unsigned),
    _op("arith.minui", 2, np.minimum, unsigned),
    CMPI,
    ScalarOp("arith.select", 3, _select),
    _op("math.absi", 1, np.abs),
    _op("math.ctpop", 1, _popcount, unsigned),
    ScalarOp("math.ctlz", 1, _leading_zeros),
    ScalarOp("math.cttz", 1, _trailing_zeros),
)
