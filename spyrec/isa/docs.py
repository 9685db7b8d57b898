"""The part of ``docs/spyrecode.md`` that is made from the table: ``python -m spyrec.isa.docs docs/spyrecode.md``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from spyrec.isa.fields import Field, Kind, Record
from spyrec.isa.micro import MICRO_ROWS
from spyrec.isa.table import (
    BUFFER_RECORD,
    CHANNEL_RECORD,
    CORE_ENTRY,
    DIM,
    ELEMENT_TYPES,
    END,
    HEADER,
    INDEX,
    LX_OPERAND,
    MICRO_OP,
    ROWS,
    STAGE_RECORD,
    UNIT,
    VERSION,
    Row,
)

BEGIN = "<!-- made from spyrec/isa/table.py; `python -m spyrec.isa.docs docs/spyrecode.md` writes it anew -->"
END_MARK = "<!-- end of what is made from the table -->"
_MOST_CODES = 8


def replaced(text: str) -> str:
    """``text`` with what stands between the marks made anew. Raises ``ValueError`` when it has no marks."""
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END_MARK)
    if not begin or not end:
        raise ValueError("the text has no marks between which the tables go")
    return f"{head}{BEGIN}\n\n{tables()}\n{END_MARK}{tail}"


def tables() -> str:
    """All tables as Markdown."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield f"Version {VERSION}. A word is 64 bits, little-endian; bit 0 is the lowest. Bits without a field are 0."
    yield ""
    yield "### Structures of the file"
    yield ""
    for record in (HEADER, UNIT, CHANNEL_RECORD, BUFFER_RECORD, STAGE_RECORD, CORE_ENTRY):
        yield from _record(record)
    yield "### Instructions"
    yield ""
    yield "Bits 7..0 of an instruction's first word are its code."
    yield ""
    for row in ROWS:
        yield from _row(row)
    yield "### Parts of `xfer`, `stream` and `contract`"
    yield ""
    for record in (END, DIM, INDEX, LX_OPERAND, MICRO_OP):
        yield from _record(record)
    yield "### Element types"
    yield ""
    yield "| code | type | bytes | |"
    yield "|---|---|---|---|"
    for name, (code, size, prose) in ELEMENT_TYPES.items():
        yield f"| {code} | `{name}` | {size} | {prose} |"
    yield ""
    yield "### Micro-ops"
    yield ""
    yield "Sources are called a, b, c. Floats are rounded once per micro-op; `docs/numerics.md` has the exact rules."
    yield ""
    yield "| code | name | sources | result |"
    yield "|---|---|---|---|"
    for micro in MICRO_ROWS:
        yield f"| 0x{micro.code:03x} | `{micro.op}` | {micro.arity} | {micro.prose} |"
    yield ""


def _row(row: Row) -> Iterator[str]:
    words = " + ".join([str(row.words), *(_group(g.record, g.count) for g in row.groups)])
    yield f"#### `{row.op}`: code 0x{row.code:02x}, {words} word{'' if words == '1' else 's'}"
    yield ""
    yield row.prose
    yield ""
    if row.fields:
        yield from _fields(row.fields)
    if row.groups:
        yield f"Then: {', '.join(f'{g.name} (`{g.record.name}`)' for g in row.groups)}."
        yield ""


def _group(record: Record, count: str) -> str:
    return f"{record.words} * {count}" if count else str(record.words)


def _record(record: Record) -> Iterator[str]:
    yield f"#### `{record.name}`: {record.words} word{'s' if record.words > 1 else ''}"
    yield ""
    yield record.prose
    yield ""
    yield from _fields(record.fields)


def _fields(fields: tuple[Field, ...]) -> Iterator[str]:
    yield "| word | bits | field | | |"
    yield "|---|---|---|---|---|"
    for field in fields:
        for number, (word, low) in enumerate(field.places):
            name = f"{field.name}[{number}]" if field.repeat > 1 else field.name
            yield f"| {word} | {low + field.width - 1}..{low} | `{name}` | {_kind(field)} | {field.prose} |"
    yield ""


def _kind(field: Field) -> str:
    if field.kind is not Kind.CODE:
        return str(field.kind.value)
    if len(field.codes) > _MOST_CODES:
        return "code, listed below"
    return "code: " + ", ".join(f"{c:#x} {v}" if c != v else f"{c:#x}" for c, v in field.codes.items())


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(replaced(path.read_text(encoding="utf-8")), encoding="utf-8")
