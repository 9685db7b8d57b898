"""Reads that groups of tiles could share: which ones, how, and what it takes by the device's numbers.

One tile of each group, the owner, loads a box and puts it to the others. In a loop a round begins when the members have
room, and they have it a round ahead where their buffers have two slots.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from spyrec.device import cost
from spyrec.device.model import Device
from spyrec.dialects import dataflow
from spyrec.mlir import ir
from spyrec.passes.analysis import buffers, kernels, reach, support
from spyrec.passes.analysis.between_cores import is_apart
from spyrec.passes.analysis.loop_costs import LoopCosts, transferred
from spyrec.passes.analysis.same_boxes import Groups, SameBoxes
from spyrec.passes.analysis.schedule import schedule_of
from spyrec.passes.analysis.tile_costs import SLOTS
from spyrec.passkit import Analyses

_AROUND = 2
"""Scalar instructions of one post or wait in a loop over cores."""

_PIECE = 4096
"""Bytes of a box that are worth a transfer of their own."""

_PIECES = 8
"""In how many pieces a box is loaded at most, so that one is put while the next is loaded."""

_LOOPS = ("scf.for", "scf.while")


@dataclass(frozen=True)
class Read:
    """A transfer that fills all of a new buffer. ``makers`` are scalar ops that it needs and that have to move with it
    to where the first read of its block stands. ``moved``: bytes of device memory that move for it.
    """

    op: dataflow.DataTransferOp
    buffer: dataflow.AllocOp
    makers: tuple[ir.Operation, ...]
    moved: int

    @property
    def bytes(self) -> int:
        """What one instance takes of LX."""
        return buffers.size(self.buffer.result.type)

    @property
    def pieces(self) -> int:
        """In how many pieces of its first dimension it can be loaded."""
        shape = ir.MemRefType(self.buffer.result.type).shape
        if self.op.static_lower is not None or self.op.source_dyn_strides or not shape:
            return 1
        return max(1, min(_PIECES, shape[0], self.bytes // _PIECE))


@dataclass(frozen=True)
class Share:
    """Reads of one block that the same groups of tiles share, put where ``before`` stands.

    Member number ``place`` of a group is its owner. Where it ``keeps`` a buffer of its own to load into, it loads
    ahead; else it loads into its instance of the buffer. ``slots`` of the buffers are 0 outside of loops, where nothing
    comes after.
    """

    before: ir.Operation
    groups: Groups
    reads: tuple[Read, ...]
    place: int = 0
    slots: int = 0
    keeps: bool = False

    def owner(self, group: int) -> int:
        """The tile that loads for a group."""
        return self.groups.members(group)[self.place]

    def targets(self, group: int) -> range:
        """The tiles that an owner puts to."""
        members = self.groups.members(group)
        if self.keeps:
            return members
        return members[1:] if self.place == 0 else members[:-1]

    @property
    def pieces(self) -> int:
        """In how many pieces the reads are done together."""
        return 1 if self.keeps else sum(read.pieces for read in self.reads)


class Costs:
    """How long a block takes with and without sharing."""

    def __init__(
        self, device: Device, route: tuple[str, ...], tiles: int, block: ir.Block, iterations: LoopCosts
    ) -> None:
        self.device, self.route, self.tiles = device, route, tiles
        loop = kernels.owner(block)
        found = iterations.of(loop) if loop.name == "scf.for" else None
        self.known = found is not None
        self.compute, self.moving = (0.0, 0.0) if found is None else (found.cut, found.moving)

    def saved(self, share: Share) -> float:
        """Cycles of an iteration, or of the reads, that are saved when owners load."""
        alone, load = self.traffic(share), self._load(share, len(share.groups.starts))
        put = self._put(share)
        if not share.slots:
            # The last piece is put when all are loaded; pieces before it are then on their way already.
            return alone - max(load, put) - min(load, put) / share.pieces
        others = max(0.0, self.moving - alone)
        before = max(self.compute, others + alone)
        if share.slots == 1:
            return before - (self.compute + others + load + put)
        return before - max(self.compute, others + load, put, (self.compute + load + put) / 2)

    def traffic(self, share: Share) -> float:
        """Cycles that device memory is busy with a share when each tile loads for itself."""
        return self._load(share, self.tiles)

    def take(self, share: Share) -> None:
        """Count on ``share`` from now on."""
        self.moving = max(0.0, self.moving - self.traffic(share)) + self._load(share, len(share.groups.starts))

    def _load(self, share: Share, times: int) -> float:
        return cost.device_share_cycles(self.device, times * sum(read.moved for read in share.reads))

    def _put(self, share: Share) -> float:
        """From when the owner has the boxes, and the last member room, to when all have them."""
        timing, groups = self.device.timing, share.groups
        trees = [(share.owner(g), share.targets(g)) for g in range(len(groups.starts))]
        put = cost.multicast_cycles(self.device, self.route, sum(read.bytes for read in share.reads), trees)
        posts = timing.post_latency + groups.size * _AROUND * timing.scalar_cycles
        return put + posts * (2 if share.slots else 1)


class Room:
    """What buffers take of LX, of those in loops as many slots as units need to run ahead of one another."""

    def __init__(self, function: ir.Operation, size: int, aligned: int) -> None:
        self.size, self.aligned = size, aligned
        self.slots = {
            buffer.result: SLOTS if any(op.name in _LOOPS for op in kernels.around(buffer.operation, function)) else 1
            for buffer in buffers.allocations(function)
            if buffers.is_in_lx(buffer.result)
        }
        self.fixed: set[ir.Value] = set()
        self.kept = 0

    def has(self, share: Share) -> bool:
        """Whether there is room for a share; then it is taken. Where its buffers need one slot alone, there may be one
        for each of the others.
        """
        own = {read.buffer.result: max(1, share.slots) for read in share.reads}
        kept = self.kept + sum(self._bytes(v, SLOTS) for v in own if share.keeps)
        few = {v: 1 for v in self.slots if v not in self.fixed}
        for slots in (self.slots | own, self.slots | few | own)[: 1 if share.slots == SLOTS else 2]:
            if kept + sum(self._bytes(value, count) for value, count in slots.items()) <= self.size:
                self.slots, self.kept = slots, kept
                self.fixed |= set(own)
                return True
        return False

    def _bytes(self, value: ir.Value, slots: int) -> int:
        return -(-buffers.size(value.type) // self.aligned) * self.aligned * slots


def around(device: Device) -> tuple[str, ...] | None:
    """The route from LX to that of other cores; ``None`` where there is none."""
    lx = device.memory("lx").kind
    there = {(link.source, link.target) for link in device.links}
    kinds = [unit.kind for unit in device.units.values() if unit.role == "ring"]
    return next(((lx, kind, lx) for kind in kinds if {(lx, kind), (kind, lx)} <= there), None)


def is_open(function: ir.Operation, analyses: Analyses) -> bool:
    """Whether no core waits for another one, all of LX is the compiler's, and no core reads memory that another one may
    write.
    """
    ends: dict[str, set[ir.Value | None]] = {"source": set(), "dest": set()}
    for view in kernels.views(function, dataflow.ChannelOp, dataflow.DataTransferOp):
        if isinstance(view, dataflow.ChannelOp) or view.get_from is not None or view.put_to is not None:
            return False
        for side, bases in ends.items():
            space = getattr(view, f"{side}_space")
            if space is not None and space.value == dataflow.LX:
                return False
            if space is not None:
                bases.add(getattr(view, f"{side}_base"))
    met = [(a, b) for a in ends["source"] for b in ends["dest"] if reach.may_meet(a, b)]
    if not met:
        return True
    # What is both read and written has to be one argument that meets no other, of which each core has bytes of its own.
    arguments = [reach.argument_of(a) if a is not None and b is not None and a == b else None for a, b in met]
    schedule = None if any(one is None for one in arguments) else schedule_of(function, analyses)
    tiles = kernels.tiles(function)
    return schedule is not None and all(
        one is not None and is_apart(one.arg_number, schedule.program, schedule.addresses, tiles) for one in arguments
    )


def candidates(block: ir.Block, same: SameBoxes, device: Device) -> list[Share]:
    """The reads of a block that tiles could share, by groups."""
    body = [view.operation for view in block.operations]
    if not same.marches(body[0]):
        return []
    order = {op: number for number, op in enumerate(body)}
    first: ir.Operation | None = None
    found: dict[Groups, list[Read]] = {}
    for op in body:
        view = op.opview
        if not isinstance(view, dataflow.DataTransferOp):
            continue
        buffer = _filled(view, order)
        groups = None if buffer is None else same.groups(view)
        if buffer is None or groups is None:
            continue
        first = first or op
        makers = _makers(op, order, order[first])
        if makers is not None:
            found.setdefault(groups, []).append(Read(view, buffer, makers, transferred(view, device)))
    return [] if first is None else [Share(first, groups, tuple(reads)) for groups, reads in found.items()]


def ways(share: Share, costs: Costs, number: int, *, again: bool) -> Iterator[Sequence[Share]]:
    """Ways to share, the better ones first: each among groups of all sizes. ``again``: it is in a loop. ``number`` is
    how many others there are in the same place, whose owners had better be other ones.
    """
    sizes = [n for n in range(2, share.groups.size + 1) if share.groups.size % n == 0]
    parted = [replace(share, groups=share.groups.parted(n)) for n in sizes]
    ends = [replace(one, place=(number % 2) * (one.groups.size - 1)) for one in parted]
    if not again:
        yield ends
        return
    middle = [replace(one, place=(one.groups.size // 2 + number) % one.groups.size, keeps=True) for one in parted]
    yield [replace(one, slots=SLOTS) for one in middle]
    yield [replace(one, slots=SLOTS) for one in ends]
    if costs.known:  # else nobody knows how long the next box has to wait
        yield [replace(one, slots=1) for one in ends]


def chosen(share: Share, costs: Costs, room: Room, number: int, percent: int, *, again: bool) -> Share | None:
    """The first way for which there is room, among the groups for which it saves most; ``None`` when what is saved is
    too little: after it the reads have to take less than ``percent`` of the time that they take alone.
    """
    for way in ways(share, costs, number, again=again):
        best = max(way, key=lambda one: (costs.saved(one), -len(one.groups.starts)))
        if costs.saved(best) * 100 > (100 - percent) * costs.traffic(best) and room.has(best):
            costs.take(best)
            return best
    return None


def _filled(view: dataflow.DataTransferOp, order: Mapping[ir.Operation, int]) -> dataflow.AllocOp | None:
    """The buffer of its block that a transfer fills with a box of device memory, before anything else uses it."""
    if view.space("source") != "device" or view.source is not None or view.dest is None or view.indices:
        return None
    if view.static_lower is not None and view.fill is None:
        return None
    maker = kernels.defining(view.dest)
    buffer = None if maker is None else maker.opview
    if not isinstance(buffer, dataflow.AllocOp) or buffer.operation not in order or not buffers.is_in_lx(buffer.result):
        return None
    if buffer.depth is not None or 0 in ir.MemRefType(buffer.result.type).shape:
        return None
    others = (use.owner.operation for use in buffer.result.uses if use.owner.operation != view.operation)
    at = order[view.operation]
    return buffer if all(order[_in_block(other, order)] > at for other in others) else None


def _in_block(op: ir.Operation, order: Mapping[ir.Operation, int]) -> ir.Operation:
    """The op of the block that ``op`` is, or is inside of."""
    while op not in order:
        outer = kernels.parent(op)
        assert outer is not None
        op = outer
    return op


def _makers(op: ir.Operation, order: Mapping[ir.Operation, int], first: int) -> tuple[ir.Operation, ...] | None:
    """The scalar ops behind number ``first`` that make the operands of ``op``, in order; ``None`` if others do."""
    found: dict[ir.Operation, None] = {}

    def visit(at: ir.Operation) -> bool:
        for value in at.operands:
            maker = kernels.defining(value)
            if maker is None or order.get(maker, -1) <= first or maker in found:
                continue
            if isinstance(maker.opview, dataflow.AllocOp):
                continue
            if maker.name not in support.SCALAR_OPS or not visit(maker):
                return False
            found[maker] = None
        return True

    return tuple(found) if visit(op) else None


def bodies(function: ir.Operation) -> Iterable[ir.Block]:
    """The block of the function and those of its loops."""
    loops = [inner for inner in kernels.steps(function) if inner.name == "scf.for"]
    return [function.regions[0].blocks[0], *(loop.regions[0].blocks[0] for loop in loops)]
