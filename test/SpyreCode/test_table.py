"""The table agrees with itself, with the numerics and with its documentation."""

from __future__ import annotations

from pathlib import Path

import pytest

from spyrec import numerics
from spyrec.isa import alu, docs, table
from spyrec.isa.fields import WORD, Record
from spyrec.isa.micro import MICRO_ROWS, OWN

ROOT = Path(__file__).resolve().parents[2]
RECORDS = [
    *(row.record for row in table.ROWS),
    *(table.END, table.DIM, table.INDEX, table.LX_OPERAND, table.MICRO_OP),
    *(table.HEADER, table.UNIT, table.CHANNEL_RECORD, table.BUFFER_RECORD, table.CORE_ENTRY),
]


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r.name)
def test_no_two_fields_share_a_bit(record: Record) -> None:
    taken: set[int] = set()
    for field in record.fields:
        for word, low in field.places:
            bits = set(range(word * WORD + low, word * WORD + low + field.width))
            assert not bits & taken, field.name
            assert low + field.width <= WORD, f"{field.name} crosses words"
            assert word < record.words
            taken |= bits


def test_codes_and_names_are_unique() -> None:
    assert len({row.code for row in table.ROWS}) == len({row.op for row in table.ROWS}) == len(table.ROWS)
    assert len({row.code for row in MICRO_ROWS}) == len({row.op for row in MICRO_ROWS}) == len(MICRO_ROWS)
    assert all(row.code & 0xFF == row.code and row.code for row in table.ROWS)


def test_micro_ops_are_those_of_numerics() -> None:
    ours = {row.op: row.arity for row in MICRO_ROWS if row.op not in OWN}
    assert ours == {name: micro.arity for name, micro in numerics.MICRO.items()}


def test_element_types_have_the_size_that_numerics_gives_them() -> None:
    assert all(size == numerics.sizeof(name) for name, (_, size, _) in table.ELEMENT_TYPES.items())


def test_every_integer_instruction_has_a_meaning() -> None:
    names = {row.op for row in table.ROWS if 0x20 <= row.code < 0x60}
    assert names == alu.OPERATIONS
    assert {f"{name}i" for name in names} == {row.op for row in table.ROWS if 0x60 <= row.code < 0x80}


@pytest.mark.parametrize(
    ("op", "a", "b", "result"),
    [
        ("add", 2**63 - 1, 1, -(2**63)),
        ("div", -7, 2, -3),
        ("div", -(2**63), -1, -(2**63)),
        ("rem", -7, 2, -1),
        ("floordiv", -7, 2, -4),
        ("mod", -7, 2, 1),
        ("mod", 7, -2, -1),
        ("ceildiv", -7, 2, -3),
        ("ceildiv", 7, 2, 4),
        ("divu", -1, 2, 2**63 - 1),
        ("remu", -1, 10, 5),
        ("shl", 1, 63, -(2**63)),
        ("shl", 1, 64, 0),
        ("shr", -8, 1, -4),
        ("shr", -8, 99, -1),
        ("shru", -1, 63, 1),
        ("ult", 1, -1, 1),
        ("lt", 1, -1, 0),
    ],
)
def test_integer_instructions(op: str, a: int, b: int, result: int) -> None:
    assert alu.evaluate(op, a, b) == result


@pytest.mark.parametrize("op", ["div", "rem", "floordiv", "mod", "ceildiv", "divu", "remu"])
def test_division_by_zero(op: str) -> None:
    with pytest.raises(alu.DivisionByZero):
        alu.evaluate(op, 1, 0)


def test_the_documented_tables_are_these() -> None:
    """`python -m spyrec.isa.docs docs/spyrecode.md` writes them."""
    text = (ROOT / "docs" / "spyrecode.md").read_text(encoding="utf-8")
    assert docs.replaced(text) == text
    assert docs.replaced(text.replace("0x81", "0x82")) == text
