"""From virtual registers to the unit's own: dead code out, linear scan, labels to indices. Nothing is spilled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from spyrec.codegen.code import Item, Label, Line, Place
from spyrec.isa.fields import REGISTERS, Kind
from spyrec.isa.micro import SPLAT
from spyrec.isa.objects import Contract, Dim, End, Index, Instruction, LxOperand, MicroOp, Stream, Xfer
from spyrec.isa.table import BY_OP
from spyrec.records import replace

_SOURCES = {
    row.op: tuple(f.name for f in row.fields if f.kind is Kind.REGISTER and f.name != "rd") for row in BY_OP.values()
}
_HAS_RESULT = frozenset(row.op for row in BY_OP.values() if any(f.name == "rd" for f in row.fields))
_HAS_TARGET = frozenset(row.op for row in BY_OP.values() if any(f.kind is Kind.TARGET for f in row.fields))
_KEPT = frozenset({"loop"})


class OutOfRegisters(Exception):
    """``need`` registers hold values at the same time, at ``place``; there are :data:`REGISTERS`."""

    def __init__(self, need: int, place: Place) -> None:
        super().__init__(need, place)
        self.need = need
        self.place = place


def sources(instruction: Instruction) -> list[int]:
    """The registers that ``instruction`` reads."""
    found = [getattr(instruction, name) for name in _SOURCES[instruction.op]]
    if instruction.peer is not None:
        found.append(instruction.peer)
    if isinstance(instruction, Xfer):
        found += [e.base for e in (instruction.source, instruction.dest) if e.base is not None]
        found += [r for d in instruction.dims for r in (d.low, d.high) if r is not None]
        found += [r for i in instruction.indices for r in (i.base, i.limit_base) if r is not None]
    elif isinstance(instruction, Stream):
        found += [o.base for o in (*instruction.inputs, *instruction.outputs) if o.base is not None]
        found += [m.sources[0] for m in instruction.micro_ops if m.op == SPLAT]
    elif isinstance(instruction, Contract):
        found += [o.base for o in instruction.operands if o.base is not None]
    return found


def result(instruction: Instruction) -> int | None:
    """The register that ``instruction`` sets."""
    return instruction.rd if instruction.op in _HAS_RESULT else None


def without_dead(items: Sequence[Item]) -> list[Item]:
    """``items`` without instructions whose result nothing reads."""
    reads = Counter(r for item in items if isinstance(item, Line) for r in sources(item.instruction))
    setters: dict[int, list[int]] = {}
    for index, item in enumerate(items):
        if isinstance(item, Line) and (rd := result(item.instruction)) is not None and item.instruction.op not in _KEPT:
            setters.setdefault(rd, []).append(index)
    dead: set[int] = set()
    unread = [register for register in setters if not reads[register]]
    while unread:
        for index in setters[unread.pop()]:
            dead.add(index)
            item = items[index]
            assert isinstance(item, Line)
            for register in sources(item.instruction):
                reads[register] -= 1
                if not reads[register] and register in setters:
                    unread.append(register)
    return [item for index, item in enumerate(items) if index not in dead]


def finish(items: Sequence[Item]) -> tuple[tuple[Instruction, ...], tuple[Place, ...]]:
    """The code with real registers and targets, and the place of each instruction.

    Raises :class:`OutOfRegisters`.
    """
    lines: list[Line] = []
    at: dict[int, int] = {}
    for item in without_dead(items):
        if isinstance(item, Label):
            at[item.number] = len(lines)
        else:
            lines.append(item)
    code = [
        replace(line.instruction, target=at[line.instruction.target])
        if line.instruction.op in _HAS_TARGET
        else line.instruction
        for line in lines
    ]
    assigned = _assign(_intervals(code), [line.place for line in lines])
    return tuple(renamed(i, assigned) for i in code), tuple(line.place for line in lines)


def _intervals(code: Sequence[Instruction]) -> dict[int, tuple[int, int]]:
    """First and last instruction at which each register holds its value.

    A value from before a loop that the loop reads is needed until the loop's end; so is the loop's own counter.
    """
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    loops: list[tuple[int, int]] = []
    for index, instruction in enumerate(code):
        if instruction.op in ("endloop", "endrepeat"):
            loops.pop()
        for register in sources(instruction):
            end = next((end for start, end in loops if first.get(register, index) < start), index)
            last[register] = max(last.get(register, end), end)
        rd = result(instruction)
        if rd is not None:
            first.setdefault(rd, index)
            end = next((end for start, end in loops if first[rd] < start), index)
            last[rd] = max(last.get(rd, end), end)
        if instruction.op == "loop":
            loops.append((index, instruction.target))
            last[instruction.rd] = max(last[instruction.rd], instruction.target)
        elif instruction.op == "repeat":
            loops.append((index, instruction.target))
    return {register: (first[register], last[register]) for register in first}


def _assign(intervals: dict[int, tuple[int, int]], places: Sequence[Place]) -> dict[int, int]:
    """A real register for each virtual one. Raises :class:`OutOfRegisters`."""
    free = list(range(REGISTERS - 1, -1, -1))
    active: list[tuple[int, int]] = []
    assigned: dict[int, int] = {}
    worst: tuple[int, int] | None = None
    spare = REGISTERS
    for register, (start, end) in sorted(intervals.items(), key=lambda item: item[1]):
        over = [entry for entry in active if entry[0] <= start]
        active = [entry for entry in active if entry[0] > start]
        free += sorted((assigned[r] for _, r in over), reverse=True)
        if not free:
            free.append(spare)
            spare += 1
        assigned[register] = free.pop()
        active.append((end, register))
        if len(active) > REGISTERS and (worst is None or len(active) > worst[0]):
            worst = (len(active), start)
    if worst is not None:
        raise OutOfRegisters(worst[0], places[worst[1]])
    return assigned


def renamed(instruction: Instruction, assigned: dict[int, int]) -> Instruction:
    """``instruction`` with its registers replaced."""
    changes: dict[str, object] = {name: assigned[getattr(instruction, name)] for name in _SOURCES[instruction.op]}
    if instruction.op in _HAS_RESULT:
        changes["rd"] = assigned[instruction.rd]
    if instruction.peer is not None:
        changes["peer"] = assigned[instruction.peer]
    if isinstance(instruction, Xfer):
        changes["source"] = _end(instruction.source, assigned)
        changes["dest"] = _end(instruction.dest, assigned)
        changes["dims"] = tuple(_dim(d, assigned) for d in instruction.dims)
        changes["indices"] = tuple(_index(i, assigned) for i in instruction.indices)
    elif isinstance(instruction, Stream):
        changes["inputs"] = _operands(instruction.inputs, assigned)
        changes["outputs"] = _operands(instruction.outputs, assigned)
        changes["micro_ops"] = tuple(_micro(m, assigned) for m in instruction.micro_ops)
    elif isinstance(instruction, Contract):
        changes["lhs"], changes["rhs"], changes["acc"] = _operands(instruction.operands, assigned)
    return replace(instruction, **changes)  # type: ignore[arg-type]


def _end(end: End, assigned: dict[int, int]) -> End:
    return end if end.base is None else replace(end, base=assigned[end.base])


def _dim(dim: Dim, assigned: dict[int, int]) -> Dim:
    if dim.low is None and dim.high is None:
        return dim
    return replace(dim, low=_base(dim.low, assigned), high=_base(dim.high, assigned))


def _index(index: Index, assigned: dict[int, int]) -> Index:
    return replace(index, base=_base(index.base, assigned), limit_base=_base(index.limit_base, assigned))


def _base(register: int | None, assigned: dict[int, int]) -> int | None:
    return None if register is None else assigned[register]


def _operands(operands: Iterable[LxOperand], assigned: dict[int, int]) -> tuple[LxOperand, ...]:
    return tuple(o if o.base is None else replace(o, base=assigned[o.base]) for o in operands)


def _micro(micro: MicroOp, assigned: dict[int, int]) -> MicroOp:
    return replace(micro, sources=(assigned[micro.sources[0]],)) if micro.op == SPLAT else micro
