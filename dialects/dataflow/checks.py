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


def clip_problems(
    lower: ir.DenseI64ArrayAttr | None,
    upper: ir.DenseI64ArrayAttr | None,
    lower_operands: Sequence[ir.Value],
    upper_operands: Sequence[ir.Value],
    rank: int,
    fill: object,
) -> Iterator[ods.Violation]:
    """A clip has a lower and an upper bound per count; a fill needs a clip."""
    if lower is None or upper is None:
        if lower is not upper:
            yield ods.Violation("missing-attribute", "a clip has lower and upper bounds", "static_lower")
        if fill is not None:
            yield ods.Violation("wrong-attribute", "a fill is for points outside of a clip, and there is none", "fill")
        return
    for name, bounds, operands in (("lower", lower, lower_operands), ("upper", upper, upper_operands)):
        if len(bounds) != rank:
            message = f"{name} has {len(bounds)} bounds for {rank} counts"
            yield ods.Violation("rank-mismatch", message, f"static_{name}")
        yield from dynamic_entries(f"static_{name}", bounds, operands)


def peer_problems(
    get_from: ir.Value | None, put_to: ir.Value | None, members: object, member_step: object
) -> Iterator[ods.Violation]:
    """One side at most is in another core; several cores are reached by a put only."""
    if get_from is not None and put_to is not None:
        yield ods.Violation("wrong-operands", "one side of a transfer may be in another core, not both", "put_to")
    if (members is None) != (member_step is None):
        yield ods.Violation("missing-attribute", "members and member_step come together", "members")
    if members is not None and put_to is None:
        yield ods.Violation("wrong-attribute", "only a put reaches several cores", "members")
