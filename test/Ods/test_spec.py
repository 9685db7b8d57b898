"""Segment sizes: counts per field become the attribute that MLIR checks, and come back from it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyrec.ods.spec import MIXED_LIMIT, Arity, Constraint, OpSpec, ParamSpec, RecordSpec, ValueSpec

ANY = Constraint("any", "any", lambda _: True)


def spec(*operands: ValueSpec) -> OpSpec:
    return OpSpec("t.op", operands, (), (), (), "", "", "")


def fields(arities: list[tuple[Arity, bool]]) -> tuple[ValueSpec, ...]:
    return tuple(ValueSpec(f"f{i}", ANY, "", a, m) for i, (a, m) in enumerate(arities))


ARITY = st.sampled_from([(Arity.ONE, False), (Arity.OPTIONAL, False), (Arity.VARIADIC, False), (Arity.VARIADIC, True)])


@given(st.lists(ARITY, max_size=6), st.data())
def test_counts_survive_the_segments(arities: list[tuple[Arity, bool]], data: st.DataObject) -> None:
    op = spec(*fields(arities))
    limits = {Arity.ONE: (1, 1), Arity.OPTIONAL: (0, 1), Arity.VARIADIC: (0, MIXED_LIMIT)}
    counts = [data.draw(st.integers(*limits[a])) for a, _ in arities]
    segments = op.operand_segments(counts)
    assert op.operand_counts(sum(counts), segments) == counts
    assert segments is None or sum(segments) == sum(counts)


@pytest.mark.parametrize(
    ("arities", "segmented"),
    [
        ([], False),
        ([(Arity.ONE, False), (Arity.VARIADIC, False)], False),
        ([(Arity.OPTIONAL, False), (Arity.ONE, False)], False),
        ([(Arity.OPTIONAL, False), (Arity.OPTIONAL, False)], True),
        ([(Arity.VARIADIC, True)], True),
    ],
)
def test_only_ambiguous_ops_carry_segments(arities: list[tuple[Arity, bool]], segmented: bool) -> None:
    assert spec(*fields(arities)).operand_segmented is segmented


def test_a_mixed_group_has_a_limit_that_is_told() -> None:
    op = spec(*fields([(Arity.VARIADIC, True)]))
    with pytest.raises(ValueError, match="f0 has 65 values; at most 64"):
        op.operand_segments([MIXED_LIMIT + 1])


@pytest.mark.parametrize(
    ("total", "segments", "message"),
    [(3, [1, 1, 1], "3 entries; 2 are needed"), (3, [1, 2], "f1 would have 2"), (2, [1, 0], "add up to 1")],
)
def test_segments_that_do_not_fit_are_refused(total: int, segments: list[int], message: str) -> None:
    op = spec(*fields([(Arity.OPTIONAL, False), (Arity.OPTIONAL, False)]))
    with pytest.raises(ValueError, match=message):
        op.operand_counts(total, segments)


@pytest.mark.parametrize("total", [0, 1, 3])
def test_a_wrong_number_of_plain_operands_is_refused(total: int) -> None:
    op = spec(*fields([(Arity.ONE, False), (Arity.ONE, False)]))
    with pytest.raises(ValueError, match="values"):
        op.operand_counts(total, None)


def test_generic_text_of_a_record_marks_absent_parameters() -> None:
    params = (ParamSpec("kind", ANY, ""), ParamSpec("id", ANY, "", True))
    record = RecordSpec("#", "t.space", "t.space_ir", params, "", "", "")
    assert record.generic({"kind": '"lx"', "id": None}) == '#t.space_ir<"lx", unit>'
    assert record.generic({"kind": '"lx"', "id": "7 : i64"}) == '#t.space_ir<"lx", 7 : i64>'
