"""From the IR of stage ``program`` to steps that a machine without data can run.

Everything that an op's attributes decide is decided here, once. Values live in numbered slots; those from outside of
the units are shared by all of them.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from spyrec import numerics
from spyrec.dialects.dataflow import (
    BufferOp,
    ChannelOp,
    ContractOp,
    PostOp,
    ProgramUnitOp,
    ScalarLoadOp,
    StreamOp,
    TransferOp,
    WaitOp,
)
from spyrec.mlir import ir
from spyrec.numerics.errors import DivisionByZero
from spyrec.passes.analysis import kernels
from spyrec.passes.analysis.dry_run.choices import Answers
from spyrec.passes.analysis.dry_run.memory import Box, box
from spyrec.passes.analysis.dry_run.scalars import function_of, moduli
from spyrec.passes.analysis.dry_run.values import Function, Scalar, Sym, Value

if TYPE_CHECKING:
    from spyrec.passes.analysis.dry_run.machine import Unit

POINTER_BITS = 44
"""Addresses that arguments are given are so far apart; literal ones are below them all."""

Flow = Iterator[None]
Step = Callable[["Unit"], None]
Node = tuple[bool, Any]
"""A step, and whether it may wait: then it is a generator."""


class Unmodelled(Exception):
    """The program has an op that this run has no meaning for."""


@dataclass(frozen=True)
class Area:
    """A buffer of ``memory``, LX or a stage; ``launched``: the launch may have put contents there."""

    name: str
    memory: str
    address: int
    slot_bytes: int
    depth: int
    launched: bool = False

    def offset(self, at: int) -> int:
        """How far from the start of its slot a byte is."""
        return (at - self.address) % self.slot_bytes


@dataclass(frozen=True)
class Link:
    """A channel; ``peers``: one counter for each pair of cores."""

    op: ir.Operation
    name: str
    poster: str
    waiter: str
    init: int
    peers: bool


@dataclass
class UnitCode:
    """The program of one unit; slot ``core`` takes the number of the core."""

    label: str
    op: ir.Operation
    core: int
    nodes: list[Node] = field(default_factory=list)

    @property
    def least_steps(self) -> int:
        """How many steps it takes at least, when no iteration is left out."""
        return _least_steps(self.op.regions[0].blocks[0])


@dataclass
class Code:
    """A whole program. ``outer``: what is computed once for all units. ``moduli``: what counters are divided by.
    ``windows``: the bytes of device memory that the kernel's views cover, ``None`` when the function does not say.
    ``remote``: a core reaches into the LX of another one. ``names`` of arguments, by the high bits of their addresses;
    ``aliased``: those of arguments that may be one another. ``visits``: numbers of iterations
    (None: not known) of loops whose iterations meet different cores. ``height``: how many loops deep
    the deepest loop is.
    """

    function: ir.Operation
    tiles: int
    areas: dict[str, Area] = field(default_factory=dict)
    links: dict[str, Link] = field(default_factory=dict)
    units: list[UnitCode] = field(default_factory=list)
    outer: list[Node] = field(default_factory=list)
    given: dict[int, Value] = field(default_factory=dict)
    moduli: set[int] = field(default_factory=set)
    windows: list[tuple[int, int]] | None = None
    remote: bool = False
    names: dict[int, str] = field(default_factory=dict)
    aliased: set[int] = field(default_factory=set)
    visits: set[int | None] = field(default_factory=set)
    height: int = 0
    nests: dict[ir.Operation, int] = field(default_factory=dict)
    """The nest that an outermost loop is: the same for those of different units that a channel joins."""
    heights: dict[int, int] = field(default_factory=dict)
    """The highest level in each nest."""
    scalars: dict[object, Scalar] = field(default_factory=dict)
    answers: Answers = field(default_factory=Answers)

    def scalar(self, name: object, fn: Function) -> Scalar:
        """The one function of this name."""
        return self.scalars.setdefault(name, Scalar(name, fn))

    def clipped(self, count: int) -> Scalar:
        """How many of ``count`` steps are below a bound; cores may differ in how far beyond them that is."""
        return self.scalar(("clipped", count), lambda bound: max(0, min(bound, count)))

    def bytes_text(self, low: int, high: int) -> str:
        """How bytes of device memory are called in messages."""
        name = self.names.get(low >> POINTER_BITS)
        base = low >> POINTER_BITS << POINTER_BITS
        return f"bytes {low - base} to {high - base - 1} of " + ("device memory" if name is None else f"%{name}")

    @cached_property
    def depth(self) -> int:
        """How far any unit can run ahead: the deepest buffer or the most credits."""
        return max([1, *(a.depth for a in self.areas.values()), *(k.init for k in self.links.values())])

    @cached_property
    def has_peers(self) -> bool:
        """Whether cores wait for one another."""
        return any(link.peers for link in self.links.values())

    @property
    def between_cores(self) -> bool:
        """Whether cores wait for one another, or reach into one another's LX."""
        return self.remote or self.has_peers


def code_of(function: ir.Operation, host: int | None = None) -> Code:
    """The steps of ``function``, in which all arguments that may lie anywhere lie on argument number ``host``, or else
    on the first of themselves. Raises :class:`Unmodelled`.
    """
    return _Builder(function).build(host)


@dataclass(eq=False)
class Loop:
    """How many ``times`` a loop runs, if that is known; ``visits``: iterations meet different cores, or loops whose
    iterations do. ``level``: how many loops are around it, from the first on that counts its iterations;
    ``outermost``: that around them all, if it is not itself, and the ``nest`` of one.
    """

    op: ir.Operation
    times: int | None
    level: int = 0
    visits: bool = False
    outermost: Loop | None = None
    nest: int = 0

    @property
    def place(self) -> tuple[int, int]:
        """Nest and level, which equal loops of different units have alike."""
        return (self.outermost or self).nest, self.level


class _Builder:
    def __init__(self, function: ir.Operation) -> None:
        self.code = Code(function, kernels.tiles(function))
        self.slots: dict[ir.Value, int] = {}
        self.loops: list[Loop] = []
        self.every: list[Loop] = []
        """Loops that do not count their iterations, too."""
        self.around: list[Loop] = []
        self.ends: defaultdict[str, list[list[Loop]]] = defaultdict(list)
        """For each channel inside of a core, the loops around its ends."""
        self.counted: set[int] = set()
        """Slots of what may be another value in another iteration."""
        self.add = self.code.scalar("+", int.__add__)

    def build(self, host: int | None) -> Code:
        code = self.code
        addresses = _addresses(code.function)
        for argument in kernels.arguments(code.function):
            number = argument.arg_number
            slot = self.slot(argument)
            if number not in addresses:
                step, most = (kernels.promise(argument, kind) for kind in ("granularity", "upperbound"))
                code.given[slot] = Sym(("argument", number), granularity=step or 1, upperbound=most)
                continue
            marked = kernels.may_alias(argument)
            host = number if marked and host is None else host
            segment = 1 + (host if marked and host is not None else number)
            code.given[slot] = segment << POINTER_BITS
            if segment in code.names:
                code.aliased.add(segment)
            else:
                code.names[segment] = kernels.argument_name(argument)
        code.windows = _windows(code)
        for view in code.function.regions[0].blocks[0].operations:
            op = view.operation
            if isinstance(view, BufferOp):
                name = view.sym_name.value
                numbers = view.address.value, view.slot_bytes.value, view.depth.value
                code.areas[name] = Area(name, view.memory, *numbers, view.launched is not None)
            elif isinstance(view, ChannelOp):
                name = view.sym_name.value
                peers = getattr(view, "peers", None) is not None
                code.links[name] = Link(op, name, view.from_unit.value, view.to_unit.value, view.init.value, peers)
            elif isinstance(view, ProgramUnitOp):
                corelet = 0 if view.corelet is None else view.corelet.value
                label = view.unit.value + (f".{corelet}" if corelet else "")
                unit = UnitCode(label, op, self.slot(view.body.blocks[0].arguments[0]))
                unit.nodes = self.block(view.body.blocks[0])[0]
                code.units.append(unit)
            elif op.name != "func.return":
                code.outer.append(self.scalar(op))
        if code.between_cores:
            self._meet()
        self._number()
        return code

    def _number(self) -> None:
        """Number the nests, and measure them."""
        for number, loop in enumerate(self.every):
            loop.nest = number
        spreads = True
        while spreads:
            spreads = False
            for ends in self.ends.values():
                outermost = [loops[0] for loops in ends if loops]
                least = min((loop.nest for loop in outermost), default=0)
                for loop in outermost:
                    spreads |= loop.nest != least
                    loop.nest = least
        for loop in self.every:
            nest, level = loop.place
            if loop.outermost is None:
                self.code.nests[loop.op] = nest
            self.code.heights[nest] = max(self.code.heights.get(nest, 0), level)

    def _meet(self) -> None:
        """Find the loops that visit cores; those that a channel joins with one have to be run as that one is."""
        for loop in self.loops:
            loop.visits = _visits_cores(loop.op)
            if loop.visits:
                self.code.visits.add(loop.times)
        spreads = bool(self.code.visits)
        while spreads:
            spreads = False
            for ends in self.ends.values():
                for loops in zip_longest(*ends):
                    there = [loop for loop in loops if loop is not None]
                    visited = {loop.times for loop in there if loop.visits}
                    for loop in there:
                        if loop.times in visited and not loop.visits:
                            loop.visits = spreads = True

    def slot(self, value: ir.Value) -> int:
        return self.slots.setdefault(value, len(self.slots))

    def use(self, value: ir.Value) -> int:
        found = self.slots.get(value)
        if found is None:
            raise Unmodelled(str(value))
        return found

    def block(self, block: ir.Block) -> tuple[list[Node], list[int]]:
        """The steps of a block, and the slots that its terminator hands out."""
        nodes: list[Node] = []
        for view in block.operations:
            op = view.operation
            if op.name in ("scf.yield", "scf.condition"):
                return nodes, [self.use(v) for v in op.operands]
            nodes.append(self.node(op))
        return nodes, []

    def node(self, op: ir.Operation) -> Node:
        view = op.opview
        match view:
            case WaitOp() | PostOp():
                return self.synchronise(view)
            case TransferOp():
                return False, self.transfer(view)
            case StreamOp():
                return False, self.stream(view)
            case ContractOp():
                return False, self.contract(view)
            case ScalarLoadOp():
                return False, self.scalar_load(view)
        control = {"scf.for": self.loop, "scf.if": self.branch, "scf.while": self.repeat}.get(op.name)
        return (True, control(op)) if control is not None else self.scalar(op)

    # -- scalars and control ------------------------------------------------------------------------------------------

    def scalar(self, op: ir.Operation) -> Node:
        if op.name == "arith.constant":
            attribute = op.attributes["value"]
            slot = self.slot(op.results[0])
            value: Value
            if isinstance(attribute, ir.IntegerAttr | ir.BoolAttr):
                value = int(attribute.value)
            else:
                value = Sym(("constant", str(attribute)))

            def constant(unit: Unit) -> None:
                unit.values[slot] = value

            return False, constant
        found = function_of(op) if len(op.results) == 1 else None
        if found is None:
            raise Unmodelled(op.name)
        name, fn = found
        args = [self.use(v) for v in op.operands]
        dest = self.slot(op.results[0])
        if not self.counted.isdisjoint(args):
            self.code.moduli |= moduli(op)
            self.counted.add(dest)
        scalar = self.code.scalar(name, fn)
        one = args[0]

        def step(unit: Unit) -> None:
            values = unit.values
            values[dest] = scalar(values[one]) if len(args) == 1 else scalar(*[values[a] for a in args])

        def guarded(unit: Unit) -> None:
            try:
                step(unit)
            except (ArithmeticError, DivisionByZero):
                unit.stop("division-by-zero", op, "an integer is divided by zero")

        return False, guarded if "div" in op.name or "rem" in op.name else step

    def loop(self, op: ir.Operation) -> Callable[[Unit], Flow]:
        operands = [self.use(v) for v in op.operands]
        bounds, inits = operands[:3], operands[3:]
        body = op.regions[0].blocks[0]
        counter, *carried = [self.slot(a) for a in body.arguments]
        results = [self.slot(r) for r in op.results]
        self.counted.update([counter, *carried, *results])
        loop = self.enter(op, _iterations(op))
        self.loops.append(loop)
        nodes, yielded = self.block(body)
        self.around.pop()

        def run(unit: Unit) -> Flow:
            values = unit.values
            state = [values[i] for i in inits]
            low, step = unit.control(values[bounds[0]]), unit.control(values[bounds[2]], 1)
            for number in unit.run.counters(unit, low, values[bounds[1]], step, loop):
                values[counter] = number
                for slot, value in zip(carried, state, strict=True):
                    values[slot] = value
                yield from unit.steps(nodes)
                state = [values[y] for y in yielded]
            for slot, value in zip(results, state, strict=True):
                values[slot] = value

        return run

    def enter(self, op: ir.Operation, times: int | None) -> Loop:
        """What comes now is in this loop, too."""
        first = next((k for k, around in enumerate(self.around) if around.op.name == "scf.for"), len(self.around))
        loop = Loop(op, times, len(self.around) - first, outermost=self.around[0] if self.around else None)
        self.every.append(loop)
        self.code.height = max(self.code.height, loop.level)
        self.around.append(loop)
        return loop

    def branch(self, op: ir.Operation) -> Callable[[Unit], Flow]:
        condition = self.use(op.operands[0])
        arms = [self.block(region.blocks[0]) if len(region.blocks) else ([], []) for region in op.regions]
        results = [self.slot(r) for r in op.results]
        self.counted.update(results)

        def run(unit: Unit) -> Flow:
            nodes, yielded = arms[0 if unit.decide(unit.values[condition]) else 1]
            yield from unit.steps(nodes)
            for slot, value in zip(results, [unit.values[y] for y in yielded], strict=True):
                unit.values[slot] = value

        return run

    def repeat(self, op: ir.Operation) -> Callable[[Unit], Flow]:
        inits = [self.use(v) for v in op.operands]
        before, after = (region.blocks[0] for region in op.regions)
        carried = [self.slot(a) for a in before.arguments]
        inside = [self.slot(a) for a in after.arguments]
        results = [self.slot(r) for r in op.results]
        self.counted.update([*carried, *inside, *results])
        self.enter(op, None)
        first, (condition, *passed) = self.block(before)
        second, yielded = self.block(after)
        self.around.pop()

        def run(unit: Unit) -> Flow:
            values = unit.values
            state = [values[i] for i in inits]
            for number in range(unit.run.limit + 1):
                for slot, value in zip(carried, state, strict=True):
                    values[slot] = value
                yield from unit.steps(first)
                state = [values[p] for p in passed]
                # It is left at last; who looks at the same value later decides likewise.
                if not unit.decide(values[condition], (0,) if number == unit.run.limit else (1, 0)):
                    break
                for slot, value in zip(inside, state, strict=True):
                    values[slot] = value
                yield from unit.steps(second)
                state = [values[y] for y in yielded]
            for slot, value in zip(results, state, strict=True):
                values[slot] = value

        return run

    def synchronise(self, view: WaitOp | PostOp) -> Node:
        op, name, operand = view.operation, view.channel.value, getattr(view, "peer", None)
        peer = None if operand is None else self.use(operand)
        if peer is None:
            self.ends[name].append(self.around.copy())
        if isinstance(view, PostOp):
            return False, lambda unit: unit.post(op, name, None if peer is None else unit.values[peer])
        return True, lambda unit: unit.wait(op, name, None if peer is None else unit.values[peer])

    # -- memory -------------------------------------------------------------------------------------------------------

    def stream(self, view: StreamOp) -> Step:
        op, counts = view.operation, tuple(view.counts)
        arguments = list(view.body.blocks[0].arguments)
        inputs = len(view.inputs)
        folds = view.folds() if view.folded else [None] * len(view.outputs)
        reads: list[tuple[Box | None, int, str]] = []
        writes: list[tuple[Box | None, int, str]] = []
        operands = [*view.inputs, *view.outputs]
        strides = [*view.input_strides, *view.output_strides]
        buffers = [*view.input_buffers, *view.output_buffers]
        for k, operand in enumerate(operands):
            size = numerics.sizeof(str(arguments[k].type))
            steps = tuple(ir.DenseI64ArrayAttr(strides[k]))
            used = any(True for _ in arguments[k].uses)
            own = counts
            if k >= inputs and folds[k - inputs] is not None:
                used = view.fresh is None
                own, steps = _kept(counts, steps)
            entry = box(own, steps, size), self.use(operand), ir.FlatSymbolRefAttr(buffers[k]).value
            if used:
                reads.append(entry)
            if k >= inputs:
                writes.append(entry)

        def step(unit: Unit) -> None:
            for shape, slot, buffer in reads:
                unit.touch_local(op, shape, unit.values[slot], buffer, writes=False)
            places = [
                (shape, unit.touch_local(op, shape, unit.values[slot], buffer, writes=True))
                for shape, slot, buffer in writes
            ]
            unit.apart(op, places, "the outputs of a stream share bytes")

        return step

    def contract(self, view: ContractOp) -> Step:
        op, counts = view.operation, tuple(view.counts)
        sides = []
        for name in ("lhs", "rhs", "acc"):
            size = numerics.sizeof(str(getattr(view, f"{name}_type").value))
            own, steps = _kept(counts, tuple(getattr(view, f"{name}_strides")))
            sides.append((box(own, steps, size), self.use(getattr(view, name)), getattr(view, f"{name}_buffer").value))
        sums = math.prod(_kept(counts, tuple(view.acc_strides))[0])
        start = str(ir.StringAttr(view.start).value if isinstance(view.start, ir.StringAttr) else view.start)
        keep = view.keep is not None

        def step(unit: Unit) -> None:
            for shape, slot, buffer in sides[: 3 if start == "lx" else 2]:
                unit.touch_local(op, shape, unit.values[slot], buffer, writes=False)
            if start == "unit":
                if unit.kept != sums:
                    message = f"goes on from {sums} sums in the unit, which has kept {unit.kept or 'nothing'}"
                    unit.stop("accumulator-misuse", op, message)
                unit.kept = 0
            if keep:
                unit.kept = sums
            else:
                shape, slot, buffer = sides[2]
                unit.touch_local(op, shape, unit.values[slot], buffer, writes=True)

        return step

    def scalar_load(self, view: ScalarLoadOp) -> Step:
        op, buffer = view.operation, view.buffer.value
        address, dest = self.use(view.address), self.slot(op.results[0])
        self.counted.add(dest)
        shape = box((), (), numerics.sizeof(str(op.results[0].type)))

        def step(unit: Unit) -> None:
            unit.values[dest] = unit.load(op, shape, unit.values[address], buffer)

        return step

    def transfer(self, view: TransferOp) -> Step:
        if not view.is_plain:
            return self.special(view)
        op, counts, size = view.operation, tuple(view.counts), view.element_bytes.value
        shapes = [box(counts, tuple(getattr(view, f"{name}_strides")), size) for name in ("source", "dest")]
        source, dest = (self._side(view, name) for name in ("source", "dest"))
        within = view.source_space.value == view.dest_space.value != "device"

        def step(unit: Unit) -> None:
            places = source(unit, shapes[0], 0, False, None), dest(unit, shapes[1], 0, False, None)
            if within:
                unit.apart(op, list(zip(shapes, places, strict=True)), "the two sides of a transfer share bytes")

        return step

    def special(self, view: TransferOp) -> Step:
        """A transfer that is clipped, indirect, or to or from other cores."""
        op, counts, size = view.operation, tuple(view.counts), view.element_bytes.value
        strides = [tuple(getattr(view, f"{name}_strides")) for name in ("source", "dest")]
        source, dest = (self._side(view, name) for name in ("source", "dest"))
        lists = [self._list(view, k) for k in range(len(view.indices))]
        clip = self._clip(view, counts)
        whole = box(counts, strides[1], size)
        fills = view.fill is not None
        plain = not fills and not lists and view.put_to is None
        get_from = None if view.get_from is None else self.use(view.get_from)
        put_to = None if view.put_to is None else self.use(view.put_to)
        add = self.add
        members = range(1 if view.members is None else view.members.value)
        apart = 0 if view.member_step is None else view.member_step.value
        self.code.remote |= get_from is not None or put_to is not None

        def step(unit: Unit) -> None:
            first, kept = clip(unit)
            there = None if get_from is None else unit.core(op, unit.values[get_from])
            if plain and 0 in kept:
                return
            extra: list[list[tuple[int, int]]] = [[], []]
            for side, touch in lists:
                extra[side].append(touch(unit, first, kept))
            shapes = [
                box((*(n for n, _ in more), *kept), (*(s for _, s in more), *steps), size)
                for more, steps in zip(extra, strides, strict=True)
            ]
            starts = [sum(f * s for f, s in zip(first, steps, strict=True)) for steps in strides]
            source(unit, shapes[0], starts[0], bool(extra[0]), there)
            cores: list[int | None] = [None]
            if put_to is not None:
                cores = [unit.core(op, add(unit.values[put_to], k * apart)) for k in members]
            for core in cores:
                if fills:
                    dest(unit, whole, 0, False, core)
                dest(unit, shapes[1], starts[1], bool(extra[1]), core)

        return step

    def _clip(self, view: TransferOp, counts: tuple[int, ...]) -> Callable[[Unit], tuple[list[int], tuple[int, ...]]]:
        """The first step and the number of steps of each count that are inside."""
        if view.static_lower is None or view.static_upper is None:
            return lambda unit: ([0] * len(counts), counts)
        dynamic = ir.ShapedType.get_dynamic_size()
        bounds: list[list[int]] = []
        for static, operands in ((view.static_lower, view.lower), (view.static_upper, view.upper)):
            slots = iter([self.use(v) for v in operands])
            bounds.append([~next(slots) if entry == dynamic else max(0, entry) for entry in static])
        sides = list(zip(*bounds, counts, strict=True))

        def region(unit: Unit) -> tuple[list[int], tuple[int, ...]]:
            first, kept = [], []
            for low, high, count in sides:
                start = unit.bound(unit.values[~low], count) if low < 0 else low
                end = unit.bound(unit.values[~high], count) if high < 0 else min(high, count)
                first.append(start)
                kept.append(max(0, end - start))
            return first, tuple(kept)

        return region

    def _list(
        self, view: TransferOp, k: int
    ) -> tuple[int, Callable[[Unit, list[int], tuple[int, ...]], tuple[int, int]]]:
        """The side that list number ``k`` of indices moves, and its step: reads it, and gives how many places its
        points may be in, and how far apart those are.
        """
        assert view.index_buffers is not None
        assert view.index_strides is not None
        assert view.index_types is not None
        assert view.index_sides is not None
        assert view.index_scales is not None
        assert view.static_limits is not None
        op, address = view.operation, self.use(view.indices[k])
        side = ("source", "dest").index(ir.StringAttr(view.index_sides[k]).value)
        buffer = ir.FlatSymbolRefAttr(view.index_buffers[k]).value
        strides = tuple(ir.DenseI64ArrayAttr(view.index_strides[k]))
        size, scale = numerics.sizeof(str(ir.TypeAttr(view.index_types[k]).value)), view.index_scales[k]
        dynamic = ir.ShapedType.get_dynamic_size()
        operands = iter([self.use(v) for v in view.limits])
        limits = [(next(operands), 0) if limit == dynamic else (None, limit) for limit in view.static_limits]
        slot, constant = limits[k]
        add = self.add

        def step(unit: Unit, first: list[int], kept: tuple[int, ...]) -> tuple[int, int]:
            start = sum(f * s for f, s in zip(first, strides, strict=True))
            at = add(unit.values[address], start)
            own, steps = _kept(kept, strides)
            unit.touch_local(op, box(own, steps, size), at, buffer, writes=False)
            limit = constant if slot is None else unit.control(unit.values[slot], 1)
            return max(1, limit), scale

        return side, step

    def _side(self, view: TransferOp, name: str) -> Callable[[Unit, Box | None, int, bool, int | None], int]:
        """The access of one side: to a box, so many bytes on, to all of it or to some, in the LX of another core."""
        op, buffer = view.operation, getattr(view, f"{name}_buffer")
        offset, base = self.use(getattr(view, name)), getattr(view, f"{name}_base")
        start = None if base is None else self.use(base)
        writes, area = name == "dest", "" if buffer is None else buffer.value
        add = self.add

        def address(unit: Unit, shift: int) -> Value:
            at = unit.values[offset]
            if shift:
                at = add(at, shift)
            return at if start is None else add(unit.values[start], at)

        def local(unit: Unit, shape: Box | None, shift: int, may: bool, place: int | None) -> int:
            return unit.touch_local(op, shape, address(unit, shift), area, writes=writes, place=place, may=may)

        def device(unit: Unit, shape: Box | None, shift: int, may: bool, place: int | None) -> int:
            unit.touch_device(op, shape, address(unit, shift), writes=writes, may=may)
            return 0

        return device if getattr(view, f"{name}_space").value == "device" else local


def _kept(counts: tuple[int, ...], strides: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Without the counts along which nothing moves."""
    kept = [d for d, stride in enumerate(strides) if stride]
    if 0 in counts:
        return counts, tuple(strides)
    return tuple(counts[d] for d in kept), tuple(strides[d] for d in kept)


def _least_steps(block: ir.Block) -> int:
    """Steps of a block whatever is chosen; of loops whose bounds are not constant, none inside."""
    steps = 0
    for view in block.operations:
        op = view.operation
        steps += 1
        if op.name == "scf.for":
            times = _iterations(op)
            steps += times * _least_steps(op.regions[0].blocks[0]) if times else 0
        elif op.name == "scf.if":
            steps += min(_least_steps(r.blocks[0]) if len(r.blocks) else 0 for r in op.regions)
        elif op.name == "scf.yield":
            steps -= 1
    return steps


def _iterations(loop: ir.Operation) -> int | None:
    """How many a loop has, if its bounds are constants."""
    bounds = []
    for value in list(loop.operands)[:3]:
        owner = value.owner
        if isinstance(owner, ir.Block) or owner.operation.name != "arith.constant":
            return None
        bounds.append(ir.IntegerAttr(owner.operation.attributes["value"]).value)
    return len(range(*bounds))


def _visits_cores(loop: ir.Operation) -> bool:
    """Whether iterations of a loop name different cores: one that is left out is missed there."""
    varies: dict[ir.Value, bool] = dict.fromkeys(loop.regions[0].blocks[0].arguments, True)

    def does(value: ir.Value) -> bool:
        if value not in varies:
            varies[value] = False  # values have no cycles but through loops, whose arguments stand for them
            maker = value.owner.owner if isinstance(value.owner, ir.Block) else value.owner
            varies[value] = maker.operation.name != "func.func" and any(map(does, maker.operation.operands))
        return varies[value]

    for view in kernels.views(loop, PostOp, WaitOp, TransferOp):
        named = [view.get_from, view.put_to] if isinstance(view, TransferOp) else [view.peer]
        if any(core is not None and does(core) for core in named):
            return True
    return False


def _addresses(function: ir.Operation) -> set[int]:
    """Numbers of the arguments that are addresses: those of views, and those that a transfer has as its base."""
    found: set[int] = set()
    for view in kernels.views(function, TransferOp):
        for base in (view.source_base, view.dest_base):
            if base is not None and isinstance(base.owner, ir.Block):
                found.add(ir.BlockArgument(base).arg_number)
    return found


def hosts(function: ir.Operation) -> list[int | None]:
    """Where arguments that may lie anywhere are looked at: on the first of themselves, and on each other argument."""
    loose = [argument.arg_number for argument in kernels.arguments(function) if kernels.may_alias(argument)]
    addresses = _addresses(function) if loose else set()
    if addresses.isdisjoint(loose):
        return [None]
    return [None, *sorted(addresses.difference(loose))]


_SIGNATURE = "dataflow.signature"


def _windows(code: Code) -> list[tuple[int, int]] | None:
    """The views of the signature, joined where they touch; ``None`` where the launch or data decide what they are."""
    if _SIGNATURE not in code.function.attributes:
        return None
    starts = {number: code.given[slot] for number, slot in enumerate(code.given)}
    spans: list[tuple[int, int]] = []
    for attribute in ir.ArrayAttr(code.function.attributes[_SIGNATURE]):
        entry = ir.DictAttr(attribute)
        if "end" not in entry:
            continue
        if "launch" in entry or "loose" in entry:
            return None
        argument, offset, end = (ir.IntegerAttr(entry[name]).value for name in ("arg", "offset", "end"))
        size = numerics.sizeof(str(ir.TypeAttr(entry["type"]).value))
        start = 0 if argument < 0 else starts.get(argument, 0)
        if isinstance(start, int):
            spans.append((start + offset * size, start + end * size))
    joined: list[tuple[int, int]] = []
    for low, high in sorted(spans):
        if joined and low <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], high)
        else:
            joined.append((low, high))
    return joined
