"""The element-wise operations of a stream: one row per micro-op.

Apart from ``const``, ``splat``, ``product`` their names are those of :mod:`spyrec.numerics`, which has their meaning;
a test keeps the two lists equal.
"""

from __future__ import annotations

from dataclasses import dataclass

CONST = "const"
SPLAT = "splat"
PRODUCT = "product"
OWN = frozenset({CONST, SPLAT, PRODUCT})
"""Micro-ops that are none of the numerics' own."""


@dataclass(frozen=True)
class MicroRow:
    """``code`` in the binary, name, number of sources (``a``, ``b``, ``c`` in the prose) and what the result is."""

    code: int
    op: str
    arity: int
    prose: str


def _rows(first: int, arity: int, rows: dict[str, str]) -> list[MicroRow]:
    """Rows of one arity with codes from ``first`` on. New ones are added at the end."""
    return [MicroRow(first + i, op, arity, prose) for i, (op, prose) in enumerate(rows.items())]


def _compare(prefix: str, relations: dict[str, str]) -> dict[str, str]:
    return {f"{prefix}_{name}": prose for name, prose in relations.items()}


_ORDERED = {"eq": "a = b", "gt": "a > b", "ge": "a >= b", "lt": "a < b", "le": "a <= b", "ne": "a and b differ"}
_FLOAT_RELATIONS = {
    "false": "0",
    **{"one" if k == "ne" else f"o{k}": f"1 if {v} and neither is NaN, else 0" for k, v in _ORDERED.items()},
    "ord": "1 if neither is NaN, else 0",
    **{f"u{k}": f"1 if {v} or one is NaN, else 0" for k, v in _ORDERED.items()},
    "uno": "1 if a or b is NaN, else 0",
    "true": "1",
}
_INTEGER_RELATIONS = {
    "eq": "1 if a = b, else 0",
    "ne": "1 if a and b differ, else 0",
    **{f"s{k}": f"1 if {_ORDERED[k]}, signed, else 0" for k in ("lt", "le", "gt", "ge")},
    **{f"u{k}": f"1 if {_ORDERED[k]}, unsigned, else 0" for k in ("lt", "le", "gt", "ge")},
}
_VALUE_RELATIONS = {
    "equal": "1.0 if a = b, else 0.0",
    "notequal": "1.0 if a and b differ, else 0.0",
    "greaterthan": "1.0 if a > b, else 0.0",
    "greaterequal": "1.0 if a >= b, else 0.0",
    "lesserthan": "1.0 if a < b, else 0.0",
    "lesserequal": "1.0 if a <= b, else 0.0",
}

MICRO_ROWS: tuple[MicroRow, ...] = (
    # Values that come from outside the lanes.
    *_rows(0x001, 0, {CONST: "the low bytes of the immediate in every lane"}),
    *_rows(0x002, 1, {SPLAT: "the low bytes of scalar register a in every lane"}),
    *_rows(0x003, 2, {PRODUCT: "a * b, not rounded to the type; only a sum that folds it may use it"}),
    # Floats.
    *_rows(
        0x010,
        2,
        {
            "addf": "a + b",
            "subf": "a - b",
            "mulf": "a * b",
            "divf": "a / b",
            "remf": "the remainder of a / b, with the sign of a",
            "maximumf": "the greater one, NaN if one is NaN",
            "minimumf": "the lesser one, NaN if one is NaN",
            "maxnumf": "the greater one, the other one if one is NaN",
            "minnumf": "the lesser one, the other one if one is NaN",
            "copysign": "a with the sign of b",
            "atan2": "the angle of (b, a)",
            "powf": "a to the power b",
            "fpowi": "a to the power of the integer b",
        },
    ),
    *_rows(0x030, 2, _compare("cmpf", _FLOAT_RELATIONS)),
    *_rows(0x040, 2, _compare("compare", _VALUE_RELATIONS)),
    *_rows(
        0x050,
        1,
        {
            "negf": "-a",
            "absf": "a without its sign",
            "ceil": "a rounded up to a whole number",
            "floor": "a rounded down",
            "trunc": "a rounded towards zero",
            "round": "a rounded to nearest, halves away from zero",
            "roundeven": "a rounded to nearest, halves to even",
            "sqrt": "the square root",
            "rsqrt": "1 / sqrt(a)",
            "cbrt": "the cube root",
            "exp": "e to the power a",
            "exp2": "2 to the power a",
            "expm1": "exp(a) - 1",
            "log": "the natural logarithm",
            "log2": "the logarithm to base 2",
            "log10": "the logarithm to base 10",
            "log1p": "log(1 + a)",
            "sin": "the sine",
            "cos": "the cosine",
            "tan": "the tangent",
            "asin": "the inverse sine",
            "acos": "the inverse cosine",
            "atan": "the inverse tangent",
            "sinh": "the hyperbolic sine",
            "cosh": "the hyperbolic cosine",
            "tanh": "the hyperbolic tangent",
            "asinh": "the inverse hyperbolic sine",
            "acosh": "the inverse hyperbolic cosine",
            "atanh": "the inverse hyperbolic tangent",
            "erf": "the error function",
            "erfc": "1 - erf(a)",
            "isnan": "1 if a is NaN, else 0",
            "isinf": "1 if a is infinite, else 0",
            "isfinite": "1 if a is neither NaN nor infinite, else 0",
            "reciprocal": "1 / a",
            "sigmoid": "1 / (1 + exp(-a))",
            "silu": "a * sigmoid(a)",
            "gelu": "a * (1 + erf(a / sqrt(2))) / 2",
            "rounded": "a, which a sum then folds as it was rounded",
        },
    ),
    *_rows(
        0x080,
        3,
        {
            "fma": "a * b + c, rounded once",
            "select": "b if a is not 0, else c",
            "selectf": "b if the float a is not 0, else c",
            "softplus": "log(1 + exp(b * a)) / b, or a where b * a exceeds c; b and c are f32",
            "idx32toaddr": "b + c * a",
        },
    ),
    # Integers, wrapping at their width; shifts by the width or more and divisions by 0 as numerics has them.
    *_rows(
        0x0A0,
        2,
        {
            "addi": "a + b",
            "subi": "a - b",
            "muli": "a * b",
            "divsi": "a / b, rounded towards zero",
            "divui": "a / b, unsigned",
            "floordivsi": "a / b, rounded down",
            "ceildivsi": "a / b, rounded up",
            "ceildivui": "a / b, unsigned, rounded up",
            "remsi": "the remainder of divsi",
            "remui": "the remainder of divui",
            "andi": "bitwise and",
            "ori": "bitwise or",
            "xori": "bitwise exclusive or",
            "shli": "a shifted left by b",
            "shrsi": "a shifted right by b, copies of the sign coming in",
            "shrui": "a shifted right by b, zeros coming in",
            "maxsi": "the greater one, signed",
            "minsi": "the lesser one, signed",
            "maxui": "the greater one, unsigned",
            "minui": "the lesser one, unsigned",
        },
    ),
    *_rows(0x0C0, 2, _compare("cmpi", _INTEGER_RELATIONS)),
    *_rows(
        0x0D0,
        1,
        {
            "absi": "a without its sign",
            "ctpop": "how many bits are 1",
            "ctlz": "how many high bits are 0",
            "cttz": "how many low bits are 0",
        },
    ),
    # From one type to another: that of the source is the type with which it was written.
    *_rows(
        0x0E0,
        1,
        {
            "extf": "a as a wider float",
            "truncf": "a rounded to a narrower float",
            "extsi": "a, sign-extended",
            "extui": "a, zero-extended",
            "trunci": "the low bits of a",
            "index_cast": "a, sign-extended or its low bits",
            "index_castui": "a, zero-extended or its low bits",
            "sitofp": "the signed integer a as a float",
            "uitofp": "the unsigned integer a as a float",
            "fptosi": "a rounded towards zero, as a signed integer",
            "fptoui": "a rounded towards zero, as an unsigned integer",
            "bitcast": "the bits of a, read as the other type",
        },
    ),
)
