"""What the line from ``kernel`` to the binary can carry, and what to say about everything else.

Legality refuses by these tables; the gates of later stages hold the compiler to them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from spyrec import numerics
from spyrec.mlir import ir

SCALAR_OPS: frozenset[str] = frozenset(
    f"arith.{name}"
    for name in (
        "addi", "andi", "ceildivsi", "ceildivui", "cmpi", "constant", "divsi", "divui", "extsi", "extui", "floordivsi",
        "index_cast", "index_castui", "maxsi", "maxui", "minsi", "minui", "muli", "ori", "remsi", "remui", "select",
        "shli", "shrsi", "shrui", "subi", "trunci", "xori",
    )
) | {"affine.apply"}  # fmt: skip
"""Ops on integer scalars that the units' own ALU can do (unsigned division only of what is not negative)."""

CONTROL_OPS: frozenset[str] = frozenset({"func.return", "scf.condition", "scf.for", "scf.if", "scf.while", "scf.yield"})
"""Structured control flow, as it is from stage ``kernel`` on."""

OTHER_CONTROL_OPS: frozenset[str] = frozenset(
    f"scf.{name}"
    for name in (
        "execute_region",
        "forall",
        "forall.in_parallel",
        "index_switch",
        "parallel",
        "reduce",
        "reduce.return",
    )
)
"""Structured control flow that ``normalize-control`` lowers."""

SHAPE_OPS: frozenset[str] = frozenset(
    {"tensor.collapse_shape", "tensor.empty", "tensor.expand_shape", "tensor.extract_slice", "tensor.insert_slice"}
)
"""Ops that only say where elements of a tensor are."""

OTHER_TENSOR_OPS: frozenset[str] = frozenset(
    f"tensor.{name}"
    for name in (
        "bitcast", "cast", "concat", "dim", "from_elements", "generate", "insert", "pad", "parallel_insert_slice",
        "rank", "reshape", "splat",
    )
)  # fmt: skip
"""Ops that ``lower-tensor-ops`` and ``scalars-to-tensors`` lower."""

MOST_LITERALS = 64
"""How many numbers of a constant tensor are put in one by one."""


@dataclass(frozen=True)
class Refusal:
    """Why an op is not compiled, and what a kernel can say instead."""

    why: str
    instead: str


def is_integer(type_: ir.Type) -> bool:
    """Whether the units' registers hold values of ``type_``: index, and integers of up to 64 bits."""
    return isinstance(type_, ir.IndexType) or (isinstance(type_, ir.IntegerType) and type_.width <= 64)


Row = TypeVar("Row")


def row_for(name: str, table: Mapping[str, Row], other: Row) -> Row:
    """What a table says about the op ``name``: in the longest row that is its name, or ends in ``.`` or ``_`` and
    begins it; else ``other``.
    """
    fitting = [row for row in table if name == row or (row.endswith((".", "_")) and name.startswith(row))]
    return table[max(fitting, key=len)] if fitting else other


def refusal(name: str) -> Refusal:
    """What to say about the op ``name``, which the line does not carry."""
    return row_for(name, REFUSALS, _OTHER)


_OTHER = Refusal("no pass lowers it", "say it with linalg, arith, math, scf and ktdp")

REFUSALS: dict[str, Refusal] = {  # a name that ends in . or _ means all ops that begin so
    "affine.": Refusal("of affine, only affine.apply is compiled", "use scf.for, scf.if and arith"),
    "arith.constant": Refusal(
        f"more than {MOST_LITERALS} of its numbers differ from the most frequent one, and each takes an op of its own",
        "pass the table as an argument and load it",
    ),
    "bufferization.": Refusal("buffers are made by the compiler", "leave values as tensors"),
    "builtin.unrealized_conversion_cast": Refusal(
        "a lowering before this one has left it behind", "convert numbers with arith.index_cast, extsi or trunci"
    ),
    "cf.": Refusal("control flow must be structured", "use scf.for and scf.if"),
    "func.call": Refusal(
        "the call could not be inlined: the callee has no body here, or calls itself", "define the callee in this file"
    ),
    "ktdp.runtime_arg_extract": Refusal(
        "its argument is handed on by something else", "extract the number from the argument of the kernel itself"
    ),
    "linalg.": Refusal("it is no loop nest over its operands", "write it as linalg.generic"),
    "memref.": Refusal(
        "memory is reached through views alone", "use ktdp.construct_memory_view, ktdp.load and ktdp.store"
    ),
    "scf.": Refusal("no pass lowers it", "use scf.for, scf.if and scf.while"),
    "tensor.extract": Refusal(
        "every lane would read an element of its own", "load the elements through an indirect access tile"
    ),
    "tensor.gather": Refusal("only transfers gather, from memory", "load the elements through an indirect access tile"),
    "tensor.scatter": Refusal("only transfers scatter, to memory", "store through an indirect access tile"),
    "vector.": Refusal("the vector unit is programmed through linalg", "write it as linalg.generic on tensors"),
}


def element_problem(element: ir.Type, lanes: frozenset[str]) -> str | None:
    """Why no vector unit with ``lanes`` (element types) can process ``element``; ``None`` when one can."""
    name = str(element)
    if name not in numerics.TYPES:
        return f"{name} is no element type of this compiler ({', '.join(numerics.TYPES)})"
    if name not in lanes:
        return f"the vector unit has no lanes for {name}; it has them for {', '.join(sorted(lanes))}"
    return None


def body_problem(op: ir.Operation) -> str | None:
    """Why ``op`` cannot stand in the body of an element-wise operation; ``None`` when a micro-op does it."""
    if op.name in ("arith.constant", "spyreop.constant", "linalg.index", "linalg.yield", "tensor.yield"):
        return None
    scalar = numerics.SCALAR_OPS.get(op.name)
    if scalar is None:
        known = refusal(op.name)
        return (
            known.why if known is not _OTHER and not op.name.startswith(("arith.", "math.")) else "no micro-op does it"
        )
    if len(op.results) != 1:
        return f"it has {len(op.results)} results, and a micro-op has one"
    return None
