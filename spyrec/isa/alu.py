"""The one meaning of the scalar integer instructions: 64-bit two's complement, results wrap.

Used by the simulator for ``add rd, ra, rb`` and its like, by code generation for folding, and by the host for the
launch-uniform expressions of the parameter bank.
"""

from __future__ import annotations

from collections.abc import Callable


class DivisionByZero(ArithmeticError):
    """A division or remainder by 0."""


def wrap(value: int, bits: int = 64) -> int:
    """``value`` modulo 2**bits, in the signed range."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def unsigned(value: int, bits: int = 64) -> int:
    """The low ``bits`` of ``value`` as a number from 0 up."""
    return value & (1 << bits) - 1


def _divisor(value: int) -> int:
    if value == 0:
        raise DivisionByZero("division by zero")
    return value


def _quotient(a: int, b: int) -> int:
    q = abs(a) // abs(_divisor(b))
    return -q if (a < 0) != (b < 0) else q


def _shift_left(a: int, b: int) -> int:
    return a << b if 0 <= b < 64 else 0


def _shift_right(a: int, b: int) -> int:
    return a >> (b if 0 <= b < 64 else 63)


def _shift_right_unsigned(a: int, b: int) -> int:
    return unsigned(a) >> b if 0 <= b < 64 else 0


_ALU: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": _quotient,
    "rem": lambda a, b: a - b * _quotient(a, b),
    "floordiv": lambda a, b: a // _divisor(b),
    "mod": lambda a, b: a - b * (a // _divisor(b)),
    "ceildiv": lambda a, b: -(-a // _divisor(b)),
    "divu": lambda a, b: unsigned(a) // _divisor(unsigned(b)),
    "remu": lambda a, b: unsigned(a) % _divisor(unsigned(b)),
    "min": min,
    "max": max,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "shl": _shift_left,
    "shr": _shift_right,
    "shru": _shift_right_unsigned,
    "eq": lambda a, b: int(a == b),
    "ne": lambda a, b: int(a != b),
    "lt": lambda a, b: int(a < b),
    "le": lambda a, b: int(a <= b),
    "gt": lambda a, b: int(a > b),
    "ge": lambda a, b: int(a >= b),
    "ult": lambda a, b: int(unsigned(a) < unsigned(b)),
    "ule": lambda a, b: int(unsigned(a) <= unsigned(b)),
}

OPERATIONS = frozenset(_ALU)


LEAST, MOST = -(1 << 63), (1 << 63) - 1


def exact(op: str) -> Callable[[int, int], int]:
    """The function of ``op`` on two signed 64-bit values before its result is wrapped."""
    return _ALU[op]


def evaluate(op: str, a: int, b: int) -> int:
    """``op`` (the name of the register form, ``add``) on two signed 64-bit values. Raises :class:`DivisionByZero`."""
    return wrap(_ALU[op](a, b))
