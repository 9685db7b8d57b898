"""What several cores would load is loaded by one of them, which hands it around."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

from spyrec import numerics
from spyrec.device import cost, routes
from spyrec.device.model import Device
from spyrec.dialects import dataflow
from spyrec.mlir import arith, ir, scf
from spyrec.ods.checks import DYNAMIC
from spyrec.passes.analysis import buffers, kernels, ops, reach, support, tables
from spyrec.passes.analysis.same_boxes import Groups, SameBoxes
from spyrec.passes.analysis.tile_costs import SLOTS
from spyrec.passkit import Pass, PassContext, option

_DEVICE = "device"

_AROUND = 2
"""Scalar instructions around one post or wait in a loop over cores."""


@dataclass
class ShareReads(Pass):
    """Load a box that several tiles read once for a group of them, and put it into the LX of all by one multicast.

    All cores share the bandwidth of device memory: weights that each of them loads arrive after as many times their
    bytes. One core of each group, its owner, loads them into a buffer of its own. When all members have said that the
    slot of their buffers is free, it puts the box into all of these at once, and says so to each. Tiles read the same
    box where the addresses, with their ids put in, are equal; groups are cut into smaller ones where waiting for many
    members takes longer than loading a few times more. All reads of a block that are shared are so at one place.

    IR before, on 32 tiles::

        scf.for %i = %c0 to %c8 step %c1 {
          %b = dataflow.alloc {name = "w"} : memref<64x128xf16, "lx">
          dataflow.data_transfer from @device[%o from %w] strides [128, 1] to %b {...} : memref<64x128xf16, "lx">

    IR after::

        dataflow.channel @w_ready from @ring to @ring {init = 0 : i64, peers}
        dataflow.channel @w_free from @ring to @ring {init = 1 : i64, peers}
        scf.for %i = %c0 to %c8 step %c1 {
          %b = dataflow.alloc {depth = 2 : i64, name = "w"} : memref<64x128xf16, "lx">
          %s = dataflow.alloc {name = "w_shared"} : memref<64x128xf16, "lx">
          scf.if %is_owner {
            dataflow.data_transfer from @device[%o from %w] strides [128, 1] to %s {...} : memref<64x128xf16, "lx">
            scf.for %k = %c0 to %c32 step %c1 { dataflow.wait @w_free from %member {unit = @ring} }
            dataflow.data_transfer from %s to %b put %first times 32 by 1 {unit = @ring, ...} : ...
            scf.for %k = %c0 to %c32 step %c1 { dataflow.post @w_ready to %member {unit = @ring} }
          }
          dataflow.wait @w_ready from %owner {unit = @ring}
          dataflow.post @w_free to %owner {unit = @ring}

    A post comes after all that stands before it: that of an iteration says that the buffer of the one before is free,
    so what comes next is on its way while a core works on what it has.

    Leaves alone reads under control that tiles may take differently or that data decides, at addresses out of memory,
    through lists of indices, or of groups that are no arithmetic progressions of tiles; kernels that write memory which
    they may read, since nothing orders a core's write and another's read, and kernels whose tiles exchange values
    themselves; what does not fit into LX in addition; devices without a ring; and all where loading is quicker by the
    device's numbers. ``gain`` is how many cycles a shared read has to save. Refuses nothing.
    """

    anchor: ClassVar[str] = "func.func"
    optional: ClassVar[bool] = True

    gain: int = option(0, "cycles that sharing has to save beyond what it costs")

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        device, tiles = ctx.device, kernels.tiles(op)
        route = _around(device)
        if not kernels.has_body(op) or tiles < 2 or route is None or not _is_open(op):
            return
        lx = device.memory("lx")
        costs = _Costs(device, route, tiles)
        taken = (buffer.result for buffer in buffers.allocations(op) if buffers.is_in_lx(buffer.result))
        room = lx.size - sum(lx.aligned(buffers.size(value.type)) * SLOTS for value in taken)
        same = SameBoxes(op)
        places = []
        for block in [op.regions[0].blocks[0], *_bodies(op)]:
            place = _Place(block)
            for share in _shares(block, same, device):
                best = costs.best(share, len(place.shares), self.gain)
                needed = sum(lx.aligned(read.bytes) * SLOTS for read in share.reads)
                if best is not None and needed <= room:
                    room -= needed
                    place.shares.append(best)
            if place.shares:
                places.append(place)
        names = _Names()
        for place in places:
            place.build(op, costs.route, names)
            ctx.statistics["reads shared"] += sum(len(share.reads) for share in place.shares)


@dataclass(frozen=True)
class _Read:
    """A transfer that fills all of a new buffer. ``makers`` are scalar ops that it needs and that have to move with it
    to where the first read of its block stands.
    """

    op: dataflow.DataTransferOp
    buffer: dataflow.AllocOp
    makers: tuple[ir.Operation, ...]
    moved: int
    """Bytes of device memory that move for it."""

    @property
    def bytes(self) -> int:
        """What one instance takes of LX."""
        return buffers.size(self.buffer.result.type)


@dataclass(frozen=True)
class _Share:
    """Reads of one block that the same groups of tiles share; ``place`` is the owner's among the members."""

    before: ir.Operation
    groups: Groups
    reads: tuple[_Read, ...]
    place: int = 0

    def owner(self, group: int) -> int:
        """The tile that loads for a group."""
        return self.groups.members(group)[self.place]


@dataclass(frozen=True)
class _Costs:
    """Whether sharing pays, and among how many, by the device's numbers."""

    device: Device
    route: tuple[str, ...]
    tiles: int

    def best(self, share: _Share, number: int, gain: int) -> _Share | None:
        """``share`` among the groups for which it is the quickest; ``None`` when each tile had better load for itself.
        ``number`` is how many others there are in the same place, whose owners had better be other ones.
        """
        sizes = [n for n in range(2, share.groups.size + 1) if share.groups.size % n == 0]
        found = [replace(share, groups=share.groups.parted(n), place=(n // 2 + number) % n) for n in sizes]
        best = min(found, key=self._cycles)
        moved = sum(read.moved for read in share.reads)
        alone = cost.device_share_cycles(self.device, self.tiles * moved)
        return best if alone - self._cycles(best) > gain else None

    def _cycles(self, share: _Share) -> int:
        """From when the last member has room to when all members have the boxes."""
        timing, groups = self.device.timing, share.groups
        count = len(groups.starts)
        trees = [(share.owner(g), groups.members(g)) for g in range(count)]
        load = cost.device_share_cycles(self.device, count * sum(read.moved for read in share.reads))
        put = cost.multicast_cycles(self.device, self.route, sum(read.bytes for read in share.reads), trees)
        return load + put + 2 * (timing.post_latency + groups.size * _AROUND * timing.scalar_cycles)


def _around(device: Device) -> tuple[str, ...] | None:
    """The route from LX to that of other cores; ``None`` where there is none."""
    lx = device.memory("lx").kind
    there = {(link.source, link.target) for link in device.links}
    kinds = [unit.kind for unit in device.units.values() if unit.role == "ring"]
    return next(((lx, kind, lx) for kind in kinds if {(lx, kind), (kind, lx)} <= there), None)


def _is_open(function: ir.Operation) -> bool:
    """Whether no core waits for another one, all of LX is the compiler's, and no memory is read that may be written."""
    ends: dict[str, set[ir.Value | None]] = {"source": set(), "dest": set()}
    for inner in kernels.walk(function):
        view = inner.opview
        if isinstance(view, dataflow.ChannelOp):
            return False
        if not isinstance(view, dataflow.DataTransferOp):
            continue
        if view.get_from is not None or view.put_to is not None:
            return False
        for side, bases in ends.items():
            space = getattr(view, f"{side}_space")
            if space is not None and space.value != _DEVICE:
                return False
            if space is not None:
                bases.add(getattr(view, f"{side}_base"))
    return not any(reach.may_meet(a, b) for a in ends["source"] for b in ends["dest"])


def _bodies(function: ir.Operation) -> Iterator[ir.Block]:
    """The blocks of all loops."""
    for inner in kernels.walk(function):
        if inner.name == "scf.for":
            yield inner.regions[0].blocks[0]


def _shares(block: ir.Block, same: SameBoxes, device: Device) -> list[_Share]:
    """The reads of a block that tiles could share, by groups."""
    body = [view.operation for view in block.operations]
    if not same.marches(body[0]):
        return []
    order = {op: number for number, op in enumerate(body)}
    first: ir.Operation | None = None
    found: dict[Groups, list[_Read]] = {}
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
            found.setdefault(groups, []).append(_Read(view, buffer, makers, _moved(view, buffer, device)))
    return [] if first is None else [_Share(first, groups, tuple(reads)) for groups, reads in found.items()]


def _filled(view: dataflow.DataTransferOp, order: Mapping[ir.Operation, int]) -> dataflow.AllocOp | None:
    """The buffer of its block that a transfer fills with a box of device memory, before anything else uses it."""
    if view.source_space is None or view.source_space.value != _DEVICE or view.dest is None or view.indices:
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
        around = kernels.parent(op)
        assert around is not None
        op = around
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


def _moved(view: dataflow.DataTransferOp, buffer: dataflow.AllocOp, device: Device) -> int:
    """Bytes of device memory that move for a read, along its route."""
    type_ = ir.MemRefType(buffer.result.type)
    element = numerics.sizeof(str(type_.element_type))
    route = tuple(ir.StringAttr(kind).value for kind in view.route)
    grain = cost.grain(routes.links(device, route), device.memory("device").alignment)
    strides = [grain if stride == DYNAMIC else stride * element for stride in view.source_strides or ()]
    return cost.moved_bytes(0, list(type_.shape), strides, element, grain)


@dataclass
class _Names:
    """Names that channels have already."""

    taken: set[str] = field(default_factory=set)

    def new(self, stem: str) -> str:
        """``stem``, with a number where it is taken."""
        name, number = stem, 1
        while name in self.taken:
            name, number = f"{stem}_{number}", number + 1
        self.taken.add(name)
        return name


@dataclass
class _Place:
    """Where all reads of a block are shared."""

    block: ir.Block
    shares: list[_Share] = field(default_factory=list)

    def build(self, function: ir.Operation, route: tuple[str, ...], names: _Names) -> None:
        """Load, put and post by owners; then wait, and give room, by all."""
        before = self.shares[0].before
        again = kernels.owner(self.block) != function
        entry = function.regions[0].blocks[0]
        handed = [_Handed(share, route, again, names) for share in self.shares]
        for one in handed:
            one.prepare(entry)
            one.gather(before)
        with ir.InsertionPoint(before):
            for one in handed:
                one.put()
            for one in handed:
                one.wait()
            for one in handed if again else ():
                one.give()
        for share in self.shares:
            for read in share.reads:
                read.op.operation.erase()


class _Handed:
    """The ops of one share. ``again``: it is in a loop, so that members have to say when there is room."""

    def __init__(self, share: _Share, route: tuple[str, ...], again: bool, names: _Names) -> None:
        self.share, self.unit, self.again = share, route[1], again
        self.location = share.reads[0].op.location
        stem = _name(share.reads[0])
        self.ready, self.room = (names.new(f"{stem}_{what}") for what in ("ready", "room"))
        self.route = ir.ArrayAttr.get([ir.StringAttr.get(kind) for kind in route])

    def prepare(self, entry: ir.Block) -> None:
        """Channels, and what each tile has to know, at the top of the function."""
        groups, location = self.share.groups, self.location
        with location, ir.InsertionPoint.at_block_begin(entry):
            for name, init in ((self.ready, 0), (self.room, SLOTS - 1))[: 1 + self.again]:
                dataflow.ChannelOp.build(sym_name=name, from_unit=self.unit, to_unit=self.unit, init=init, peers=True)
            tile = dataflow.TileIdOp.build().result
            numbers = [groups.group_of(t) for t in range(len(groups.starts) * groups.size)]
            self.first = tables.look_up([groups.starts[g] for g in numbers], tile, location)
            self.owner = tables.look_up([self.share.owner(g) for g in numbers], tile, location)
            self.is_owner = ops.compare(arith.CmpIPredicate.eq, tile, self.owner, location)
            self.bounds = [ops.index_constant(n, location) for n in (0, groups.size, 1)]

    def gather(self, before: ir.Operation) -> None:
        """Move what the reads need to where they are shared."""
        for read in self.share.reads:
            for op in (*read.makers, read.buffer.operation):
                op.move_before(before)
            if self.again:
                read.buffer.operation.attributes["depth"] = ops.i64(SLOTS)

    def put(self) -> None:
        """What the owner does."""
        groups, location = self.share.groups, self.location
        sources = [
            buffers.allocate(ir.MemRefType(read.buffer.result.type), f"{_name(read)}_own", read.op.location)
            for read in self.share.reads
        ]
        op = scf.IfOp(self.is_owner, [], loc=location).operation
        with ir.InsertionPoint(op.regions[0].blocks[0]):
            for read, source in zip(self.share.reads, sources, strict=True):
                copy = read.op.operation.clone()
                for number, operand in enumerate(copy.operands):
                    if operand == read.buffer.result:
                        copy.operands[number] = source
            if self.again:
                self._members(
                    lambda peer: dataflow.WaitOp.build(channel=self.room, peer=peer, unit=self.unit, alone=True)
                )
            for read, source in zip(self.share.reads, sources, strict=True):
                dataflow.DataTransferOp.build(
                    source=source,
                    dest=read.buffer.result,
                    put_to=self.first,
                    members=groups.size,
                    member_step=groups.step,
                    route=self.route,
                    unit=self.unit,
                    loc=read.op.location,
                )
            self._members(lambda peer: dataflow.PostOp.build(channel=self.ready, peer=peer, unit=self.unit, alone=True))
            scf.YieldOp([], loc=location)

    def wait(self) -> None:
        """Go on once the boxes are there."""
        with self.location:
            dataflow.WaitOp.build(channel=self.ready, peer=self.owner, unit=self.unit)

    def give(self) -> None:
        """Say that what stands before this is done with its buffer."""
        with self.location:
            dataflow.PostOp.build(channel=self.room, peer=self.owner, unit=self.unit)

    def _members(self, make: Callable[[ir.Value], object]) -> None:
        """A loop over the members."""
        with self.location:
            loop = scf.ForOp(*self.bounds).operation
            block = loop.regions[0].blocks[0]
            step = ir.AffineExpr.get_dim(1) * self.share.groups.step
            map_ = ir.AffineMap.get(2, 0, [ir.AffineExpr.get_dim(0) + step])
            with ir.InsertionPoint(block):
                make(ops.apply(map_, [self.first, block.arguments[0]], self.location))
                scf.YieldOp([])


def _name(read: _Read) -> str:
    return buffers.UNNAMED if read.buffer.name_ is None else read.buffer.name_.value
