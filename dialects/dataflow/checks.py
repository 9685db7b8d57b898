"""Checks that several ops of the dialect share."""

from collections.abc import Iterator, Sequence

from spyrec import ods
from spyrec.mlir import ir
from spyrec.ods.checks import dynamic_entries

MAX_NEST = 4
"""How many nested counts a transfer, a stream or a contraction has at most."""


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


def counts_problem(counts: ir.DenseI64ArrayAttr) -> Iterator[ods.Violation]:
    """One to four counts, none negative."""
    if not 1 <= len(counts) <= MAX_NEST:
        yield ods.Violation(
            "wrong-attribute", f"counts has {len(counts)} entries; 1 to {MAX_NEST} are possible", "counts"
        )
    for k, count in enumerate(counts):
        if count < 0:
            yield ods.Violation("wrong-attribute", f"counts[{k}] is {count}; an extent is at least 0", f"counts[{k}]")
