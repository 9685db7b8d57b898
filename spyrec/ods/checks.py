"""Rules that ops of several dialects share; each yields violations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spyrec import sets
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


def set_arity(
    field: str, points: ir.IntegerSetAttr, dims: int, symbols: int, source: str, *, at_most: bool = False
) -> Iterator[Violation]:
    """The set has ``dims`` dimensions and one symbol for each of ``symbols`` values (``source`` says which); with
    ``at_most`` it may leave out the last of them.
    """
    found = sets.parse(str(points))
    if found.dims != dims:
        yield Violation("rank-mismatch", f"{field} has {found.dims} dimensions; {dims} are needed", field)
    if found.symbols > symbols or (found.symbols < symbols and not at_most):
        yield Violation(
            "rank-mismatch", f"{field} has {found.symbols} symbols, but there are {symbols} {source}", field
        )
