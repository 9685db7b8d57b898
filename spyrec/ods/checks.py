"""Rules that ops of several dialects share; each yields violations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spyrec.mlir import ir
from spyrec.ods.violation import Violation

DYNAMIC = -(2**63)
"""The entry of a static list that stands for an operand (``ShapedType.get_dynamic_size()``)."""


def dynamic_entries(field: str, static: ir.DenseI64ArrayAttr, dynamic: Sequence[ir.Value]) -> Iterator[Violation]:
    """As many operands as the static list has dynamic entries."""
    wanted = sum(entry == DYNAMIC for entry in static)
    if wanted != len(dynamic):
        yield Violation(
            "rank-mismatch", f"{field} names {wanted} values, but the op has {len(dynamic)} operands for it", field
        )


def set_dims(points: ir.IntegerSetAttr) -> tuple[int, int]:
    """Numbers of dimensions and symbols of an affine set.

    Read from its text: the bindings give no access to the set inside the attribute.
    """
    head = str(points).removeprefix("affine_set<").partition(":")[0]
    dims, _, symbols = head.partition(")")
    return dims.count("d"), symbols.count("s")


def set_arity(field: str, points: ir.IntegerSetAttr, dims: int, symbols: int, source: str) -> Iterator[Violation]:
    """The set has ``dims`` dimensions and one symbol for each of ``symbols`` values (``source`` says which)."""
    have_dims, have_symbols = set_dims(points)
    if have_dims != dims:
        yield Violation("rank-mismatch", f"{field} has {have_dims} dimensions; {dims} are needed", field)
    if have_symbols != symbols:
        yield Violation("rank-mismatch", f"{field} has {have_symbols} symbols, but there are {symbols} {source}", field)
