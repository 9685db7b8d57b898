"""Text to binary: the inverse of :func:`spyrec.isa.disassemble`. One instruction per line, ``;`` starts a comment."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NoReturn, TypeVar

from spyrec.errors import Diagnostic, InvalidKernel, Position, Severity
from spyrec.isa.check import Problem, problems
from spyrec.isa.codec import encode_fields
from spyrec.isa.fields import Field, FieldError, Kind
from spyrec.isa.micro import CONST, SPLAT
from spyrec.isa.objects import (
    LX,
    Binary,
    Buffer,
    Channel,
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
from spyrec.isa.table import (
    BY_OP,
    ELEMENT_TYPES,
    FOLDS,
    MAX_RANK,
    MICRO_BY_OP,
    OUTSIDE,
    REMOTE,
    SIDES,
    SPACES,
    STARTS,
)

T = TypeVar("T")
_TOKEN = re.compile(
    r"""\s*(?:(?P<string>"(?:[^"\\]|\\.)*")|(?P<number>-?(?:0x[0-9a-fA-F]+|[0-9]+))(?![A-Za-z0-9_])"""
    r"""|(?P<name>[A-Za-z_][A-Za-z0-9_.$]*)|(?P<mark>[][,:+-])|(?P<end>;.*|$)|(?P<bad>.))"""
)
_MAX_DIGITS = 40


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    column: int


def assemble(text: str, filename: str = "<assembly>") -> Binary:
    """The binary that ``text`` describes.

    Raises ``InvalidKernel`` (id ``bad-assembly``), at the line and column for what cannot be read, at the line of the
    declaration or instruction for what breaks a rule of the instruction set or does not fit its field.
    """
    assembler = _Assembler(text, filename)
    binary = assembler.binary()

    def mistake(message: str, line: int) -> Diagnostic:
        place = Position(filename, line, 1) if line else None
        return Diagnostic(Severity.ERROR, message, "bad-assembly", place)

    found = [mistake(str(problem), assembler.line(problem)) for problem in problems(binary)]
    if found:
        raise InvalidKernel(found)
    try:
        encode_fields(binary)
    except FieldError as error:
        line = assembler.places.get(error.place, 0) if error.place is not None else 0
        raise InvalidKernel([mistake(str(error), line)]) from error
    return binary


class _Line:
    """The tokens of one line, read from the left."""

    def __init__(self, text: str, filename: str, number: int) -> None:
        self.filename = filename
        self.number = number
        self.tokens: list[_Token] = []
        self.next = 0
        position = 0
        while position <= len(text):
            match = _TOKEN.match(text, position)
            assert match is not None
            kind = str(match.lastgroup)
            token = _Token(kind, match.group(kind), match.start(kind) + 1)
            if kind == "end":
                self.end = _Token("end", "the end of the line", token.column)
                break
            if kind == "bad":
                self.fail(f"'{token.text}' is nothing that stands in assembly", token)
            self.tokens.append(token)
            position = match.end()

    def fail(self, message: str, token: _Token | None = None) -> NoReturn:
        """Refuse the line at ``token``, the next one by default."""
        token = token or self.peek()
        place = Position(self.filename, self.number, token.column)
        raise InvalidKernel([Diagnostic(Severity.ERROR, message, "bad-assembly", place)])

    def peek(self) -> _Token:
        return self.tokens[self.next] if self.next < len(self.tokens) else self.end

    def take(self) -> _Token:
        token = self.peek()
        self.next += 1
        return token

    def accept(self, text: str) -> bool:
        """Take the next token if it is the word or mark ``text``."""
        token = self.peek()
        if token.kind in ("name", "mark") and token.text == text:
            self.next += 1
            return True
        return False

    def expect(self, text: str) -> None:
        if not self.accept(text):
            self.fail(f"expected '{text}', found {self.peek().text}")

    def finish(self) -> None:
        if self.peek().kind != "end":
            self.fail(f"expected the end of the line, found {self.peek().text}")

    def number_(self) -> int:
        token = self.peek()
        if token.kind != "number" or len(token.text) > _MAX_DIGITS:
            self.fail(f"expected a number, found {token.text[:_MAX_DIGITS]}")
        self.next += 1
        return int(token.text, 0 if "x" in token.text else 10)

    def name(self) -> str:
        token = self.peek()
        if token.kind == "string":
            self.next += 1
            try:
                text = str(json.loads(token.text))
                text.encode()
            except ValueError:
                self.fail("a string with a bad escape", token)
            return text
        return self.word("a name")

    def word(self, what: str) -> str:
        token = self.peek()
        if token.kind != "name":
            self.fail(f"expected {what}, found {token.text}")
        self.next += 1
        return token.text

    def choice(self, what: str, known: set[str]) -> str:
        token = self.peek()
        text = self.word(what)
        if text not in known:
            near = difflib.get_close_matches(text, known, n=1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            self.fail(f"'{text}' is not {what}{hint}", token)
        return text

    def register(self, letter: str) -> int:
        """``r3`` or ``v3``; its range is checked with the rules."""
        token = self.peek()
        match = re.fullmatch(rf"{letter}([0-9]{{1,6}})", token.text) if token.kind == "name" else None
        if match is None:
            self.fail(f"expected a register {letter}N, found {token.text}")
        self.next += 1
        return int(match[1])

    def listed(self, read: Callable[[], T], close: str) -> tuple[T, ...]:
        """Comma-separated entries up to ``close``, which is taken."""
        if self.accept(close):
            return ()
        entries = [read()]
        while self.accept(","):
            entries.append(read())
        self.expect(close)
        return tuple(entries)


class _Assembler:
    """Reads the declarations, then the units."""

    def __init__(self, text: str, filename: str) -> None:
        numbered = enumerate(text.split("\n"), 1)
        self.lines = [line for line in (_Line(t, filename, n) for n, t in numbered) if line.tokens]
        self.last = _Line("", filename, text.count("\n") + 1)
        self.at = 0
        self.tiles = 1
        self.parameters = 0
        self.table: list[tuple[int, ...]] = []
        self.buffers: list[Buffer] = []
        self.channels: list[Channel] = []
        self.units: list[UnitProgram] = []
        #: The line of each unit (index ``None``) and of each of its instructions, by its label.
        self.places: dict[tuple[str, int | None], int] = {}
        #: The last line of each other declaration, by its word and name.
        self.declared: dict[tuple[str, str], int] = {}

    def line(self, problem: Problem) -> int:
        """Where a broken rule was written; 0 if nowhere."""
        word, name = problem.declared
        if problem.label or word == "unit":
            return self.places.get((problem.label or name, problem.index), 0)
        return self.declared.get((word, name), 0)

    def binary(self) -> Binary:
        """The binary, which may break rules."""
        readers = {
            "tiles": self._tiles,
            "parameters": self._parameters,
            "table": self._table,
            "buffer": self._buffer,
            "channel": self._channel,
            "unit": self._unit,
        }
        while self.at < len(self.lines):
            line = self.lines[self.at]
            self.at += 1
            readers[line.choice("a declaration", set(readers))](line)
        return Binary(
            tuple(self.units),
            tuple(self.channels),
            tuple(self.buffers),
            self.parameters,
            tuple(self.table),
            self.tiles,
        )

    def _tiles(self, line: _Line) -> None:
        self.tiles = self._count(line)
        self.declared["tiles", ""] = line.number
        line.finish()

    def _parameters(self, line: _Line) -> None:
        self.parameters = self._count(line)
        line.finish()

    def _count(self, line: _Line, bits: int = 32) -> int:
        token = line.peek()
        value = line.number_()
        if not 0 <= value < 1 << bits:
            line.fail(f"{value} is not in 0..{(1 << bits) - 1}", token)
        return value

    def _table(self, line: _Line) -> None:
        row = [self._entry(line)]
        while line.accept(","):
            row.append(self._entry(line))
        line.finish()
        self.declared["table", ""] = line.number
        self.table.append(tuple(row))

    def _entry(self, line: _Line) -> int:
        token = line.peek()
        value = line.number_()
        if not -(1 << 63) <= value < 1 << 63:
            line.fail(f"{value} does not fit in 64 bits, sign included", token)
        return value

    def _buffer(self, line: _Line) -> None:
        name = line.name()
        self.declared["buffer", name] = line.number
        memory = line.name() if line.accept("in") else LX
        line.expect("address")
        address = self._count(line, 64)
        line.expect("slots")
        depth = self._count(line)
        line.expect("bytes")
        self.buffers.append(Buffer(name, address, self._count(line), depth, memory))
        line.finish()

    def _channel(self, line: _Line) -> None:
        name = line.name()
        self.declared["channel", name] = line.number
        line.expect("from")
        source = line.name()
        line.expect("to")
        target = line.name()
        line.expect("init")
        init = self._count(line)
        self.channels.append(Channel(name, source, target, init, int(line.accept("peers"))))
        line.finish()

    def _unit(self, line: _Line) -> None:
        kind = line.name()
        corelet = self._count(line, 16) if line.accept("corelet") else 0
        line.finish()
        body = _Code(self)
        code = body.read()
        unit = UnitProgram(kind, corelet, code)
        self.units.append(unit)
        self.places[unit.label, None] = line.number
        self.places.update({(unit.label, index): number for index, number in enumerate(body.numbers)})


class _Code:
    """Reads the instructions of one unit."""

    def __init__(self, assembler: _Assembler) -> None:
        self.assembler = assembler
        self.numbers: list[int] = []
        self.labels: dict[str, int] = {}
        self.jumps: list[tuple[int, str, _Line, _Token]] = []

    def read(self) -> tuple[Instruction, ...]:
        code: list[Instruction] = []
        outer = self.assembler
        while outer.at < len(outer.lines):
            line = outer.lines[outer.at]
            if line.peek().text in ("unit", "tiles", "parameters", "table", "buffer", "channel"):
                break
            outer.at += 1
            if len(line.tokens) == 2 and line.tokens[1].text == ":":
                label = line.word("a label")
                if label in self.labels:
                    line.fail(f"label {label} stands twice", line.tokens[0])
                self.labels[label] = len(code)
                continue
            self.numbers.append(line.number)
            code.append(self._instruction(line, len(code)))
        for index, label, line, token in self.jumps:
            if label not in self.labels:
                line.fail(f"no label {label} in this unit", token)
            code[index] = replace(code[index], target=self.labels[label])
        return tuple(code)

    def _instruction(self, line: _Line, index: int) -> Instruction:
        op = line.choice("an instruction", set(BY_OP))
        if op == "stream":
            return self._stream(line)
        if op == "contract":
            return self._contract(line)
        if op == "xfer":
            instruction = self._xfer(line)
            line.finish()
            return instruction
        values: dict[str, int] = {}
        kinds = {f.kind for f in BY_OP[op].fields}
        fields = [f for f in BY_OP[op].fields if f.kind not in (Kind.BUFFER, Kind.BASE)]
        for number, f in enumerate(fields):
            if number:
                line.expect(",")
            values[f.name] = self._field(f, line, index)
        buffer = peer = None
        if Kind.BUFFER in kinds and line.accept("in"):
            buffer = self._buffer(line)
        if Kind.BASE in kinds and line.accept("from" if op == "wait" else "to"):
            peer = line.register("r")
        line.finish()
        return Instruction(op, **values, buffer=buffer, peer=peer)

    def _field(self, field: Field, line: _Line, index: int) -> int:
        if field.kind is Kind.REGISTER:
            return line.register("r")
        if field.kind is Kind.CHANNEL:
            return self._known(line, "channel", [c.name for c in self.assembler.channels])
        if field.kind is Kind.TARGET:
            token = line.peek()
            self.jumps.append((index, line.word("a label"), line, token))
            return 0
        return line.number_()

    def _known(self, line: _Line, what: str, names: list[str]) -> int:
        token = line.peek()
        name = line.name()
        if name not in names:
            line.fail(f"no {what} is called '{name}'", token)
        return names.index(name)

    def _buffer(self, line: _Line) -> int:
        return self._known(line, "buffer", [b.name for b in self.assembler.buffers])

    def _address(self, line: _Line) -> tuple[int | None, int, int | None]:
        """``[r3 + 8 in name]``: base, offset, buffer; each part but one may be missing."""
        line.expect("[")
        base, offset = None, 0
        if line.peek().kind == "number":
            offset = line.number_()
        else:
            base = line.register("r")
            if line.accept("+"):
                offset = line.number_()
            elif line.accept("-"):
                offset = -line.number_()
        buffer = self._buffer(line) if line.accept("in") else None
        line.expect("]")
        return base, offset, buffer

    def _end(self, line: _Line) -> End:
        return End(line.choice("a memory", set(SPACES.values())), *self._address(line))

    def _xfer(self, line: _Line) -> Xfer:
        size = line.number_()
        source = self._end(line)
        line.expect("to")
        dest = self._end(line)
        dims = []
        while line.accept("["):
            count = line.number_()
            line.expect(":")
            source_stride = line.number_()
            line.expect(",")
            dest_stride = line.number_()
            low = line.register("r") if line.accept("from") else None
            high = line.register("r") if line.accept("below") else None
            dims.append(Dim(count, source_stride, dest_stride, low, high))
            line.expect("]")
        transfer = Xfer(element_bytes=size, source=source, dest=dest, dims=tuple(dims))
        if line.accept("outside"):
            outside = line.choice("what happens outside", set(OUTSIDE.values()) - {""})
            transfer = replace(transfer, outside=outside, pattern=line.number_() if outside == "fill" else 0)
        if line.peek().text in REMOTE.values():
            transfer = replace(transfer, remote=line.word("a way"), peer=line.register("r"), members=1)
        if line.accept("times"):
            transfer = replace(transfer, members=line.number_())
            line.expect("by")
            transfer = replace(transfer, member_step=line.number_())
        indices = []
        while line.accept("index"):
            indices.append(self._index(line))
        return replace(transfer, indices=tuple(indices))

    def _index(self, line: _Line) -> Index:
        side = line.choice("a side", set(SIDES.values()))
        list_ = self._place(line)
        line.expect("scale")
        scale = line.number_()
        line.expect("below")
        limit_base, limit, _ = self._address(line)
        return Index(side, list_.base, list_.offset, list_.type, list_.strides, list_.buffer, scale, limit_base, limit)

    def _stream(self, line: _Line) -> Stream:
        line.expect("[")
        counts = line.listed(line.number_, "]")
        folded = 0
        if line.accept("fold"):
            folded = self._folded(line)
        line.finish()
        inputs: list[LxOperand] = []
        outputs: list[LxOperand] = []
        micro: list[MicroOp] = []
        outer = self.assembler
        while True:
            if outer.at == len(outer.lines):
                outer.last.fail("the stream above has no 'end'")
            line = outer.lines[outer.at]
            outer.at += 1
            if line.accept("end"):
                line.finish()
                return Stream(
                    counts=counts,
                    folded=folded,
                    inputs=tuple(inputs),
                    outputs=tuple(outputs),
                    micro_ops=tuple(micro),
                )
            if line.accept("in"):
                inputs.append(self._operand(line))
            elif line.accept("out"):
                outputs.append(self._fold(line, self._operand(line)))
            else:
                micro.append(self._micro(line))
            line.finish()

    def _operand(self, line: _Line) -> LxOperand:
        register = line.register("v")
        line.expect(":")
        return replace(self._place(line, numbers=True), register=register)

    def _place(self, line: _Line, *, numbers: bool = False) -> LxOperand:
        type_ = line.choice("an element type", set(ELEMENT_TYPES))
        number = numbers and line.accept("number")
        if not number:
            line.expect("lx")
        base, offset, buffer = self._address(line)
        line.expect("[")
        strides = line.listed(line.number_, "]")
        return LxOperand(base, offset, type_, strides, buffer, 0, number=int(number))

    def _folded(self, line: _Line) -> int:
        line.expect("[")
        folded = 0
        token = line.peek()
        for count in line.listed(line.number_, "]"):
            if not 0 <= count < MAX_RANK or folded >> count:
                line.fail(f"{count} is no count after those before it", token)
            folded |= 1 << count
        return folded

    def _fold(self, line: _Line, operand: LxOperand) -> LxOperand:
        if line.peek().kind != "name":
            return operand
        fold = line.choice("a combiner", set(FOLDS.values()) - {""})
        return replace(operand, fold=fold, fresh=int(line.accept("fresh")))

    def _contract(self, line: _Line) -> Contract:
        line.expect("[")
        counts = line.listed(line.number_, "]")
        start = line.choice("what a sum starts from", set(STARTS.values()))
        keep = int(line.accept("keep"))
        line.finish()
        operands = []
        for word in ("lhs", "rhs", "acc", "end"):
            if self.assembler.at == len(self.assembler.lines):
                self.assembler.last.fail(f"the contract above has no '{word}'")
            line = self.assembler.lines[self.assembler.at]
            self.assembler.at += 1
            line.expect(word)
            if word != "end":
                operands.append(self._place(line))
            line.finish()
        lhs, rhs, acc = operands
        return Contract(counts=counts, lhs=lhs, rhs=rhs, acc=acc, start=start, keep=keep)

    def _micro(self, line: _Line) -> MicroOp:
        dest = line.register("v")
        line.expect(":")
        type_ = line.choice("an element type", set(ELEMENT_TYPES))
        op = line.choice("a micro-op", set(MICRO_BY_OP))
        if op == CONST:
            return MicroOp(op, type_, dest, immediate=line.number_())
        sources = [line.register("r" if op == SPLAT else "v")]
        while line.accept(","):
            sources.append(line.register("r" if op == SPLAT else "v"))
        return MicroOp(op, type_, dest, tuple(sources))
