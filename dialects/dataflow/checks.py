"""Checks that several ops of the dialect share."""

from collections.abc import Iterator, Sequence

from spyrec import ods
from spyrec.mlir import ir
from spyrec.ods.checks import dynamic_entries


def strides_per_dimension(
    field: str, static: ir.DenseI64ArrayAttr, dynamic: Sequence[ir.Value], shaped: ir.Type
) -> Iterator[ods.Violation]:
    """One stride per dimension of ``shaped``, and one operand per dynamic marker."""
    rank = ir.ShapedType(shaped).rank
    if len(static) != rank:
        yield ods.Violation(
            "rank-mismatch", f"{field} has {len(static)} entries, but {shaped} has {rank} dimensions", field
        )
    yield from dynamic_entries(field, static, dynamic)
