"""Integer scalars as Python ints: the address arithmetic of executors, where an array of one element would cost too
much.

A value of an N-bit type is the signed number of its two's complement; ``i1`` is 0 or 1. The functions here are the
same ones as those on arrays, and a property test holds them to that.
"""

from __future__ import annotations

from collections.abc import Callable

from spyrec.numerics.errors import DivisionByZero, UnknownOp
from spyrec.numerics.integers import CMPI_PREDICATES

Binary = Callable[[int, int], int]


def wrap(value: int, bits: int) -> int:
    """``value`` reduced to ``bits`` bits, as the canonical Python int of that type."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if bits > 1 and value >> (bits - 1) else value


def _unsigned(value: int, bits: int) -> int:
    return value & ((1 << bits) - 1)


def _signed(value: int, bits: int) -> int:
    return -value if bits == 1 else value


def _truncated(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


_SIGNED: dict[str, Binary] = {
    "arith.addi": lambda a, b: a + b,
    "arith.subi": lambda a, b: a - b,
    "arith.muli": lambda a, b: a * b,
    "arith.andi": lambda a, b: a & b,
    "arith.ori": lambda a, b: a | b,
    "arith.xori": lambda a, b: a ^ b,
    "arith.maxsi": max,
    "arith.minsi": min,
    "spyreop.addi32toi32": lambda a, b: a + b,
    "spyreop.addi64toi64": lambda a, b: a + b,
    "spyreop.muli32toi32": lambda a, b: a * b,
}
_UNSIGNED: dict[str, Binary] = {"arith.maxui": max, "arith.minui": min}
_SIGNED_DIVISIONS: dict[str, Binary] = {
    "arith.divsi": _truncated,
    "arith.remsi": lambda a, b: a - b * _truncated(a, b),
    "arith.floordivsi": lambda a, b: a // b,
    "arith.ceildivsi": lambda a, b: -(-a // b),
}
_UNSIGNED_DIVISIONS: dict[str, Binary] = {
    "arith.divui": lambda a, b: a // b,
    "arith.remui": lambda a, b: a % b,
    "arith.ceildivui": lambda a, b: -(-a // b),
}
_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


_FAMILIES = (
    (_SIGNED, _signed, False),
    (_UNSIGNED, _unsigned, False),
    (_SIGNED_DIVISIONS, _signed, True),
    (_UNSIGNED_DIVISIONS, _unsigned, True),
)


def _shift(name: str, a: int, amount: int, bits: int) -> int:
    over = amount >= bits
    if name == "arith.shrsi":
        return _signed(a, bits) >> min(amount, bits)
    if over:
        return 0
    return a << amount if name == "arith.shli" else _unsigned(a, bits) >> amount


def binary(name: str, bits: int) -> Binary | None:
    """``name`` as a function of two ``bits``-wide integers (which may raise :class:`DivisionByZero`), or None."""
    if name in ("arith.shli", "arith.shrsi", "arith.shrui"):
        return lambda a, b: wrap(_shift(name, a, _unsigned(b, bits), bits), bits)
    for functions, view, divides in _FAMILIES:
        if name in functions:
            function = functions[name]
            if divides:
                return lambda a, b: wrap(function(view(a, bits), view(_divisor(name, b), bits)), bits)
            return lambda a, b: wrap(function(view(a, bits), view(b, bits)), bits)
    return None


def _divisor(name: str, value: int) -> int:
    if value == 0:
        raise DivisionByZero(name, ())
    return value


def compare(predicate: int, bits: int) -> Binary:
    """arith.cmpi by the predicate's integer encoding, as a function that gives 0 or 1. Raises :class:`UnknownOp`."""
    if not 0 <= predicate < len(CMPI_PREDICATES):
        raise UnknownOp(f"arith.cmpi has no predicate {predicate}; it has {', '.join(CMPI_PREDICATES)}")
    name = CMPI_PREDICATES[predicate]
    view = _unsigned if name[0] == "u" else _signed
    relation = _COMPARE[name[-2:]]
    return lambda a, b: int(relation(view(a, bits), view(b, bits)))


def resize(name: str, source_bits: int, bits: int) -> Callable[[int], int] | None:
    """The integer casts (``extsi``, ``extui``, ``trunci``, ``index_cast``, ``index_castui``); None for another op."""
    if name in ("arith.extsi", "arith.trunci", "arith.index_cast"):
        return lambda value: wrap(_signed(value, source_bits), bits)
    if name in ("arith.extui", "arith.index_castui"):
        return lambda value: wrap(_unsigned(value, source_bits), bits)
    return None
