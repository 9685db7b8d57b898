"""Code of one unit while it is being made: instructions on unlimited registers, in nested blocks.

A block is the body of a loop, one side of a branch, or the whole program. Integer operations that cannot fault are put
into the outermost block where their operands are known, and only once (that is loop-invariant code motion and common
subexpressions); constants fold; what is added to an address is kept aside until an instruction has no offset for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from spyrec.errors import Position
from spyrec.isa import alu
from spyrec.isa.objects import Instruction

Place = tuple[Position, ...]
Range = tuple[int, int]

LEAST = -(1 << 63)
MOST = (1 << 63) - 1
ANY: Range = (LEAST, MOST)
BIT: Range = (0, 1)
_IMMEDIATE = 1 << 31
_DIVISIONS = frozenset({"div", "rem", "floordiv", "mod", "ceildiv", "divu", "remu"})
_COMMUTATIVE = frozenset({"add", "mul", "min", "max", "and", "or", "xor", "eq", "ne"})
_COMPARISONS = frozenset({"eq", "ne", "lt", "le", "gt", "ge", "ult", "ule"})
_SWAPPED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}


@dataclass(frozen=True)
class Scalar:
    """A value known to the unit: register ``reg`` plus ``offset``, or the constant ``offset`` when there is no
    register.
    """

    reg: int | None
    offset: int = 0

    @property
    def constant(self) -> int | None:
        """The value, if it is a constant."""
        return self.offset if self.reg is None else None


def const(value: int) -> Scalar:
    """A constant, wrapped to 64 bits."""
    return Scalar(None, alu.wrap(value))


@dataclass(frozen=True)
class Line:
    """An instruction on virtual registers (targets are numbers of labels) and the user's places of it."""

    instruction: Instruction
    place: Place


@dataclass(frozen=True)
class Label:
    """The place in the code that jumps to ``number`` go to."""

    number: int


Item = Line | Label


@dataclass
class _Block:
    items: list[Item] = field(default_factory=list)
    known: dict[tuple[object, ...], int] = field(default_factory=dict)


class Builder:
    """Collects the code of one unit.

    ``eager``: hoist, reuse, and load parameters and constants once at the start. Without it every value is made
    where it is needed, which takes fewer registers.
    """

    def __init__(self, *, eager: bool) -> None:
        self.eager = eager
        self.place: Place = ()
        self.blocks = [_Block()]
        self.depths: list[int] = []
        self.ranges: list[Range] = []
        self.labels = 0

    # Registers.

    def register(self, depth: int | None = None, values: Range = ANY) -> int:
        """A new register that is set in block ``depth`` (default: the current one), whose values lie in ``values``."""
        self.depths.append(self.depth if depth is None else depth)
        self.ranges.append(values)
        return len(self.depths) - 1

    @property
    def depth(self) -> int:
        """How deep the current block is nested; 0 is the program."""
        return len(self.blocks) - 1

    def range(self, value: Scalar) -> Range:
        """The least and greatest value that ``value`` can have."""
        if value.reg is None:
            return value.offset, value.offset
        low, high = self.ranges[value.reg]
        return _within(low + value.offset, high + value.offset)

    # Emission.

    def emit(self, instruction: Instruction, depth: int | None = None) -> None:
        """Append to block ``depth`` (default: the current one)."""
        self.blocks[self.depth if depth is None else depth].items.append(Line(instruction, self.place))

    def label(self) -> Label:
        """A new label, to be placed with :meth:`mark`."""
        self.labels += 1
        return Label(self.labels - 1)

    def mark(self, label: Label) -> None:
        """Place ``label`` here."""
        self.blocks[-1].items.append(label)

    @contextmanager
    def block(self) -> Iterator[_Block]:
        """Collect what is emitted inside; the caller splices the block's items in."""
        inner = _Block()
        self.blocks.append(inner)
        try:
            yield inner
        finally:
            self.blocks.pop()

    def splice(self, block: _Block) -> None:
        """Append the items of a finished block here."""
        self.blocks[-1].items.extend(block.items)

    def pure(self, instruction: Instruction, values: Range, sources: tuple[int, ...] = (), *, free: bool = True) -> int:
        """The register that holds what ``instruction`` computes from registers ``sources`` (its ``rd`` is filled in).

        ``free`` instructions have no effect and cannot fault: they may be hoisted and reused.
        """
        if not (free and self.eager):
            rd = self.register(values=values)
            self.emit(replace(instruction, rd=rd))
            return rd
        key = (instruction.op, instruction.ra, instruction.rb, instruction.rc, instruction.imm)
        depth = max((self.depths[s] for s in sources), default=0)
        known = self.blocks[depth].known
        if key not in known:
            known[key] = self.register(depth, values)
            self.emit(replace(instruction, rd=known[key]), depth)
        return known[key]

    # Values.

    def in_register(self, value: Scalar) -> int:
        """A register that holds ``value``."""
        if value.reg is None:
            return self.pure(Instruction("li", imm=value.offset), (value.offset, value.offset))
        if value.offset == 0:
            return value.reg
        return self._operation("add", value.reg, const(value.offset), self.range(value))

    def alu(self, op: str, a: Scalar, b: Scalar) -> Scalar:
        """``op`` (the register form's name) on 64-bit values."""
        if a.reg is None and b.reg is None and not (op in _DIVISIONS and b.offset == 0):
            return const(alu.evaluate(op, a.offset, b.offset))
        if a.reg is None and op in _COMMUTATIVE:
            a, b = b, a
        elif a.reg is None and op in _SWAPPED:
            a, b, op = b, a, _SWAPPED[op]
        if op == "shl" and b.constant is not None and 0 <= b.constant < 63:
            op, b = "mul", const(1 << b.constant)
        values = self._result(op, self.range(a), self.range(b))
        if values[0] == values[1] and op not in _DIVISIONS:
            return const(values[0])
        if op == "add" and a.reg is not None:
            if b.reg is None:
                return Scalar(a.reg, alu.wrap(a.offset + b.offset))
            inner = self._result(op, self.ranges[a.reg], self.ranges[b.reg])
            return Scalar(self._operation("add", a.reg, Scalar(b.reg), inner), alu.wrap(a.offset + b.offset))
        if op == "sub":
            return self._subtract(a, b)
        if op == "mul" and b.reg is None and a.reg is not None:
            if b.offset == 1:
                return a
            inner = self._result(op, self.ranges[a.reg], (b.offset, b.offset))
            return Scalar(self._operation("mul", a.reg, b, inner), alu.wrap(a.offset * b.offset))
        if op in ("div", "floordiv", "ceildiv", "divu") and b.constant == 1:
            return a
        if op == "mod" and b.constant and self.range(a)[0] >= 0 and self.range(a)[1] < b.offset:
            return a
        if op in ("min", "max"):
            low, high = (a, b) if op == "min" else (b, a)
            if self.range(low)[1] <= self.range(high)[0]:
                return a
            if self.range(high)[1] <= self.range(low)[0]:
                return b
        return Scalar(self._operation(op, self.in_register(a), b, values))

    def _subtract(self, a: Scalar, b: Scalar) -> Scalar:
        if b.reg is None:
            return Scalar(a.reg, alu.wrap(a.offset - b.offset))
        if a.reg is None:
            inner = self._result("mul", self.ranges[b.reg], (-1, -1))
            return Scalar(self._operation("mul", b.reg, const(-1), inner), alu.wrap(a.offset - b.offset))
        if a.reg == b.reg:
            return const(a.offset - b.offset)
        inner = self._result("sub", self.ranges[a.reg], self.ranges[b.reg])
        return Scalar(self._operation("sub", a.reg, Scalar(b.reg), inner), alu.wrap(a.offset - b.offset))

    def _operation(self, op: str, a: int, b: Scalar, values: Range) -> int:
        """The instruction itself, in its immediate form where the constant fits."""
        free = op not in _DIVISIONS or bool(b.constant)
        if b.reg is None and -_IMMEDIATE <= b.offset < _IMMEDIATE:
            return self.pure(Instruction(f"{op}i", ra=a, imm=b.offset), values, (a,), free=free)
        right = self.in_register(b)
        return self.pure(Instruction(op, ra=a, rb=right), values, (a, right), free=free)

    def select(self, condition: Scalar, yes: Scalar, no: Scalar) -> Scalar:
        """``yes`` if ``condition`` is not 0, else ``no``."""
        if condition.reg is None:
            return yes if condition.offset else no
        if yes == no:
            return yes
        values = union(self.range(yes), self.range(no))
        sources = (self.in_register(condition), self.in_register(yes), self.in_register(no))
        instruction = Instruction("select", rc=sources[0], ra=sources[1], rb=sources[2])
        return Scalar(self.pure(instruction, values, sources))

    def extend(self, value: Scalar, bits: int, *, signed: bool) -> Scalar:
        """The low ``bits`` bits of ``value``, extended to 64 with the sign or with zeros; nothing if that
        changes nothing.
        """
        if bits >= 64:
            return value
        if value.reg is None:
            return const(alu.wrap(value.offset, bits) if signed else alu.unsigned(value.offset, bits))
        values = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
        low, high = self.range(value)
        if values[0] <= low and high <= values[1]:
            return value
        source = self.in_register(value)
        op = "sext" if signed else "zext"
        return Scalar(self.pure(Instruction(op, ra=source, imm=bits), values, (source,)))

    def move(self, register: int, value: Scalar) -> None:
        """Set ``register``, which other code may set too, to ``value``. Its range is the caller's business."""
        if value.reg is None:
            self.emit(Instruction("li", rd=register, imm=value.offset))
        elif value.offset == 0:
            self.emit(Instruction("mov", rd=register, ra=value.reg))
        elif -_IMMEDIATE <= value.offset < _IMMEDIATE:
            self.emit(Instruction("addi", rd=register, ra=value.reg, imm=value.offset))
        else:
            self.emit(Instruction("mov", rd=register, ra=self.in_register(value)))

    def _result(self, op: str, a: Range, b: Range) -> Range:
        """Values of ``op``: exact corners where the operation is monotone in each operand, else what is always true."""
        if op in _COMPARISONS:
            return _compared(op, a, b)
        if op == "add":
            return _within(a[0] + b[0], a[1] + b[1])
        if op == "sub":
            return _within(a[0] - b[1], a[1] - b[0])
        if op == "mul":
            corners = [x * y for x in a for y in b]
            return _within(min(corners), max(corners))
        if op in ("min", "max"):
            pick = min if op == "min" else max
            return pick(a[0], b[0]), pick(a[1], b[1])
        if op in ("div", "floordiv", "ceildiv") and b[0] == b[1] and b[0] > 0:
            return alu.evaluate(op, a[0], b[0]), alu.evaluate(op, a[1], b[0])
        if op == "mod" and b[0] > 0:
            return 0, b[1] - 1
        if op in ("and", "or", "xor") and a[0] >= 0 and b[0] >= 0 and a[1] <= 1 and b[1] <= 1:
            return BIT
        if op == "and" and b[0] == b[1] and b[0] >= 0:
            return 0, b[0]
        return ANY


def _within(low: int, high: int) -> Range:
    """The range, or all values when it wraps."""
    return (low, high) if low >= LEAST and high <= MOST else ANY


def union(a: Range, b: Range) -> Range:
    """The smallest range that holds both."""
    return min(a[0], b[0]), max(a[1], b[1])


def _compared(op: str, a: Range, b: Range) -> Range:
    """1 or 0 where the ranges decide the comparison, else both."""
    always = {
        "lt": a[1] < b[0],
        "le": a[1] <= b[0],
        "gt": a[0] > b[1],
        "ge": a[0] >= b[1],
    }
    never = {
        "lt": a[0] >= b[1],
        "le": a[0] > b[1],
        "gt": a[1] <= b[0],
        "ge": a[1] < b[0],
        "eq": a[1] < b[0] or b[1] < a[0],
    }
    if always.get(op):
        return 1, 1
    if never.get(op):
        return 0, 0
    return BIT
