"""The rules that a binary obeys beyond the ranges of its fields: what the decoder and the assembler refuse.

A simulator may rely on them: registers, channels and buffers exist, hardware loops nest, jumps go forward inside their
loop body, every vector register is written before it is read, code ends in its only ``halt``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from spyrec.isa.fields import REGISTERS
from spyrec.isa.micro import CONST, PRODUCT, SPLAT
from spyrec.isa.objects import LX, Binary, Contract, End, Instruction, LxOperand, Stream, UnitProgram, Xfer
from spyrec.isa.table import BY_OP, ELEMENT_BYTES, ELEMENT_TYPES, MAX_RANK, MICRO_BY_OP


@dataclass(frozen=True)
class Problem:
    """A broken rule: in instruction ``index`` of the unit with ``label``, or in the binary's tables (``label``
    empty), in what ``declared`` names by the word of its declaration in assembly and its name.
    """

    message: str
    label: str = ""
    index: int | None = None
    declared: tuple[str, str] = ("", "")

    def __str__(self) -> str:
        if not self.label:
            return self.message
        return (
            f"unit {self.label}, instruction {self.index}: {self.message}"
            if self.index is not None
            else f"unit {self.label}: {self.message}"
        )


def problems(binary: Binary) -> Iterator[Problem]:
    """All rules that ``binary`` breaks, in order of place."""
    labels = {unit.label for unit in binary.units}
    if binary.tiles < 1:
        yield Problem(f"{binary.tiles} tiles; at least 1 is needed", declared=("tiles", ""))
    for twice in _repeated(unit.label for unit in binary.units):
        yield Problem(f"two programs for unit {twice}", declared=("unit", twice))
    for what, names in (("channel", (c.name for c in binary.channels)), ("buffer", (b.name for b in binary.buffers))):
        for twice in _repeated(names):
            yield Problem(f"two {what}s are called '{twice}'", declared=(what, twice))
    for channel in binary.channels:
        for end in (channel.source, channel.target):
            if end not in labels:
                message = f"channel '{channel.name}' names unit {end}, which has no program"
                yield Problem(message, declared=("channel", channel.name))
    for buffer in binary.buffers:
        declared = "buffer", buffer.name
        if buffer.depth < 1 or buffer.slot_bytes < 1:
            message = (
                f"buffer '{buffer.name}' has {buffer.depth} slots of {buffer.slot_bytes} bytes; each is at least 1"
            )
            yield Problem(message, declared=declared)
        if buffer.memory == "device":
            yield Problem(f"buffer '{buffer.name}' lies in device memory", declared=declared)
    widths = {len(row) for row in binary.core_table}
    if binary.core_table and (len(widths) != 1 or widths == {0} or len(binary.core_table) != binary.tiles):
        message = (
            f"the core table has {len(binary.core_table)} rows of {sorted(widths)} entries for {binary.tiles} tiles"
        )
        yield Problem(message, declared=("table", ""))
    for unit in binary.units:
        for index, message in _unit_problems(unit, binary):
            yield Problem(message, unit.label, index)


_LOOPS = {"loop": "endloop", "repeat": "endrepeat"}


def _repeated(names: Iterable[str]) -> list[str]:
    return sorted(name for name, times in Counter(names).items() if times > 1)


def _unit_problems(unit: UnitProgram, binary: Binary) -> Iterator[tuple[int | None, str]]:
    if not unit.code or unit.code[-1].op != "halt":
        yield None, "its code does not end in halt"
    yield from _control(unit.code)
    for index, instruction in enumerate(unit.code):
        for message in _instruction(instruction, unit, binary):
            yield index, message


def _control(code: tuple[Instruction, ...]) -> Iterator[tuple[int, str]]:
    """Loops nest, jumps go forward and stay in their body, nothing stops in the middle."""
    ends: list[int] = []  # the endloop or endrepeat of each loop that is open
    depths: list[int] = []  # how many loops are open before each instruction
    jumps: list[tuple[int, int]] = []
    last = len(code) - 1
    for index, instruction in enumerate(code):
        limit = ends[-1] if ends else last
        depths.append(len(ends))
        if instruction.op == "halt" and index != last:
            yield index, "halt in the middle"
        elif instruction.op in _LOOPS:
            end, last_op = instruction.target, _LOOPS[instruction.op]
            if not index < end < limit or code[end].op != last_op:
                yield index, f"the {instruction.op} ends at {end}, which is no {last_op} ahead of it in its own body"
                return
            ends.append(end)
        elif instruction.op in _LOOPS.values():
            if not ends or ends[-1] != index:
                yield index, f"{instruction.op} without its {instruction.op.removeprefix('end')}"
                return
            ends.pop()
        elif instruction.op == "exitz" and (not ends or code[ends[-1]].op != "endrepeat"):
            yield index, "exitz stands in no body of a repeat"
        elif instruction.op in ("brz", "jump"):
            if index < instruction.target <= limit:
                jumps.append((index, instruction.target))
            else:
                yield index, f"goes to {instruction.target}; {index + 1} to {limit} is ahead in its body"
    yield from ((i, f"goes to {target}, into a loop") for i, target in jumps if depths[target] != depths[i])


_FIELDS = ("rd", "ra", "rb", "rc", "imm", "target", "channel", "buffer", "peer")
_UNUSED = {
    row.op: tuple(name for name in _FIELDS if name not in {f.name for f in row.fields}) for row in BY_OP.values()
}


def _instruction(instruction: Instruction, unit: UnitProgram, binary: Binary) -> Iterator[str]:
    if instruction.op not in BY_OP:
        yield f"no instruction is called '{instruction.op}'"
        return
    row = BY_OP[instruction.op]
    if type(instruction) is not row.make:
        yield f"{instruction.op} is given as {type(instruction).__name__}, not {row.make.__name__}"
        return
    for name in _UNUSED[row.op]:
        if getattr(instruction, name) not in (0, None):
            yield f"{instruction.op} has no field {name}"
    if instruction.op in ("wait", "post"):
        yield from _channel(instruction, unit, binary)
    elif instruction.op == "param" and not 0 <= instruction.imm < binary.parameters:
        yield f"parameter {instruction.imm} of {binary.parameters}"
    elif instruction.op == "coreparam":
        columns = len(binary.core_table[0]) if binary.core_table else 0
        if not 0 <= instruction.imm < columns:
            yield f"entry {instruction.imm} of a core table with {columns} columns"
    elif instruction.op in ("sext", "zext") and not 1 <= instruction.imm <= 64:
        yield f"{instruction.imm} bits; 1 to 64 are possible"
    elif instruction.op == "sload":
        yield from _buffer(instruction.buffer, binary)
    if isinstance(instruction, Xfer):
        yield from _xfer(instruction, binary)
    elif isinstance(instruction, Stream):
        yield from _stream(instruction, binary)
    elif isinstance(instruction, Contract):
        yield from _contract(instruction, binary)


def _channel(instruction: Instruction, unit: UnitProgram, binary: Binary) -> Iterator[str]:
    if not 0 <= instruction.channel < len(binary.channels):
        yield f"channel {instruction.channel} of {len(binary.channels)}"
        return
    channel = binary.channels[instruction.channel]
    owner = channel.source if instruction.op == "post" else channel.target
    if owner != unit.label:
        yield f"{instruction.op} of channel '{channel.name}', which only unit {owner} may do"
    if (instruction.peer is not None) != bool(channel.peers):
        yield f"channel '{channel.name}' is {'' if channel.peers else 'not '}between cores, so {instruction.op} " + (
            "has to name one" if channel.peers else "cannot name one"
        )


def _buffer(buffer: int | None, binary: Binary, space: str = LX) -> Iterator[str]:
    """A buffer exists, and lies in LX or, for ``space`` ``"stage"``, in a stage."""
    if buffer is None:
        if space == "stage":
            yield "a place in a stage is in no buffer"
    elif not 0 <= buffer < len(binary.buffers):
        yield f"buffer {buffer} of {len(binary.buffers)}"
    elif (binary.buffers[buffer].memory == LX) != (space == LX):
        yield f"buffer '{binary.buffers[buffer].name}' lies in {binary.buffers[buffer].memory}, not in {space}"


def _rank(counts: tuple[int, ...]) -> Iterator[str]:
    if not 1 <= len(counts) <= MAX_RANK:
        yield f"{len(counts)} nested counts; 1 to {MAX_RANK} are possible"
    if any(count < 1 for count in counts):
        yield f"counts {list(counts)}; each is at least 1"


def _xfer(instruction: Xfer, binary: Binary) -> Iterator[str]:
    yield from _rank(tuple(dim.count for dim in instruction.dims))
    if instruction.element_bytes not in ELEMENT_BYTES.values():
        yield f"elements of {instruction.element_bytes} bytes"
    for end in (instruction.source, instruction.dest):
        if end.space in (LX, "stage"):
            yield from _buffer(end.buffer, binary, end.space)
        elif end.space == "device" and end.buffer is not None:
            yield "device memory has no buffers"
    if instruction.dest.space == "fill":
        yield "the destination is no memory"
    if instruction.source.space == "fill" and (
        instruction.source != End("fill", offset=instruction.source.offset)
        or any(d.source_stride for d in instruction.dims)
    ):
        yield "a fill has no base, buffer or strides"
    yield from _clips(instruction)
    yield from _remote(instruction)
    for index in instruction.indices:
        yield from _buffer(index.buffer, binary)
        if len(index.strides) != len(instruction.dims):
            yield f"a list of indices with {len(index.strides)} strides under {len(instruction.dims)} counts"
        if index.type not in _INTEGERS:
            yield f"indices of type {index.type}"
        if index.side == "source" and instruction.source.space == "fill":
            yield "a fill has no place that indices could move"
        if index.side == "dest" and instruction.outside == "fill":
            yield "points that indices move have no outside to fill"


def _clips(instruction: Xfer) -> Iterator[str]:
    clipped = any(d.low is not None or d.high is not None for d in instruction.dims)
    if clipped != bool(instruction.outside):
        yield "clipped counts and what happens outside of them go together"
    if instruction.pattern and instruction.outside != "fill":
        yield "a pattern without a fill"
    elif instruction.pattern >> 8 * instruction.element_bytes:
        yield f"the pattern {instruction.pattern:#x} is wider than an element"


def _remote(instruction: Xfer) -> Iterator[str]:
    remote, members = instruction.remote, instruction.members
    if not remote:
        if instruction.peer is not None or members or instruction.member_step:
            yield "a transfer within a core names other cores"
        return
    if instruction.peer is None:
        yield f"{remote} names no core"
    if members < 1 or (remote == "get" and members != 1) or (members == 1 and instruction.member_step):
        yield f"{remote} with {members} members, {instruction.member_step} apart"
    if (instruction.source if remote == "get" else instruction.dest).space != LX:
        yield f"{remote} reaches the LX of other cores only"
    other = (instruction.dest if remote == "get" else instruction.source).space
    if other in ("device", "stage"):
        yield f"{remote} with {'device memory' if other == 'device' else 'a stage'} on the other side"


_INTEGERS = frozenset(name for name in ELEMENT_TYPES if name[0] == "i" and name != "i1")
_POSITIONS = ("i32", "i64", "index")
"""Element types of inputs that are no place in LX."""


def _stream(instruction: Stream, binary: Binary) -> Iterator[str]:
    yield from _rank(instruction.counts)
    if not instruction.outputs:
        yield "a stream without outputs"
    for operand in (*instruction.inputs, *instruction.outputs):
        yield from _lx_operand(operand, instruction.counts, binary)
    if instruction.folded >> len(instruction.counts):
        yield f"folds counts {instruction.folded:#06b} of {len(instruction.counts)}"
    yield from _folds(instruction)
    written = {operand.register for operand in instruction.inputs}
    exact: set[int] = set()  # registers that hold a product
    if len(written) < len(instruction.inputs):
        yield "two inputs are loaded into one vector register"
    for micro in instruction.micro_ops:
        row = MICRO_BY_OP.get(micro.op)
        if row is None:
            yield f"no micro-op is called '{micro.op}'"
            continue
        if len(micro.sources) != row.arity:
            yield f"{micro.op} takes {row.arity} operands, {len(micro.sources)} are given"
        if micro.type not in ELEMENT_TYPES:
            yield f"no element type is called '{micro.type}'"
        elif micro.op == CONST and micro.immediate >> 8 * ELEMENT_TYPES[micro.type][1]:
            yield f"{micro.op}: {micro.immediate:#x} is wider than {micro.type}"
        if micro.op != CONST and micro.immediate:
            yield f"{micro.op} has no immediate"
        if micro.op == SPLAT:
            if any(source >= REGISTERS for source in micro.sources):
                yield f"{micro.op}: no scalar register {micro.sources[0]}"
        else:
            yield from (f"{micro.op} reads v{s} before it is written" for s in micro.sources if s not in written)
            yield from (
                f"{micro.op} reads v{s}, a product that only a sum may fold" for s in micro.sources if s in exact
            )
        written.add(micro.dest)
        exact = exact | {micro.dest} if micro.op == PRODUCT else exact - {micro.dest}
    yield from (f"stores v{o.register}, which is not written" for o in instruction.outputs if o.register not in written)
    yield from (
        f"stores v{o.register}, a product that only a sum may fold"
        for o in instruction.outputs
        if o.register in exact and o.fold != "addf"
    )


def _folds(instruction: Stream) -> Iterator[str]:
    if any(operand.fold or operand.fresh for operand in instruction.inputs):
        yield "an input that folds"
    for operand in instruction.inputs:
        if operand.number and (operand.type not in _POSITIONS or operand.buffer is not None):
            yield f"positions of type {operand.type}, which are integers and in no buffer"
    if any(operand.number for operand in instruction.outputs):
        yield "an output that is no place in LX"
    for operand in instruction.outputs:
        if operand.fresh and not operand.fold:
            yield "an output that is fresh and does not fold"
        if operand.fold and any(s for d, s in enumerate(operand.strides) if instruction.folded >> d & 1):
            yield f"an output that folds counts {instruction.folded:#06b} has strides {list(operand.strides)}"


def _contract(instruction: Contract, binary: Binary) -> Iterator[str]:
    yield from _rank(instruction.counts)
    for operand in instruction.operands:
        yield from _lx_operand(operand, instruction.counts, binary)
        if operand.register or operand.fold or operand.fresh or operand.number:
            yield "an operand of a contraction is in LX, and has no register and no fold"


def _lx_operand(operand: LxOperand, counts: tuple[int, ...], binary: Binary) -> Iterator[str]:
    yield from _buffer(operand.buffer, binary)
    if operand.type not in ELEMENT_TYPES:
        yield f"no element type is called '{operand.type}'"
    if len(operand.strides) != len(counts):
        yield f"an operand with {len(operand.strides)} strides under {len(counts)} counts"
