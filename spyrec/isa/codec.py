"""Binary to bytes and back, driven by the table.

A file is: header, unit records, channel records, buffer records, stage records, core table, names (padded to a whole
word), then the code of each unit, starting on a stick; the last stick is full. There is one encoding of a binary: the
decoder refuses any other, so that ``encode(decode(data)) == data`` for whatever it accepts.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn

from spyrec.errors import CompilerBug, Diagnostic, InvalidKernel, Severity
from spyrec.isa.check import problems
from spyrec.isa.fields import FieldError, Kind, Record, pack, unpack
from spyrec.isa.objects import LX, Binary, Buffer, Channel, Instruction, UnitProgram
from spyrec.isa.table import (
    BUFFER_RECORD,
    BY_CODE,
    BY_OP,
    CHANNEL_RECORD,
    CORE_ENTRY,
    HEADER,
    MAGIC,
    MICRO_BY_OP,
    STAGE_RECORD,
    STICK,
    UNIT,
    VERSION,
    Row,
)

WORD_BYTES = 8
STICK_WORDS = STICK // WORD_BYTES


def corrupt(offset: int, what: str) -> NoReturn:
    """Raise ``InvalidKernel`` with id ``corrupt-binary`` for ``what`` at byte ``offset`` of the file."""
    raise InvalidKernel([Diagnostic(Severity.ERROR, f"byte {offset:#x} of the binary: {what}", "corrupt-binary")])


# Encoding.


def encode(binary: Binary) -> bytes:
    """The bytes of ``binary``. Raises ``CompilerBug`` for a binary that breaks a rule or does not fit its fields."""
    broken = [str(problem) for problem in problems(binary)]
    if broken:
        raise CompilerBug([Diagnostic(Severity.ERROR, message, "invalid-binary") for message in broken])
    try:
        return encode_fields(binary)
    except FieldError as error:
        raise CompilerBug([Diagnostic(Severity.ERROR, str(error), "invalid-binary")]) from error


def encode_fields(binary: Binary) -> bytes:
    """:func:`encode` of a binary that breaks no rule. Raises :class:`FieldError` for a value that does not fit
    its field.
    """
    names = bytearray()

    def name(text: str) -> dict[str, int]:
        data = text.encode()
        names.extend(data)
        return {"name": len(names) - len(data), "name_length": len(data)}

    labels = {unit.label: number for number, unit in enumerate(binary.units)}
    codes = [encode_code(unit) for unit in binary.units]
    unit_names = [name(unit.kind) for unit in binary.units]
    tail: list[int] = []
    for channel in binary.channels:
        ends = {
            "source": labels[channel.source],
            "target": labels[channel.target],
            "init": channel.init,
            "peers": channel.peers,
        }
        tail += pack(CHANNEL_RECORD, name(channel.name) | ends)
    stages = binary.stages
    numbers = {LX: 0, **{kind: number for number, kind in enumerate(stages, 1)}}
    for buffer in binary.buffers:
        tail += pack(BUFFER_RECORD, {**vars(buffer), **name(buffer.name), "memory": numbers[buffer.memory]})
    for kind in stages:
        tail += pack(STAGE_RECORD, name(kind))
    for row in binary.core_table:
        for value in row:
            tail += pack(CORE_ENTRY, {"value": value})
    tail += _words(bytes(names))
    position = _stick(HEADER.words + UNIT.words * len(codes) + len(tail))
    units: list[int] = []
    body: list[int] = []
    for unit, unit_name, words in zip(binary.units, unit_names, codes, strict=True):
        body += [0] * (_stick(len(body)) - len(body))
        units += pack(UNIT, unit_name | {"corelet": unit.corelet, "start": position + len(body), "words": len(words)})
        body += words
    body += [0] * (_stick(len(body)) - len(body))
    head = {
        "magic": MAGIC,
        "version": VERSION,
        "checksum": 0,
        "size": WORD_BYTES * (position + len(body)),
        "tiles": binary.tiles,
        "parameters": binary.parameters,
        "units": len(binary.units),
        "channels": len(binary.channels),
        "buffers": len(binary.buffers),
        "columns": len(binary.core_table[0]) if binary.core_table else 0,
        "names": len(names),
        "stages": len(stages),
    }
    front = pack(HEADER, head) + units + tail
    front += [0] * (position - len(front))
    return seal(_bytes(front + body))


def encode_code(unit: UnitProgram) -> list[int]:
    """The words of a unit's code. Raises :class:`FieldError` at the instruction's place."""
    starts, position = [], 0
    for instruction in unit.code:
        starts.append(position)
        position += _length(instruction)
    words: list[int] = []
    for index, instruction in enumerate(unit.code):
        try:
            words += _encode_instruction(instruction, starts)
        except FieldError as error:
            placed = FieldError(f"unit {unit.label}, instruction {index}: {error}")
            placed.place = unit.label, index
            raise placed from error
    return words


def _length(instruction: Instruction) -> int:
    row = BY_OP[instruction.op]
    return row.words + sum(len(_group(instruction, g.name, g.count)) * g.record.words for g in row.groups)


def _group(instruction: Instruction, name: str, count: str) -> Sequence[Any]:
    value = getattr(instruction, name)
    return value if count else (value,)


def _encode_instruction(instruction: Instruction, starts: Sequence[int]) -> list[int]:
    row = BY_OP[instruction.op]
    values: dict[str, Any] = {"op": row.op}
    for f in row.fields:
        if f.kind is Kind.COUNT:
            counted = [g.name for g in row.groups if g.count == f.name] or ["counts"]
            values[f.name] = len(getattr(instruction, counted[0]))
        elif f.kind is Kind.TARGET:
            values[f.name] = starts[instruction.target]
        else:
            values[f.name] = getattr(instruction, f.name)
    words = pack(row.record, values)
    for group in row.groups:
        for item in _group(instruction, group.name, group.count):
            words += pack(group.record, vars(item))
    return words


def seal(data: bytes) -> bytes:
    """``data`` with its checksum field set to what it has to be."""
    blank = data[:12] + bytes(4) + data[16:]
    return blank[:12] + struct.pack("<I", zlib.crc32(blank)) + blank[16:]


def _words(data: bytes) -> list[int]:
    padded = data + bytes(-len(data) % WORD_BYTES)
    return list(struct.unpack(f"<{len(padded) // WORD_BYTES}Q", padded))


def _bytes(words: Sequence[int]) -> bytes:
    return struct.pack(f"<{len(words)}Q", *words)


def _stick(words: int) -> int:
    return -(-words // STICK_WORDS) * STICK_WORDS


# Decoding.


def decode(data: bytes) -> Binary:
    """The binary in ``data``.

    Raises ``InvalidKernel`` (id ``corrupt-binary``) that says what is wrong and at which byte, for anything that
    :func:`encode` did not make.
    """
    if data[:8] != MAGIC.to_bytes(8, "little"):
        corrupt(0, f"it starts with {data[:8]!r}, not with the magic number of a spyrec binary")
    if len(data) < HEADER.words * WORD_BYTES:
        corrupt(len(data), f"it ends inside the header of {HEADER.words * WORD_BYTES} bytes")
    version, checksum, size = struct.unpack_from("<H2xIQ", data, 8)
    if version != VERSION:
        corrupt(8, f"version {version}; this decoder reads version {VERSION}")
    if size != len(data) or size % WORD_BYTES:
        corrupt(16, f"the header says {size} bytes, the file has {len(data)}")
    if struct.unpack_from("<I", seal(data), 12)[0] != checksum:
        corrupt(12, f"checksum {checksum:#010x} does not match the contents: the file was damaged")
    return _Decoder(data).binary()


def _no_lengths(what: str, values: Mapping[str, Any]) -> int:
    raise FieldError(f"no length {what}")


class _Decoder:
    """Reads one file whose header, size and checksum are right; trusts nothing else."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.words = _words(data)
        self.position = 0

    def binary(self) -> Binary:
        head = self._record(HEADER)
        columns = head["columns"]
        needed = (
            UNIT.words * head["units"]
            + CHANNEL_RECORD.words * head["channels"]
            + BUFFER_RECORD.words * head["buffers"]
            + STAGE_RECORD.words * head["stages"]
            + columns * (head["tiles"] if columns else 0)
            + -(-head["names"] // WORD_BYTES)
        )
        if self.position + needed > len(self.words):
            corrupt(24, f"the header promises {needed * WORD_BYTES} bytes of tables, more than the file has")
        units = [self._record(UNIT) for _ in range(head["units"])]
        channels = [self._record(CHANNEL_RECORD) for _ in range(head["channels"])]
        buffers = [self._record(BUFFER_RECORD) for _ in range(head["buffers"])]
        stages = [self._record(STAGE_RECORD) for _ in range(head["stages"])]
        rows = head["tiles"] if columns else 0
        table = tuple(tuple(self._record(CORE_ENTRY)["value"] for _ in range(columns)) for _ in range(rows))
        self.names = self.data[self.position * WORD_BYTES :][: head["names"]]
        self.names_at = self.position * WORD_BYTES
        self._refuse_shared(units, "words", len(self.words) - self.position, "words of code")
        self._refuse_shared([*units, *channels, *buffers, *stages], "name_length", len(self.names), "bytes of names")
        programs = tuple(self._unit(unit) for unit in units)
        for record in channels:
            for end in ("source", "target"):
                if record[end] >= len(programs):
                    corrupt(record["at"], f"a channel names unit {record[end]} of {len(programs)}")
        memories = [LX, *(self._name(stage) for stage in stages)]
        for record in buffers:
            if record["memory"] >= len(memories):
                corrupt(record["at"], f"a buffer is in stage {record['memory']} of {len(stages)}")
        binary = Binary(
            units=programs,
            channels=tuple(
                Channel(self._name(c), programs[c["source"]].label, programs[c["target"]].label, c["init"], c["peers"])
                for c in channels
            ),
            buffers=tuple(
                Buffer(self._name(b), b["address"], b["slot_bytes"], b["depth"], memories[b["memory"]]) for b in buffers
            ),
            parameters=head["parameters"],
            core_table=table,
            tiles=head["tiles"],
        )
        self._refuse_broken_rules(binary, units)
        again = encode_fields(binary)
        if again != self.data:
            first = next(
                (i for i, (a, b) in enumerate(zip(again, self.data, strict=False)) if a != b and not 12 <= i < 16), 12
            )
            corrupt(first, "it is not the one encoding of its contents")
        return binary

    def _refuse_shared(self, records: list[dict[str, Any]], length: str, there: int, what: str) -> None:
        """Each record has a stretch of the file for itself: a file is read no longer than it is."""
        wanted = sum(record[length] for record in records)
        if wanted > there:
            corrupt(records[0]["at"], f"the records ask for {wanted} {what}, and there are {there}")

    def _refuse_broken_rules(self, binary: Binary, units: list[dict[str, Any]]) -> None:
        for problem in problems(binary):
            offset = 0
            for unit, record in zip(binary.units, units, strict=True):
                if unit.label == problem.label:
                    before = unit.code[: problem.index or 0]
                    offset = WORD_BYTES * (record["start"] + sum(map(_length, before)))
                    break
            corrupt(offset, str(problem))

    def _record(self, record: Record) -> dict[str, Any]:
        """The next record; ``at`` is its first byte."""
        at = self.position * WORD_BYTES
        try:
            values = unpack(record, self.words[self.position : self.position + record.words], _no_lengths)
        except FieldError as error:
            corrupt(at, f"{record.name}: {error}")
        self.position += record.words
        return {**values, "at": at}

    def _name(self, record: dict[str, Any]) -> str:
        first, length = record["name"], record["name_length"]
        if first + length > len(self.names):
            corrupt(record["at"], f"a name at {first} of {length} bytes leaves the {len(self.names)} bytes of names")
        try:
            return self.names[first : first + length].decode()
        except UnicodeDecodeError as error:
            corrupt(self.names_at + first + error.start, "a name is not UTF-8")

    def _unit(self, record: dict[str, Any]) -> UnitProgram:
        start, count = record["start"], record["words"]
        if start + count > len(self.words) or start < self.position:
            corrupt(record["at"], f"code of {count} words at word {start} leaves the file's {len(self.words)} words")
        code: list[Instruction] = []
        index_at: dict[int, int] = {}
        position, end = start, start + count
        while position < end:
            index_at[position - start] = len(code)
            instruction, length = self._instruction(position, end)
            code.append(instruction)
            position += length
        linked = []
        position = start
        for instruction in code:
            row = BY_OP[instruction.op]
            if any(f.kind is Kind.TARGET for f in row.fields):
                if instruction.target not in index_at:
                    corrupt(position * WORD_BYTES, f"{row.op}: no instruction starts at word {instruction.target}")
                linked.append(replace(instruction, target=index_at[instruction.target]))
            else:
                linked.append(instruction)
            position += _length(instruction)
        return UnitProgram(self._name(record), record["corelet"], tuple(linked))

    def _instruction(self, position: int, end: int) -> tuple[Instruction, int]:
        """The instruction at word ``position`` (``target`` still a word) and its length in words."""
        at = position * WORD_BYTES
        row = BY_CODE.get(self.words[position] & 0xFF)
        if row is None:
            corrupt(at, f"no instruction has code {self.words[position] & 0xFF:#04x}")
        if position + row.words > end:
            corrupt(at, f"{row.op} is cut off by the end of its unit's code")
        try:
            values = unpack(row.record, self.words[position : position + row.words], _lengths)
        except FieldError as error:
            corrupt(at, f"{row.op}: {error}")
        length = row.words
        for group in row.groups:
            items = []
            for _ in range(values[group.count] if group.count else 1):
                words = self.words[position + length : position + length + group.record.words]
                if position + length + group.record.words > end:
                    corrupt(at, f"{row.op} is cut off by the end of its unit's code")
                items.append(self._item(group.record, words, values, WORD_BYTES * (position + length)))
                length += group.record.words
            values[group.name] = tuple(items) if group.count else items[0]
        return _made(row, values), length

    def _item(self, record: Record, words: Sequence[int], outer: Mapping[str, Any], at: int) -> Any:
        try:
            values = unpack(record, words, lambda what, inner: _lengths(what, {**outer, **inner}))
        except FieldError as error:
            corrupt(at, f"{record.name}: {error}")
        assert record.make is not None
        return record.make(**values)


def _made(row: Row, values: Mapping[str, Any]) -> Instruction:
    counts = {f.name for f in row.fields if f.kind is Kind.COUNT}
    return row.make(**{name: value for name, value in values.items() if name not in counts})


def _lengths(what: str, values: Mapping[str, Any]) -> int:
    """How many entries of a list count: the instruction's ``rank``, or the ``arity`` of a micro-op."""
    if what == "arity":
        return MICRO_BY_OP[values["op"]].arity
    rank: int = values["rank"]
    return rank
