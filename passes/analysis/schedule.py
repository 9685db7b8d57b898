"""A function at stage `schedule` read into the skeleton that the analyses work on.

Every op that touches memory must be a `dataflow.data_transfer` or a linalg op on buffers, and name its unit; scalar ops
are passed over. What is not of that form is reported to the sink, and there is no result.
"""

from __future__ import annotations

import math
from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from spyrec import diag
from spyrec.device.model import Memory
from spyrec.dialects.dataflow import VIEWS, AllocOp, ChannelOp, DataTransferOp, PostOp, TileIdOp, WaitOp
from spyrec.mlir import ir
from spyrec.numerics.errors import UnknownType
from spyrec.passes.analysis import buffers, kernels, ops, support
from spyrec.passes.analysis.accesses import Accesses, element_bytes
from spyrec.passes.analysis.addresses import BOUNDED, Addresses
from spyrec.passes.analysis.between_cores import exchange
from spyrec.passes.analysis.index_values import IndexValues
from spyrec.passes.analysis.instances import effective_depth
from spyrec.passes.analysis.places import BufferPlace
from spyrec.passes.analysis.skeleton import Access, Block, Branch, Channel, Item, Loop, Program, blocks
from spyrec.passes.analysis.skeleton import Leaf as UnitOp
from spyrec.passes.analysis.slices import Slice, by_unit, condition_of, unit_of
from spyrec.passkit import Analyses


@dataclass
class Allocation:
    """One `dataflow.alloc`: its op, where it stands, and the place that accesses to it name."""

    op: ir.Operation
    block: Block
    place: BufferPlace
    requested_depth: int
    has_address: bool = False

    def put_at(self, address: int, slot_bytes: int) -> None:
        """Give the buffer an address and the distance of its slots, and the depth that it can have."""
        self.op.attributes["address"] = ops.i64(address)
        self.op.attributes["slot_bytes"] = ops.i64(slot_bytes)
        if self.place.depth != self.requested_depth:
            self.op.attributes["depth"] = ops.i64(self.place.depth)
        self.place.address, self.place.slot_bytes = address, slot_bytes
        self.requested_depth, self.has_address = self.place.depth, True


@dataclass
class Schedule:
    """What :func:`read` gives. A pass that only adds what there are methods for may keep it."""

    function: ir.Operation
    program: Program
    addresses: Addresses
    allocations: list[Allocation] = field(default_factory=list)
    channels: dict[str, ir.Operation] = field(default_factory=dict)
    varies: dict[Loop, frozenset[Loop]] = field(default_factory=dict)
    pinned: BufferPlace | None = None
    """The bytes of LX that transfers name by address, if any do: they are the kernel's, and no buffer lies in them."""
    exposed: dict[BufferPlace, None] = field(default_factory=dict)
    """Buffers that other cores read or write."""

    @property
    def values(self) -> IndexValues:
        """What index values can be."""
        return self.addresses.values

    @property
    def is_placed(self) -> bool:
        """Whether all buffers have addresses."""
        return all(allocation.has_address for allocation in self.allocations)

    def add_channels(self, made: Sequence[tuple[ir.Operation, Block, Channel]]) -> None:
        """Channels whose ops have been put before all others; none within cores were there."""
        self.channels = {channel.ref: op for op, _, channel in made} | self.channels
        for _, block, channel in made:
            block.channels.append(channel)

    def remove_channels(self, names: Container[str]) -> None:
        """Channels within cores that are no more."""
        self.channels = {name: op for name, op in self.channels.items() if name not in names}
        for block in blocks(self.program.body):
            block.channels = [channel for channel in block.channels if channel.ref not in names]

    def kept(self, memory: Memory) -> tuple[int, int]:
        """From where to where a memory is the kernel's, in whole sticks."""
        if self.pinned is None or self.pinned.memory != memory.space:
            return (0, 0)
        low = self.pinned.address // memory.alignment * memory.alignment
        return low, memory.aligned(self.pinned.address + self.pinned.size)


def schedule_of(
    function: ir.Operation, analyses: Analyses, sink: diag.Sink | None = None, *, placed: bool = False
) -> Schedule | None:
    """What :func:`read` gives, or has given to a pass before, if that still holds. Without a ``sink`` nobody is told
    why there is none.
    """
    found = analyses.find(function, Schedule)
    if found is None or (placed and not found.is_placed):
        found = read(function, diag.Sink() if sink is None else sink, placed=placed)
        if found is not None:
            analyses.add(function, found)
    return found


def read(function: ir.Operation, sink: diag.Sink, *, placed: bool) -> Schedule | None:
    """The schedule of ``function`` (a ``func.func`` with a body); ``None`` after something was reported.

    ``placed``: buffers must have addresses. Otherwise those that have none are at 0.
    """
    reader = _Reader(function, sink, placed)
    reader.block(reader.entry, reader.schedule.program.body)
    return None if reader.refused else reader.finish()


class _Reader:
    """One reading of one function."""

    def __init__(self, function: ir.Operation, sink: diag.Sink, placed: bool) -> None:
        self.function = function
        self.sink = sink
        self.placed = placed
        self.refused = False
        self.entry = function.regions[0].blocks[0]
        self.addresses = Addresses(function)
        self.accesses = Accesses(self.addresses, self.refuse)
        self.values = self.addresses.values
        self.schedule = Schedule(function, Program(Block(ref=self.entry), ()), self.addresses)
        self.units: dict[str, int] = {}
        self.exchanges: list[UnitOp] = []
        self.posts: dict[str, list[tuple[Block, int, ir.Operation]]] = {}
        self.waits: dict[str, list[tuple[Block, int, ir.Operation]]] = {}

    def finish(self) -> Schedule:
        program = self.schedule.program
        self.schedule.pinned, self.schedule.exposed = self.accesses.pinned, self.accesses.exposed
        if self.exchanges:
            exchange(self.exchanges, program, self.accesses, kernels.tiles(self.function))
        program.units = tuple(self.units)
        self._pair_channels()
        return self.schedule

    def refuse(self, where: ir.Operation, id: str, message: str, field: str | None = None) -> None:
        self.refused = True
        self.sink.error(where, id, message, field)

    # Structure

    def block(self, block: ir.Block, into: Block) -> None:
        """Read the ops of ``block`` as items of ``into``."""
        self.addresses.blocks[block] = into
        for view in block.operations:
            op = view.operation
            name = op.name
            if isinstance(view, AllocOp):
                self._alloc(view, into)
            elif isinstance(view, DataTransferOp):
                self._item(op, [view.unit.value], self.accesses.transfer(view, into), into)
            elif isinstance(view, ChannelOp):
                self.schedule.channels[view.sym_name.value] = op
            elif isinstance(view, PostOp | WaitOp) and view.peer is not None:
                item = self._item(op, [unit_of(op) or ""], (), into)
                if view.alone is None:
                    self.exchanges.append(item)
            elif isinstance(view, PostOp | WaitOp):
                ends = self.posts if isinstance(view, PostOp) else self.waits
                ends.setdefault(view.channel.value, []).append((into, len(into.items), op))
            elif name == "scf.for":
                self._loop(op, into)
            elif name == "scf.if":
                self._branch(op, into)
            elif name == "scf.while":
                self._while(op, into)
            elif name == "memref.load":
                self._load(op, into)
            elif name.startswith("linalg.") and name != "linalg.yield":
                accesses = self.accesses.compute(op)
                if accesses is not None:
                    self._item(op, [unit_of(op) or ""], accesses, into)
            elif op.name not in VIEWS and not self._is_scalar(op):
                self.refuse(
                    op,
                    "unsupported-op",
                    f"'{name}' cannot be part of a schedule: it is no transfer, no compute on buffers, no loop, "
                    "no branch and no scalar op",
                )

    def _is_scalar(self, op: ir.Operation) -> bool:
        if op.name in ("func.return", "scf.condition", "scf.yield", TileIdOp.NAME):
            return True
        shaped = any(isinstance(value.type, ir.ShapedType) for value in (*op.operands, *op.results))
        return op.name in support.SCALAR_OPS and not shaped

    def _loop(self, op: ir.Operation, into: Block) -> None:
        self._handed_out(op)
        loop = Loop(into, len(into.items) + 1, op)
        low, high, step = (self.values.form(operand) for operand in list(op.operands)[:3])
        loop.trips = (low, high, step)
        span = self.values.interval(high - low)
        if step.is_constant and step.constant > 0:
            loop.min_trips = max(0, -(-span.low // step.constant))
            most = max(0, -(-span.high // step.constant))
            loop.max_trips = most if most < BOUNDED.high else None
        loops_of = self.addresses.loops_of
        self.schedule.varies[loop] = loops_of(low) | loops_of(high) | loops_of(step)
        body = op.regions[0].blocks[0]
        self.addresses.loops[body] = loop
        loop.body = Block((*into.loops, loop), loop, ref=body)
        self.block(body, loop.body)
        self._add(loop, into)

    def _branch(self, op: ir.Operation, into: Block) -> None:
        self._handed_out(op)
        branch = Branch(into, len(into.items) + 1, op)
        arms = []
        for region in op.regions:
            arm = Block(into.loops)
            for block in region.blocks:
                arm.ref = block
                self.block(block, arm)
            arms.append(arm)
        branch.arms = tuple(arms)
        self._add(branch, into)

    def _while(self, op: ir.Operation, into: Block) -> None:
        """The test is executed once more than the rest, which makes that a branch of it."""
        self._handed_out(op)
        loop = Loop(into, len(into.items) + 1, op, min_trips=1, counted=False)
        test, rest = (region.blocks[0] for region in op.regions)
        loop.body = Block((*into.loops, loop), loop, ref=test)
        self.schedule.varies[loop] = frozenset(loop.body.loops)
        self.block(test, loop.body)
        branch = Branch(loop.body, len(loop.body.items) + 1, condition_of(op))
        arm = Block(loop.body.loops, ref=rest)
        self.block(rest, arm)
        branch.arms = (arm, Block(loop.body.loops))
        self._add(branch, loop.body)
        self._add(loop, into)

    def _handed_out(self, op: ir.Operation) -> None:
        if any(not isinstance(result.type, ir.IntegerType | ir.IndexType) for result in op.results):
            message = f"{op.name} of a schedule hands out integers alone; what is in buffers stays there"
            self.refuse(op, "carried-value", message)

    def _load(self, op: ir.Operation, into: Block) -> None:
        """A read by each unit that needs the value."""
        needing = [unit for unit, part in self.slices.items() if op in part.ops]
        if needing:
            self._item(op, needing, self.accesses.buffer(op, op.operands[0], "memref", False, whole=False), into)

    @cached_property
    def slices(self) -> dict[str, Slice]:
        """What each unit executes."""
        return {unit: Slice(self.function, own) for unit, own in by_unit(self.function).items()}

    def _item(self, op: ir.Operation, names: Sequence[str], accesses: Sequence[Access], into: Block) -> UnitOp:
        numbers = tuple(self.units.setdefault(unit, len(self.units)) for unit in names)
        item = UnitOp(into, len(into.items) + 1, op, numbers, tuple(accesses))
        self._add(item, into)
        return item

    @staticmethod
    def _add(item: Item, into: Block) -> None:
        into.items.append(item)

    def _alloc(self, view: AllocOp, into: Block) -> None:
        memref = ir.MemRefType(view.result.type)
        try:
            size = math.prod(memref.shape) * element_bytes(memref.element_type)
        except UnknownType as error:
            self.refuse(view.operation, "unknown-type", str(error), "type(result)")
            size = 0
        has_address = view.address is not None and view.slot_bytes is not None
        if self.placed and not has_address:
            self.refuse(view.operation, "no-address", "the buffer has no address yet: run assign-addresses first")
        requested = 1 if view.depth is None else view.depth.value
        place = BufferPlace(
            name="buffer" if view.name_ is None else view.name_.value,
            address=0 if view.address is None else view.address.value,
            slot_bytes=0 if view.slot_bytes is None else view.slot_bytes.value,
            depth=effective_depth(requested, into, self.schedule.varies),
            size=size,
            loop=into.loops[-1] if into.loops else None,
            memory=buffers.memory_of(view.result),
        )
        self.accesses.buffers[view.result] = place
        self.schedule.allocations.append(Allocation(view.operation, into, place, requested, has_address))

    # Channels

    def _pair_channels(self) -> None:
        """Channels with one post and one wait in one block; others order nothing that the analysis could use."""
        for name, op in self.schedule.channels.items():
            if "peers" in op.attributes:
                continue
            posts, waits = self.posts.get(name, []), self.waits.get(name, [])
            if len(posts) != 1 or len(waits) != 1 or posts[0][0] is not waits[0][0]:
                continue
            view = ChannelOp(op)
            ends = [self.units.setdefault(end.value, len(self.units)) for end in (view.from_unit, view.to_unit)]
            (block, post, _), (_, wait, _) = posts[0], waits[0]
            block.channels.append(Channel(ends[0], ends[1], view.init.value, post, wait, name))
        self.schedule.program.units = tuple(self.units)
