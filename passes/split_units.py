"""Makes one program per kind of unit out of the sequential schedule."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from spyrec.dialects.dataflow import (
    LX,
    VIEWS,
    BufferOp,
    DataTransferOp,
    PostOp,
    ProgramUnitOp,
    ScalarLoadOp,
    TileIdOp,
    WaitOp,
)
from spyrec.mlir import ir, scf
from spyrec.passes.analysis import kernels, slots, support, unit_loops
from spyrec.passes.analysis.accesses import element_bytes
from spyrec.passes.analysis.buffer_views import BufferView, view_of
from spyrec.passes.analysis.schedule import Allocation, Schedule, schedule_of
from spyrec.passes.analysis.slices import Slice, by_unit, condition_of
from spyrec.passes.analysis.unit_moves import Moves
from spyrec.passes.analysis.unit_ops import UnitOps
from spyrec.passkit import Pass, PassContext


@dataclass
class SplitUnits(Pass):
    """Give each kind of unit a program with its own ops, and of control and scalars what they need.

    A buffer becomes a symbol; its slot is arithmetic on loop counters. Transfers and compute get byte addresses:
    dimensions that both sides walk as one are joined. Where more than four counts are left, the outer ones become
    loops, and so does a dimension of a box whose stride only the run knows. Scalar ops at the top that do not depend on
    the tile id stay outside of the units: they are the same everywhere.

    IR before::

        dataflow.channel @x_full from @load to @sfu {init = 0 : i64}
        %t = dataflow.tile_id
        scf.for %i = %c0 to %c4 step %c1 {
          %o = affine.apply affine_map<(i)[t] -> (i * 64 + t * 256)>(%i)[%t]
          %a = dataflow.alloc {address = 0 : i64, depth = 2 : i64, name = "x", slot_bytes = 128 : i64} : ...
          dataflow.data_transfer from @device[%o from %x] strides [64, 1] to %a {unit = @load, ...} : ...
          dataflow.post @x_full {unit = @load}
          dataflow.wait @x_full {unit = @sfu}
          linalg.generic {...} ins(%a : ...) outs(...) attrs = {dataflow.unit = @sfu} {...}

    IR after::

        dataflow.buffer @x {address = 0 : i64, depth = 2 : i64, slot_bytes = 128 : i64}
        dataflow.channel @x_full from @load to @sfu {init = 0 : i64}
        dataflow.program_unit @load(%core) {
          scf.for %i = %c0 to %c4 step %c1 {
            %o = affine.apply affine_map<(i)[t] -> (i * 64 + t * 256)>(%i)[%core]
            %b = affine.apply affine_map<(o) -> (o * 2)>(%o)
            %s = affine.apply affine_map<(i) -> ((i mod 2) * 128)>(%i)
            dataflow.transfer @device[%b from %x] strides [2] to @lx[%s in @x] strides [2] counts [64] {...}
            dataflow.post @x_full
          }
        }
        dataflow.program_unit @sfu(%core) {
          ...

    Views of buffers become offsets and strides; a clip
    keeps the dimensions that it cuts apart from others, and bounds the loops for those that have become loops. Numbers
    out of LX are loaded by every unit that needs them; loops and branches hand on what the unit needs of their values.

    Leaves alone a function that has program units. Refuses buffers without an address (``no-address``), reductions
    without a known combiner and maps that no stream can walk (``unsupported-op``), and what is no schedule.
    """

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        if not kernels.has_body(op) or any(isinstance(inner.opview, ProgramUnitOp) for inner in _top(op)):
            return
        schedule = schedule_of(op, ctx.analyses, ctx.sink, placed=True)
        if schedule is None:
            return
        splitter = _Splitter(schedule, ctx)
        splitter.split()
        if not ctx.sink.has_errors:
            splitter.clear()


class _Splitter:
    """Splits one function; :meth:`clear` then removes the schedule."""

    def __init__(self, schedule: Schedule, ctx: PassContext) -> None:
        self.schedule = schedule
        self.ctx = ctx
        self.function = schedule.function
        self.old = _top(self.function)
        self.uniform = _uniform(self.old)
        self.buffers: dict[ir.Value, tuple[Allocation, str]] = {}
        self.pinned: str | None = None

    def split(self) -> None:
        """Add buffers, channels and units before the return."""
        end = self.old[-1]
        for channel in self.schedule.channels.values():
            channel.move_before(end)
        with ir.InsertionPoint(end):
            self._declare_buffers(end)
            ops = by_unit(self.function)
            for unit in self.schedule.program.units:
                kind, _, corelet = unit.partition(".")
                number = int(corelet) if corelet else None
                made = ProgramUnitOp.build(unit=kind, corelet=number, loc=self.function.location)
                core = made.body.blocks[0].arguments[0]
                core.set_location(ir.Location.name("core", self.function.location))
                _Unit(self, made.body.blocks[0], kind, Slice(self.function, ops.get(unit, ()))).build()

    def _declare_buffers(self, end: ir.Operation) -> None:
        first = next(iter(self.schedule.channels.values()), end)
        taken = set(self.schedule.channels)

        def named(stem: str) -> str:
            name, number = stem, 1
            while name in taken:
                name, number = f"{stem}_{number}", number + 1
            taken.add(name)
            return name

        for allocation in self.schedule.allocations:
            name = named(allocation.place.name)
            self.buffers[allocation.op.results[0]] = (allocation, name)
            with ir.InsertionPoint(first):
                memory = allocation.place.memory
                BufferOp.build(
                    sym_name=name,
                    space=None if memory == LX else memory,
                    address=allocation.place.address,
                    slot_bytes=allocation.place.slot_bytes,
                    depth=allocation.place.depth,
                    loc=allocation.op.location,
                )

        place = self.schedule.pinned
        if place is not None:
            lx = self.ctx.device.memory("lx")
            low = place.address // lx.alignment * lx.alignment
            size = lx.aligned(place.address + place.size) - low
            self.pinned = named(place.name)
            with ir.InsertionPoint(first):
                location = self.function.location
                BufferOp.build(sym_name=self.pinned, address=low, slot_bytes=size, depth=1, launched=True, loc=location)

    def clear(self) -> None:
        """Remove the ops of the schedule."""
        kept = {self.old[-1], *self.schedule.channels.values()}
        for op in reversed(self.old):
            if op not in kept and (op not in self.uniform or not kernels.is_used(op)):
                op.erase()


class _Unit:
    """Builds the program of one unit."""

    def __init__(self, splitter: _Splitter, body: ir.Block, kind: str, part: Slice) -> None:
        self.splitter = splitter
        self.body = body
        self.device_unit = splitter.ctx.device.units.get(kind)
        self.part = part
        self.values: dict[ir.Value, ir.Value] = {}
        self.ops = UnitOps(self.mapped, self.slot, splitter.ctx.sink)
        self.moves = Moves(self.mapped, self.slot, splitter.pinned, splitter.ctx.sink)

    def build(self) -> None:
        """Fill the body."""
        with ir.InsertionPoint(self.body):
            self._block(self.splitter.function.regions[0].blocks[0])

    def mapped(self, value: ir.Value) -> ir.Value:
        """The value inside of the unit; what is the same everywhere stays outside."""
        return self.values.get(value, value)

    def slot(self, view: BufferView, location: ir.Location) -> tuple[str, ir.Value]:
        """Name of a buffer, and the address of what is shown of its current slot."""
        allocation, name = self.splitter.buffers[view.root]
        start = slots.address(allocation, self.splitter.schedule.values, self.mapped, location)
        size = element_bytes(view.element_type)
        values = [self.mapped(value) for value, _ in view.terms]
        more = unit_loops.offset(values, [factor * size for _, factor in view.terms], location)
        return name, unit_loops.plus(start, more, location, view.offset * size)

    def _block(self, block: ir.Block) -> None:
        for op in self.part.inside(block):
            name = op.name
            if name in VIEWS:
                continue
            if name == TileIdOp.NAME:
                self.values[op.results[0]] = self.body.arguments[0]
            elif name in (PostOp.NAME, WaitOp.NAME):
                self._synchronise(PostOp(op) if name == PostOp.NAME else WaitOp(op))
            elif name == DataTransferOp.NAME:
                self.moves.transfer(DataTransferOp(op))
            elif name == "scf.for":
                self._for(op)
            elif name == "scf.if":
                self._if(op)
            elif name == "scf.while":
                self._while(op)
            elif name == "memref.load":
                self._load(op)
            elif name.startswith("linalg."):
                if self.device_unit is None:
                    self.splitter.ctx.sink.error(op, "no-unit", "it runs on a unit that the device does not have")
                else:
                    self.ops.compute(op, self.device_unit)
            elif op not in self.splitter.uniform:
                self._scalar(op)

    def _synchronise(self, view: PostOp | WaitOp) -> None:
        peer = view.peer
        type(view).build(channel=view.channel, peer=None if peer is None else self.mapped(peer), loc=view.location)

    def _scalar(self, op: ir.Operation) -> None:
        values = [self.mapped(value) for value in op.operands]
        clone = op.clone()
        for number, value in enumerate(values):
            clone.operands[number] = value
        self.values.update(zip(op.results, clone.results, strict=True))

    def _load(self, op: ir.Operation) -> None:
        view = view_of(op.operands[0])
        assert view is not None
        name, start = self.slot(view, op.location)
        size = element_bytes(view.element_type)
        indices = [self.mapped(value) for value in list(op.operands)[1:]]
        more = unit_loops.offset(indices, [stride * size for stride in view.strides], op.location)
        address = unit_loops.plus(start, more, op.location)
        made = ScalarLoadOp.build(buffer=name, address=address, result=op.results[0].type, loc=op.location)
        self.values[op.results[0]] = made.result

    def _for(self, op: ir.Operation) -> None:
        low, high, step, *inits = op.operands
        block = op.regions[0].blocks[0]
        kept = [k for k, value in enumerate(op.results) if self._hands_on(value, block.arguments[1 + k])]
        with op.location:  # of the counter, for which the builder asks
            bounds = (self.mapped(value) for value in (low, high, step))
            loop = scf.ForOp(*bounds, [self.mapped(inits[k]) for k in kept])
        old = [block.arguments[0], *(block.arguments[1 + k] for k in kept)]
        self._define(old, loop.body.arguments)
        self._define([op.results[k] for k in kept], loop.results)
        self._arm(block, loop.body, op.location, kept)

    def _if(self, op: ir.Operation) -> None:
        arms = [region.blocks[0] if len(region.blocks) else None for region in op.regions]
        kept = [k for k, value in enumerate(op.results) if self._hands_on(value)]
        used = arms[1] is not None and self.part.inside(arms[1])
        other = arms[1] if used or kept else None
        types = [op.results[k].type for k in kept]
        with op.location:
            branch = scf.IfOp(self.mapped(op.operands[0]), types, has_else=other is not None)
        self._define([op.results[k] for k in kept], branch.results)
        assert arms[0] is not None
        self._arm(arms[0], branch.then_block, op.location, kept)
        if other is not None:
            self._arm(other, branch.else_block, op.location, kept)

    def _while(self, op: ir.Operation) -> None:
        test, rest = (region.blocks[0] for region in op.regions)
        carried = [k for k, value in enumerate(test.arguments) if self._hands_on(value)]
        kept = [k for k, value in enumerate(op.results) if self._hands_on(value, rest.arguments[k])]
        types = [op.results[k].type for k in kept]
        loop = scf.WhileOp(types, [self.mapped(op.operands[k]) for k in carried], loc=op.location)
        blocks = []
        for region, old in zip(
            loop.regions, ([test.arguments[k] for k in carried], [rest.arguments[k] for k in kept]), strict=True
        ):
            blocks.append(region.blocks.append(*(a.type for a in old), arg_locs=[a.location for a in old]))
            self._define(old, blocks[-1].arguments)
        with ir.InsertionPoint(blocks[0]):
            self._block(test)
            tested, *passed = condition_of(op).operands
            values = [self.mapped(passed[k]) for k in kept]
            scf.ConditionOp(self.mapped(tested), values, loc=op.location)
        self._define([op.results[k] for k in kept], loop.results)
        self._arm(rest, blocks[1], op.location, carried)

    def _hands_on(self, *values: ir.Value) -> bool:
        """Whether the unit needs one of these values of a loop or branch."""
        return any(self.part.needs(value) for value in values)

    def _define(self, old: Iterable[ir.Value], new: Iterable[ir.Value]) -> None:
        for before, after in zip(old, new, strict=True):
            self.values[before] = after
            if isinstance(after.owner, ir.Block):
                ir.BlockArgument(after).set_location(before.location)

    def _arm(self, old: ir.Block, new: ir.Block, location: ir.Location, kept: Sequence[int]) -> None:
        """Fill a block, which hands on the operands ``kept`` of what ends the old one."""
        end = kernels.terminator(old)
        with ir.InsertionPoint(new):
            self._block(old)
            scf.YieldOp([self.mapped(end.operands[k]) for k in kept], loc=location)


def _top(function: ir.Operation) -> list[ir.Operation]:
    return [view.operation for view in function.regions[0].blocks[0].operations]


def _uniform(top: Iterable[ir.Operation]) -> set[ir.Operation]:
    """Scalar ops at the top level that are the same on every core."""
    found: set[ir.Operation] = set()
    for op in top:
        owners = [value.owner for value in op.operands]
        same = all(isinstance(owner, ir.Block) or owner.operation in found for owner in owners)
        if op.name in support.SCALAR_OPS and same:
            found.add(op)
    return found
