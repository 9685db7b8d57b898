"""Binary to text. What it prints, :func:`spyrec.isa.assemble` reads back to an equal binary; comments say where
code is from.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from spyrec.errors import Position
from spyrec.isa.fields import Field, Kind
from spyrec.isa.micro import CONST, SPLAT
from spyrec.isa.objects import (
    LX,
    Binary,
    Contract,
    Dim,
    End,
    Index,
    Instruction,
    LxOperand,
    MicroOp,
    Stream,
    UnitProgram,
    Xfer,
)
from spyrec.isa.table import BY_OP, VERSION

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.$]*")
Places = Mapping[str, Sequence[tuple[Position, ...]]]
_COMMENT_COLUMN = 64


class HasProgram(Protocol):
    """An artifact, as far as this module is concerned."""

    @property
    def program(self) -> Binary: ...

    @property
    def locations(self) -> Places: ...


def disassemble(what: Binary | HasProgram, locations: Places | None = None) -> str:
    """The assembly of a binary or of an artifact's.

    ``locations`` holds the user's places of each instruction by unit label (an artifact brings its own); they become
    comments where they change.
    """
    if isinstance(what, Binary):
        binary = what
    else:
        binary = what.program
        locations = what.locations if locations is None else locations
    lines = [f"; spyrec binary, version {VERSION}", f"tiles {binary.tiles}", f"parameters {binary.parameters}"]
    lines += [f"table {', '.join(map(str, row))}" for row in binary.core_table]
    lines += [
        f"buffer {name(b.name)}{'' if b.memory == LX else f' in {name(b.memory)}'}"
        f" address {b.address} slots {b.depth} bytes {b.slot_bytes}"
        for b in binary.buffers
    ]
    lines += [
        f"channel {name(c.name)} from {name(c.source)} to {name(c.target)} init {c.init}{' peers' if c.peers else ''}"
        for c in binary.channels
    ]
    for unit in binary.units:
        corelet = f" corelet {unit.corelet}" if unit.corelet else ""
        lines += ["", f"unit {name(unit.kind)}{corelet}"]
        lines += _Unit(binary, unit, (locations or {}).get(unit.label)).lines()
    return "\n".join(lines) + "\n"


def name(text: str) -> str:
    """A name as it is when it looks like one, else quoted."""
    return text if NAME.fullmatch(text) else json.dumps(text)


class _Unit:
    """Prints the code of one unit."""

    def __init__(self, binary: Binary, unit: UnitProgram, places: Sequence[tuple[Position, ...]] | None) -> None:
        self.binary = binary
        self.code = unit.code
        self.places = places
        targets = sorted({i.target for i in unit.code if any(f.kind is Kind.TARGET for f in BY_OP[i.op].fields)})
        self.labels = {index: f"L{number}" for number, index in enumerate(targets)}

    def lines(self) -> Iterator[str]:
        depth = 0
        before: tuple[Position, ...] = ()
        for index, instruction in enumerate(self.code):
            if index in self.labels:
                yield f"{self.labels[index]}:"
            depth -= instruction.op in ("endloop", "endrepeat")
            first, *rest = self._instruction(instruction)
            line = "  " * (depth + 2) + first
            place = tuple(self.places[index]) if self.places and index < len(self.places) else ()
            if place and place != before:
                comment = f"{place[0]}" + "".join(f" ({p})" for p in place[1:])
                line = f"{line:<{_COMMENT_COLUMN}}; {' '.join(comment.splitlines())}"
                before = place
            yield line
            yield from ("  " * (depth + 3) + text for text in rest)
            depth += instruction.op in ("loop", "repeat")

    def _instruction(self, instruction: Instruction) -> Iterator[str]:
        if isinstance(instruction, Xfer):
            source, dest = self._end(instruction.source), self._end(instruction.dest)
            parts = [*map(_dim, instruction.dims), *_special(instruction), *map(self._index, instruction.indices)]
            yield f"xfer {instruction.element_bytes} {source} to {dest} {' '.join(parts)}"
        elif isinstance(instruction, Stream):
            folded = f" fold {list(instruction.folded_counts)}" if instruction.folded else ""
            yield f"stream {list(instruction.counts)}{folded}"
            yield from (f"in {self._operand(o)}" for o in instruction.inputs)
            yield from map(micro_op, instruction.micro_ops)
            yield from (f"out {self._operand(o)}{_fold(o)}" for o in instruction.outputs)
            yield "end"
        elif isinstance(instruction, Contract):
            yield f"contract {list(instruction.counts)} {instruction.start}{' keep' if instruction.keep else ''}"
            for side, operand in zip(("lhs", "rhs", "acc"), instruction.operands, strict=True):
                yield f"{side} {self._place(operand)}"
            yield "end"
        else:
            row = BY_OP[instruction.op]
            fields = (self._field(f, instruction) for f in row.fields if f.kind not in (Kind.BUFFER, Kind.BASE))
            buffer = f" in {self._buffer(instruction.buffer)}" if instruction.buffer is not None else ""
            way = "from" if row.op == "wait" else "to"
            peer = f" {way} r{instruction.peer}" if instruction.peer is not None else ""
            yield f"{row.op} {_listed(fields)}".rstrip() + buffer + peer

    def _field(self, field: Field, instruction: Instruction) -> str:
        value = getattr(instruction, field.name)
        if field.kind is Kind.REGISTER:
            return f"r{value}"
        if field.kind is Kind.CHANNEL:
            return name(self.binary.channels[value].name)
        if field.kind is Kind.TARGET:
            return self.labels[value]
        return str(value)

    def _buffer(self, number: int) -> str:
        return name(self.binary.buffers[number].name)

    def _address(self, base: int | None, offset: int, buffer: int | None) -> str:
        inside = f" in {self._buffer(buffer)}" if buffer is not None else ""
        if base is None:
            return f"[{offset}{inside}]"
        added = f" {'-' if offset < 0 else '+'} {abs(offset)}" if offset else ""
        return f"[r{base}{added}{inside}]"

    def _end(self, end: End) -> str:
        return end.space + self._address(end.base, end.offset, end.buffer)

    def _index(self, index: Index) -> str:
        place = self._address(index.base, index.offset, index.buffer)
        limit = self._address(index.limit_base, index.limit, None)
        return f"index {index.side} {index.type} lx{place} {list(index.strides)} scale {index.scale} below {limit}"

    def _operand(self, operand: LxOperand) -> str:
        return f"v{operand.register}: {self._place(operand)}"

    def _place(self, operand: LxOperand) -> str:
        address = self._address(operand.base, operand.offset, operand.buffer)
        return f"{operand.type} {'number' if operand.number else 'lx'}{address} {list(operand.strides)}"


def _dim(dim: Dim) -> str:
    low = f" from r{dim.low}" if dim.low is not None else ""
    high = f" below r{dim.high}" if dim.high is not None else ""
    return f"[{dim.count}: {dim.source_stride}, {dim.dest_stride}{low}{high}]"


def _special(instruction: Xfer) -> Iterator[str]:
    if instruction.outside:
        yield f"outside {instruction.outside}"
    if instruction.outside == "fill":
        yield f"{instruction.pattern:#x}"
    if instruction.remote:
        yield f"{instruction.remote} r{instruction.peer}"
    if instruction.members > 1:
        yield f"times {instruction.members} by {instruction.member_step}"


def _fold(operand: LxOperand) -> str:
    return f" {operand.fold}{' fresh' if operand.fresh else ''}" if operand.fold else ""


def _listed(items: Iterable[str]) -> str:
    return ", ".join(items)


def micro_op(micro: MicroOp) -> str:
    """One micro-op as it stands between the inputs and outputs of a stream."""
    if micro.op == CONST:
        sources = f"{micro.immediate:#x}"
    else:
        sources = _listed(f"{'r' if micro.op == SPLAT else 'v'}{s}" for s in micro.sources)
    return f"v{micro.dest}: {micro.type} {micro.op} {sources}"
