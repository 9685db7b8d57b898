"""Hypothesis strategies for binaries that obey the rules, drawn from the instruction table itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from spyrec.isa import (
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
from spyrec.isa.fields import REGISTERS, VECTOR_REGISTERS, Field, Kind
from spyrec.isa.micro import CONST, MICRO_ROWS, PRODUCT, SPLAT
from spyrec.isa.table import ELEMENT_TYPES, FOLDS, ROWS, STARTS

Numbers = Sequence[int]
"""Numbers of buffers."""

NAMES = st.one_of(st.sampled_from(["a", "x_full", "in", "unit", "r0", "b.1$"]), st.text(max_size=8))
SIGNED64 = st.one_of(st.integers(-3, 3), st.integers(-(1 << 63), (1 << 63) - 1))
STRIDES = st.one_of(st.integers(-256, 256), st.integers(-(1 << 31), (1 << 31) - 1))
COUNTS = st.one_of(st.integers(1, 9), st.integers(1, (1 << 32) - 1))
REGISTER = st.integers(0, REGISTERS - 1)
LOOPS = {"loop", "endloop", "repeat", "exitz", "endrepeat"}
CONTROL = LOOPS | {"halt", "brz", "jump", "wait", "post", "param", "coreparam", "xfer", "stream", "contract"}
PLAIN = [row for row in ROWS if row.op not in CONTROL]


def field_values(field: Field) -> st.SearchStrategy[Any]:
    """Values that fit the field of a scalar instruction."""
    if field.kind is Kind.REGISTER:
        return REGISTER
    if field.kind is Kind.CODE:
        return st.sampled_from(list(field.codes.values()))
    if field.kind is Kind.SIGNED:
        half = 1 << (field.width - 1)
        return st.one_of(st.integers(-3, 3), st.integers(-half, half - 1), st.sampled_from([-half, half - 1]))
    return st.integers(1, 64)


@st.composite
def scalars(draw: st.DrawFn, buffers: Numbers) -> Instruction:
    """An instruction that neither jumps nor synchronises nor reads the bank."""
    row = draw(st.sampled_from(PLAIN))
    values = {f.name: draw(field_values(f)) for f in row.fields if f.kind is not Kind.BUFFER}
    if row.op == "sload":
        values["buffer"] = draw(buffer_numbers(buffers))
    return Instruction(row.op, **values)


def buffer_numbers(buffers: Numbers) -> st.SearchStrategy[int | None]:
    return st.one_of(st.none(), st.sampled_from(buffers)) if buffers else st.none()


@st.composite
def ends(draw: st.DrawFn, buffers: Numbers, staged: Numbers) -> End:
    space = draw(st.sampled_from(["device", "lx", *(["stage"] if staged else [])]))
    numbers = {"device": st.none(), "lx": buffer_numbers(buffers)}
    buffer = draw(numbers[space] if space in numbers else st.sampled_from(staged))
    return End(space, draw(st.one_of(st.none(), REGISTER)), draw(SIGNED64), buffer)


@st.composite
def transfers(draw: st.DrawFn, buffers: Numbers, staged: Numbers) -> Xfer:
    dims = draw(st.lists(st.builds(Dim, COUNTS, SIGNED64, SIGNED64), min_size=1, max_size=4))
    source, dest = draw(ends(buffers, staged)), draw(ends(buffers, staged))
    if draw(st.integers(0, 4)) == 0:
        source = End("fill", offset=draw(SIGNED64))
        dims = [replace(d, source_stride=0) for d in dims]
    size = draw(st.sampled_from([1, 2, 4, 8]))
    plain = Xfer(element_bytes=size, source=source, dest=dest, dims=tuple(dims))
    if draw(st.booleans()):
        return plain
    outside = draw(st.sampled_from(["", "skip", "fill"]))
    if outside:
        clipped = replace(dims[0], low=draw(REGISTER), high=draw(st.one_of(st.none(), REGISTER)))
        pattern = draw(st.integers(0, (1 << 8 * size) - 1)) if outside == "fill" else 0
        plain = replace(plain, dims=(clipped, *dims[1:]), outside=outside, pattern=pattern)
    if dest.space == "lx" and source.space in ("lx", "fill") and draw(st.booleans()):
        members = draw(st.integers(1, 5))
        step = draw(st.integers(-9, 9)) if members > 1 else 0
        plain = replace(plain, remote="put", peer=draw(REGISTER), members=members, member_step=step)
    sides = (["source"] if source.space != "fill" else []) + (["dest"] if outside != "fill" else [])
    if sides:
        plain = replace(plain, indices=tuple(draw(st.lists(lists(buffers, len(dims), sides), max_size=3))))
    return plain


@st.composite
def lists(draw: st.DrawFn, buffers: Numbers, rank: int, sides: list[str]) -> Index:
    strides = tuple(draw(st.lists(STRIDES, min_size=rank, max_size=rank)))
    base = st.one_of(st.none(), REGISTER)
    type_ = draw(st.sampled_from(["i32", "i64", "index", "i8"]))
    side, buffer = draw(st.sampled_from(sides)), draw(buffer_numbers(buffers))
    return Index(side, draw(base), draw(SIGNED64), type_, strides, buffer, draw(SIGNED64), draw(base), draw(SIGNED64))


@st.composite
def streams(draw: st.DrawFn, buffers: Numbers) -> Stream:
    counts = tuple(draw(st.lists(COUNTS, min_size=1, max_size=4)))
    types = st.sampled_from(list(ELEMENT_TYPES))

    def operand(register: int) -> LxOperand:
        strides = tuple(draw(st.lists(STRIDES, min_size=len(counts), max_size=len(counts))))
        base = draw(st.one_of(st.none(), REGISTER))
        return LxOperand(base, draw(SIGNED64), draw(types), strides, draw(buffer_numbers(buffers)), register)

    registers = draw(st.lists(st.integers(0, VECTOR_REGISTERS - 1), max_size=4, unique=True))
    inputs = tuple(
        replace(given, type=draw(st.sampled_from(["i32", "i64", "index"])), buffer=None, number=1)
        if draw(st.integers(0, 3)) == 0
        else given
        for given in map(operand, registers)
    )
    written = list(registers)
    micro: list[MicroOp] = []
    products: set[int] = set()
    for _ in range(draw(st.integers(0 if written else 1, 6))):
        row = draw(st.sampled_from([r for r in MICRO_ROWS if r.arity == 0 or r.op == SPLAT or written]))
        type_ = draw(types)
        sources: tuple[int, ...] = ()
        immediate = 0
        if row.op == CONST:
            immediate = draw(st.integers(0, (1 << 8 * ELEMENT_TYPES[type_][1]) - 1))
        elif row.op == SPLAT:
            sources = (draw(REGISTER),)
        else:
            sources = tuple(draw(st.sampled_from(written)) for _ in range(row.arity))
        dest = draw(st.integers(0, VECTOR_REGISTERS - 1))
        micro.append(MicroOp(row.op, type_, dest, sources, immediate))
        if row.op == PRODUCT:
            written = [w for w in written if w != dest]
            products.add(dest)
            if not written:
                break
        else:
            products.discard(dest)
            written.append(dest)
    folded = draw(st.integers(0, (1 << len(counts)) - 1))

    def output() -> LxOperand:
        register = draw(st.sampled_from([*written, *products]))
        fold = "addf" if register in products else draw(st.sampled_from(list(FOLDS.values())))
        plain = operand(register)
        strides = tuple(0 if fold and folded >> d & 1 else s for d, s in enumerate(plain.strides))
        return replace(plain, strides=strides, fold=fold, fresh=int(bool(fold) and draw(st.booleans())))

    outputs = tuple(output() for _ in range(draw(st.integers(1, 2))))
    return Stream(counts=counts, folded=folded, inputs=inputs, outputs=outputs, micro_ops=tuple(micro))


@st.composite
def contractions(draw: st.DrawFn, buffers: Numbers) -> Contract:
    counts = tuple(draw(st.lists(COUNTS, min_size=1, max_size=4)))

    def operand() -> LxOperand:
        strides = tuple(draw(st.lists(STRIDES, min_size=len(counts), max_size=len(counts))))
        base = draw(st.one_of(st.none(), REGISTER))
        type_ = draw(st.sampled_from(list(ELEMENT_TYPES)))
        return LxOperand(base, draw(SIGNED64), type_, strides, draw(buffer_numbers(buffers)), 0)

    start = draw(st.sampled_from(list(STARTS.values())))
    keep = draw(st.integers(0, 1))
    return Contract(counts=counts, lhs=operand(), rhs=operand(), acc=operand(), start=start, keep=keep)


@st.composite
def bodies(draw: st.DrawFn, plain: st.SearchStrategy[Instruction], base: int, depth: int) -> list[Instruction]:
    """The code of a loop body or program whose first instruction has index ``base``, without its last instruction.

    Its jumps go to later top-level places of the same body, its last instruction included.
    """
    code: list[Instruction] = []
    places: list[int] = []
    jumps: list[int] = []
    for _ in range(draw(st.integers(0, 5))):
        places.append(len(code))
        kind = draw(st.integers(0, 5))
        if kind == 0 and depth:
            inner = draw(bodies(plain, base + len(code) + 1, depth - 1))
            if draw(st.booleans()):
                first, last = Instruction("loop", rd=draw(REGISTER), ra=draw(REGISTER)), Instruction("endloop")
            else:
                first, last = Instruction("repeat"), Instruction("endrepeat")
                inner.append(Instruction("exitz", ra=draw(REGISTER)))
            end = base + len(code) + 1 + len(inner)
            code += [replace(first, target=end), *inner, last]
        elif kind == 1:
            jumps.append(len(code))
            code.append(draw(st.sampled_from([Instruction("jump"), Instruction("brz", ra=draw(REGISTER))])))
        else:
            code.append(draw(plain))
    places.append(len(code))
    for jump in jumps:
        target = draw(st.sampled_from([p for p in places if p > jump]))
        code[jump] = replace(code[jump], target=base + target)
    return code


def label_of(unit: UnitProgram) -> str:
    return unit.label


@st.composite
def binaries(draw: st.DrawFn) -> Binary:
    """A whole binary that breaks no rule."""
    programs_without_code = st.builds(UnitProgram, NAMES, st.integers(0, 2), st.just(()))
    units = draw(st.lists(programs_without_code, max_size=3, unique_by=label_of))
    channels: list[Channel] = []
    if units:
        endpoint = st.sampled_from([u.label for u in units])
        names = draw(st.lists(NAMES, max_size=3, unique=True))
        channels = [
            Channel(n, draw(endpoint), draw(endpoint), draw(st.integers(0, 9)), draw(st.integers(0, 1))) for n in names
        ]
    memories = st.one_of(st.just("lx"), NAMES.filter(lambda name: name != "device"))
    buffers = [
        Buffer(n, *(draw(st.integers(*reach)) for reach in ((0, 1 << 21), (1, 1 << 20), (1, 4))), draw(memories))
        for n in draw(st.lists(NAMES, max_size=3, unique=True))
    ]
    near = [number for number, buffer in enumerate(buffers) if buffer.memory == "lx"]
    staged = [number for number, buffer in enumerate(buffers) if buffer.memory != "lx"]
    tiles = draw(st.integers(1, 4))
    columns = draw(st.integers(0, 3))
    table = tuple(tuple(draw(SIGNED64) for _ in range(columns)) for _ in range(tiles)) if columns else ()
    parameters = draw(st.integers(0, 3))
    programs = []
    for unit in units:
        choices = [scalars(near), transfers(near, staged), streams(near), contractions(near)]
        for number, channel in enumerate(channels):
            peer = REGISTER if channel.peers else st.none()
            for op, end in (("post", channel.source), ("wait", channel.target)):
                if end == unit.label:
                    choices.append(st.builds(Instruction, st.just(op), channel=st.just(number), peer=peer))
        if parameters:
            choices.append(st.builds(Instruction, st.just("param"), REGISTER, imm=st.integers(0, parameters - 1)))
        if columns:
            choices.append(st.builds(Instruction, st.just("coreparam"), REGISTER, imm=st.integers(0, columns - 1)))
        code = draw(bodies(st.one_of(choices), 0, 2))
        programs.append(replace(unit, code=(*code, Instruction("halt"))))
    return Binary(tuple(programs), tuple(channels), tuple(buffers), parameters, table, tiles)
