"""Checks that several ops of the dialect share."""

from collections.abc import Callable, Iterator, Mapping, Sequence, Sized

from spyrec import ods
from spyrec.dialects.dataflow.types import LX
from spyrec.mlir import ir
from spyrec.ods.checks import dynamic_entries

CLIP = (
    " (`clip` custom<DynamicIndexList>($lower, $static_lower)^ `to` custom<DynamicIndexList>($upper, $static_upper))?"
)
LISTS = " (`index` `(` $indices^ `:` type($indices) `)` `below` custom<DynamicIndexList>($limits, $static_limits))?"
"""How a clip and lists of indices are written; the fields have these names in each op that has them."""

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


def peer_places(
    get_from: ir.Value | None, put_to: ir.Value | None, space: Callable[[str], str | None], field: str
) -> Iterator[ods.Violation]:
    """Another core is reached from LX to LX; ``space`` tells a side's memory, ``field`` is how its name is made."""
    for side, other, core in (("source", "dest", get_from), ("dest", "source", put_to)):
        if core is None:
            continue
        if space(side) not in (LX, None):
            yield ods.Violation("transfer-side", "only the LX of another core can be reached", field.format(side))
        if space(other) not in (LX, None):
            yield ods.Violation("transfer-side", "a transfer between cores goes from LX to LX", field.format(other))


def list_problems(
    indices: Sequence[ir.Value],
    static_limits: ir.DenseI64ArrayAttr | None,
    limits: Sequence[ir.Value],
    maps: ir.ArrayAttr | None,
    others: Mapping[str, Sized | None],
    rank: int,
) -> Iterator[ods.Violation]:
    """One entry per list of indices in each attribute; a map from the box, of ``rank`` dimensions, to the list.

    ``others`` are the further attributes with an entry per list.
    """
    for name, entries in {"index_maps": maps, "static_limits": static_limits, **others}.items():
        count = 0 if entries is None else len(entries)
        if count != len(indices):
            message = f"{name} has {count} entries for {len(indices)} lists of indices"
            yield ods.Violation("rank-mismatch", message, name)
            return
    if static_limits is not None:
        yield from dynamic_entries("static_limits", static_limits, limits)
    for k, (list_, attribute) in enumerate(zip(indices, maps or (), strict=True)):
        map_, shaped = ir.AffineMapAttr(attribute).value, ir.ShapedType(list_.type)
        if map_.n_symbols or map_.n_dims != rank or len(map_.results) != shaped.rank:
            message = f"map {k} takes {map_.n_dims} dimensions to {len(map_.results)}; the box has {rank}"
            yield ods.Violation("rank-mismatch", f"{message}, the list {shaped.rank}", f"index_maps[{k}]")
        if not isinstance(shaped.element_type, ir.IntegerType | ir.IndexType):
            message = f"indices are integers, but list {k} is {list_.type}"
            yield ods.Violation("type-mismatch", message, f"type(indices[{k}])")
