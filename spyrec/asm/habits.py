"""Mistakes with upstream ops that kernels in the wild make, and what to write instead."""

from __future__ import annotations

import re
from dataclasses import dataclass

_STATEMENT = re.compile(r"(?:^|=)[ \t]*\"?([a-z_]+\.[a-z_0-9]+)\b", re.MULTILINE)
_INTEGER_TO_FLOAT = {
    "addi": "addf",
    "subi": "subf",
    "muli": "mulf",
    "divsi": "divf",
    "divui": "divf",
    "remsi": "remf",
    "remui": "remf",
    "maxsi": "maximumf",
    "maxui": "maximumf",
    "minsi": "minimumf",
    "minui": "minimumf",
}
_FLOAT_TO_INTEGER = {"addf": "addi", "subf": "subi", "mulf": "muli", "divf": "divsi", "remf": "remsi"}


@dataclass(frozen=True)
class Habit:
    """A mistake: the op, what MLIR says about it, and the way out."""

    op: str
    message: re.Pattern[str]
    advice: str


_WRONG_KIND = r"must be signless-\S*integer\S*, but got .*f\d+|operand .* must be signless.*integer.*f\d+"
_NO_INDEX = r"expects different type than prior uses: 'index' vs 'i\d+'"
_WRONG_NUMBER = r"must be floating-point.*, but got .*(?:i\d+|index)"

HABITS: tuple[Habit, ...] = (
    Habit(
        "arith.cmpi",
        re.compile(_WRONG_KIND),
        "arith.cmpi compares integers; floating-point numbers take arith.cmpf with olt, ole, ogt, oge, oeq or une",
    ),
    Habit(
        "arith.cmpf",
        re.compile(_WRONG_NUMBER),
        "arith.cmpf compares floating-point numbers; integers take arith.cmpi with slt, sle, sgt, sge, eq or ne",
    ),
    Habit(
        "arith.select",
        re.compile(r"expects different type than prior uses: 'i1' vs '(?:tensor|vector)<"),
        "a condition that is a tensor is stated too: arith.select %c, %x, %y : tensor<4xi1>, tensor<4xf16>",
    ),
    Habit(
        "arith.constant",
        re.compile(r"expected (?:constant )?integer or floating point"),
        "an infinity is written by its bits: -inf is 0xFC00 : f16, 0xFF80 : bf16, 0xFF800000 : f32",
    ),
    Habit(
        "tensor.expand_shape",
        re.compile(r"expected 'output_shape'"),
        "state the sizes of the result: tensor.expand_shape %x [[0, 1]] output_shape [1, 128] : ...",
    ),
    *(
        Habit(
            f"ktdp.{op}",
            re.compile(_NO_INDEX),
            "addresses, sizes and coordinates are index: take the argument as index,"
            " or convert the number with arith.index_cast",
        )
        for op in ("construct_memory_view", "construct_access_tile", "construct_indirect_access_tile")
    ),
    Habit(
        "scf.for",
        re.compile(_NO_INDEX),
        "a loop over other integers than index states their type: scf.for %i = %a to %b step %c : i32",
    ),
    *(
        Habit(f"arith.{i}", re.compile(_WRONG_KIND), f"floating-point numbers take arith.{f}")
        for i, f in _INTEGER_TO_FLOAT.items()
    ),
    *(Habit(f"arith.{f}", re.compile(_WRONG_NUMBER), f"integers take arith.{i}") for f, i in _FLOAT_TO_INTEGER.items()),
)

_TRITON = "this is Triton's IR: the Spyre backend of Triton makes KTIR of it"
_BELOW = "this is the public scheduler's IR: give the KTIR that it was made from"
FOREIGN = {
    "tt": _TRITON,
    "ttg": _TRITON,
    "ktdf": _BELOW,
    "ktdf_lowering": _BELOW,
    "uniform": _BELOW,
    "agen": _BELOW,
    "vectorchain": _BELOW,
    "sdscbundle": "this is a bundle of super-DSC operations, not KTIR",
}
"""Dialects of other tools that a kernel passes on its way to or from KTIR, and what to say of their ops."""


def advice(before: str, message: str) -> str | None:
    """What to say beside MLIR's ``message``; ``before`` is the text up to the mistake, and the word there."""
    ops = _STATEMENT.findall(before)
    return next((h.advice for h in HABITS if ops and h.op == ops[-1] and h.message.search(message)), None)
