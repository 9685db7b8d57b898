"""Code of one unit while it is being made: instructions on unlimited registers, in nested blocks.

A block is the body of a loop, one side of a branch, or the whole program. Integer operations that cannot fault are put
into the outermost block where their operands are known, and only once (that is loop-invariant code motion and common
subexpressions). Constants fold. Sums are kept as sums until an instruction needs the value, so that the part of an
address that a loop does not change is computed outside of it and the constant part goes into the instruction.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field

from spyrec.errors import Position
from spyrec.isa import alu
from spyrec.isa.objects import Instruction
from spyrec.records import dataclass, replace

Place = tuple[Position, ...]
Range = tuple[int, int]

ANY: Range = (alu.LEAST, alu.MOST)
BIT: Range = (0, 1)
_IMMEDIATE = 1 << 31
_MAX_TERMS = 8
_DIVISIONS = frozenset({"div", "rem", "floordiv", "mod", "ceildiv", "divu", "remu"})
_COMMUTATIVE = frozenset({"add", "mul", "min", "max", "and", "or", "xor", "eq", "ne"})
_COMPARISONS = frozenset({"eq", "ne", "lt", "le", "gt", "ge", "ult", "ule"})
_SWAPPED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}


@dataclass(frozen=True)
class Scalar:
    """A value known to the unit: the sum of registers times coefficients, plus ``offset``, modulo 2**64.

    ``terms`` are pairs (register, coefficient), sorted, without coefficients 0; a constant has none.
    """

    terms: tuple[tuple[int, int], ...] = ()
    offset: int = 0

    @property
    def constant(self) -> int | None:
        """The value, if it is a constant."""
        return None if self.terms else self.offset


def const(value: int) -> Scalar:
    """A constant, wrapped to 64 bits."""
    return Scalar((), alu.wrap(value))


def held(register: int) -> Scalar:
    """The value of a register."""
    return Scalar(((register, 1),))


def _combined(a: Scalar, b: Scalar, factor: int) -> Scalar:
    """``a + b * factor``."""
    terms = dict(a.terms)
    for register, coefficient in b.terms:
        terms[register] = alu.wrap(terms.get(register, 0) + coefficient * factor)
    kept = tuple(sorted((r, c) for r, c in terms.items() if c))
    return Scalar(kept, alu.wrap(a.offset + b.offset * factor))


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
        self.quotients: dict[int, tuple[Scalar, int]] = {}

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
        low = high = value.offset
        for register, coefficient in value.terms:
            ends = [coefficient * end for end in self.ranges[register]]
            low, high = low + min(ends), high + max(ends)
        return _within(low, high)

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

    def split(self, value: Scalar) -> tuple[int | None, int]:
        """``value`` as a register (``None``: no register) plus a constant.

        What is known further out is added up first, so that it is hoisted; equal coefficients share a multiplication.
        """
        groups: dict[tuple[int, int], list[int]] = {}
        for register, coefficient in value.terms:
            groups.setdefault((self.depths[register], coefficient), []).append(register)
        total: int | None = None
        for (_, coefficient), registers in sorted(groups.items(), key=lambda g: (g[0][0], g[0][1] < 0, g[0][1])):
            part = registers[0]
            for register in registers[1:]:
                part = self._operation("add", part, held(register))
            if coefficient == -1 and total is not None:
                total = self._operation("sub", total, held(part))
                continue
            if coefficient != 1:
                part = self._operation("mul", part, const(coefficient))
            total = part if total is None else self._operation("add", total, held(part))
        return total, value.offset

    def in_register(self, value: Scalar) -> int:
        """A register that holds ``value``."""
        register, offset = self.split(value)
        if register is None:
            return self.pure(Instruction("li", imm=offset), (offset, offset))
        return register if offset == 0 else self._operation("add", register, const(offset))

    def alu(self, op: str, a: Scalar, b: Scalar) -> Scalar:
        """``op`` (the register form's name) on 64-bit values. Sums and multiples wait until they are needed."""
        if not a.terms and not b.terms and not (op in _DIVISIONS and b.offset == 0):
            return const(alu.evaluate(op, a.offset, b.offset))
        if not a.terms and op in _COMMUTATIVE:
            a, b = b, a
        elif not a.terms and op in _SWAPPED:
            a, b, op = b, a, _SWAPPED[op]
        if op == "shl" and b.constant is not None and 0 <= b.constant < 63:
            op, b = "mul", const(1 << b.constant)
        if op in ("add", "sub") or (op == "mul" and b.constant is not None):
            factor = b.offset if op == "mul" else -1 if op == "sub" else 1
            return self._settled(_combined(const(0), a, factor) if op == "mul" else _combined(a, b, factor))
        known = self._known(op, a, b)
        if known is not None:
            return known
        register = self._operation(op, self.in_register(a), b)
        if op == "floordiv" and b.constant is not None and b.constant > 0:
            self.quotients[register] = (a, b.constant)
        return held(register)

    def _settled(self, value: Scalar) -> Scalar:
        """``value`` as it is; in one register when it should not wait, or has too many parts."""
        value = self._with_remainders(value)
        if self.eager and len(value.terms) <= _MAX_TERMS:
            return value
        register, offset = self.split(value)
        return Scalar(() if register is None else ((register, 1),), offset)

    def _with_remainders(self, value: Scalar) -> Scalar:
        """``value`` with ``x - x floordiv k * k``, as MLIR writes remainders, made one operation."""
        for register, coefficient in value.terms:
            dividend, divisor = self.quotients.get(register, (const(0), 0))
            if not dividend.terms or coefficient % divisor:
                continue
            times = -coefficient // divisor
            present = dict(value.terms)
            if all(present.get(r) == alu.wrap(c * times) for r, c in dividend.terms):
                rest = _combined(_combined(value, dividend, -times), held(register), -coefficient)
                return _combined(rest, self.alu("mod", dividend, const(divisor)), times)
        return value

    def _known(self, op: str, a: Scalar, b: Scalar) -> Scalar | None:
        """The result where the ranges of the operands decide it."""
        values = self._result(op, self.range(a), self.range(b))
        if values[0] == values[1] and (op not in _DIVISIONS or b.constant):
            return const(values[0])
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
        return None

    def _operation(self, op: str, a: int, b: Scalar) -> int:
        """The register that holds ``op`` of register ``a`` and ``b``, in its immediate form where a constant fits."""
        values = self._result(op, self.ranges[a], self.range(b))
        free = op not in _DIVISIONS or bool(b.constant)
        if b.constant is not None and -_IMMEDIATE <= b.constant < _IMMEDIATE:
            return self.pure(Instruction(f"{op}i", ra=a, imm=b.constant), values, (a,), free=free)
        right = self.in_register(b)
        return self.pure(Instruction(op, ra=a, rb=right), values, (a, right), free=free)

    def select(self, condition: Scalar, yes: Scalar, no: Scalar) -> Scalar:
        """``yes`` if ``condition`` is not 0, else ``no``."""
        if condition.constant is not None:
            return yes if condition.constant else no
        if yes == no:
            return yes
        values = union(self.range(yes), self.range(no))
        sources = (self.in_register(condition), self.in_register(yes), self.in_register(no))
        instruction = Instruction("select", rc=sources[0], ra=sources[1], rb=sources[2])
        return held(self.pure(instruction, values, sources))

    def extend(self, value: Scalar, bits: int, *, signed: bool) -> Scalar:
        """The low ``bits`` bits of ``value``, extended to 64 with the sign or with zeros; nothing if that
        changes nothing.
        """
        if bits >= 64:
            return value
        if value.constant is not None:
            return const(alu.wrap(value.offset, bits) if signed else alu.unsigned(value.offset, bits))
        values = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
        low, high = self.range(value)
        if values[0] <= low and high <= values[1]:
            return value
        source = self.in_register(value)
        op = "sext" if signed else "zext"
        return held(self.pure(Instruction(op, ra=source, imm=bits), values, (source,)))

    def move(self, register: int, value: Scalar) -> None:
        """Set ``register``, which other code may set too, to ``value``. Its range is the caller's business."""
        source, offset = self.split(value)
        if source is None:
            self.emit(Instruction("li", rd=register, imm=offset))
        elif offset == 0:
            self.emit(Instruction("mov", rd=register, ra=source))
        elif -_IMMEDIATE <= offset < _IMMEDIATE:
            self.emit(Instruction("addi", rd=register, ra=source, imm=offset))
        else:
            self.emit(Instruction("mov", rd=register, ra=self._operation("add", source, const(offset))))

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
        if op in ("divu", "remu", "rem") and a[0] >= 0 and b[0] > 0:
            op = "div" if op == "divu" else "mod"
        if op in ("div", "floordiv", "ceildiv", "shr") and b[0] == b[1] and b[0] > 0:
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
    return (low, high) if low >= alu.LEAST and high <= alu.MOST else ANY


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
