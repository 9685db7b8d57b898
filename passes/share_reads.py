"""What several cores would load is loaded by one of them, which hands it around."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

from spyrec import ods
from spyrec.dialects import dataflow
from spyrec.mlir import arith, ir, scf
from spyrec.passes.analysis import buffers, kernels, ops, sharing, tables
from spyrec.passes.analysis.loop_costs import loop_costs
from spyrec.passes.analysis.same_boxes import SameBoxes
from spyrec.passes.analysis.sharing import Read, Share
from spyrec.passes.analysis.tile_costs import trips_of
from spyrec.passkit import UNCHANGED, Kept, Pass, PassContext, option


@dataclass
class ShareReads(Pass):
    """Load a box that several tiles read once for a group of them, and put it into the LX of all by multicasts.

    All cores share the bandwidth of device memory: weights that each of them loads arrive after as many times their
    bytes. One core of each group, its owner, loads them, puts them to the other members and says so to each. In a loop
    it first waits until all members have said that there is room. Tiles read the same box where the addresses, with
    their ids put in, are equal; groups are cut into smaller ones where waiting for many members takes longer than
    loading a few times more. All reads of a block that are shared are so at one place.

    IR before, on 32 tiles::

        scf.for %i = %c0 to %c8 step %c1 {
          %b = dataflow.alloc {name = "w"} : memref<64x128xf16, "lx">
          dataflow.data_transfer from @device[%o from %w] strides [128, 1] to %b {...} : memref<64x128xf16, "lx">

    IR after::

        dataflow.channel @w_ready from @ring to @ring {init = 0 : i64, peers}
        dataflow.channel @w_room from @ring to @ring {init = 1 : i64, peers}
        scf.for %i = %c0 to %c8 step %c1 {
          %b = dataflow.alloc {depth = 2 : i64, name = "w"} : memref<64x128xf16, "lx">
          %s = dataflow.alloc {name = "w_own"} : memref<64x128xf16, "lx">
          scf.if %is_owner {
            dataflow.data_transfer from @device[%o from %w] strides [128, 1] to %s {...} : memref<64x128xf16, "lx">
            scf.for %k = %c0 to %c32 step %c1 { dataflow.wait @w_room from %member {alone, unit = @ring} }
            dataflow.data_transfer from %s to %b put %first times 32 by 1 {unit = @ring, ...} : ...
            scf.for %k = %c0 to %c32 step %c1 { dataflow.post @w_ready to %member {alone, unit = @ring} }
          }
          dataflow.wait @w_ready from %owner about(%b : ...) {unit = @ring}
          dataflow.post @w_room to %owner about(%b : ...) {unit = @ring}

    A post comes after what stands before it: that of an iteration says that the buffer of the one before is free, so
    the next box is on its way while a core works on what it has, and the owner has loaded it already. Where LX has no
    room for that, the owner loads into its instance of the buffer, and there is one slot. Outside of loops boxes are
    loaded like that in pieces, of which one is put while the next is loaded. Nobody waits for room there, nor in a loop
    with no more iterations than slots.

    Leaves alone reads in branches, in loops that tiles or iterations around run a different number of times, at
    addresses out of memory, through lists of indices, or of groups that are no arithmetic progressions of tiles;
    kernels in which a tile may write what another one reads, since nothing orders the two, and kernels whose tiles
    exchange values themselves or name bytes of LX; devices without a ring; and all where that saves too
    little by the device's numbers. Refuses nothing.
    """

    anchor: ClassVar[str] = "func.func"
    optional: ClassVar[bool] = True

    percent: int = option(80, "reads are shared where they then take less than so much of the cycles")

    def run(self, op: ir.Operation, ctx: PassContext) -> Kept:
        device, tiles = ctx.device, kernels.tiles(op)
        route = sharing.around(device)
        if not kernels.has_body(op) or tiles < 2 or route is None or not sharing.is_open(op, ctx.analyses):
            return UNCHANGED
        lx, same = device.memory("lx"), SameBoxes(op)
        room = sharing.Room(op, lx.size, lx.alignment)
        iterations = loop_costs(op, ctx)
        places = []
        for block in sharing.bodies(op):
            around = kernels.owner(block)
            again = around != op
            outermost = again and kernels.parent(around) == op
            place = _Place(again, trips_of(around, same.values) if outermost else None)
            costs = sharing.Costs(device, route, tiles, block, iterations)
            for share in sharing.candidates(block, same, device):
                best = sharing.chosen(share, costs, room, len(place.shares), self.percent, again=again)
                if best is not None:
                    place.shares.append(best)
            if place.shares:
                places.append(place)
        names = _Names()
        for place in places:
            place.build(op.regions[0].blocks[0], route, names)
            ctx.statistics["reads shared"] += sum(len(share.reads) for share in place.shares)
        return None if places else UNCHANGED


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
    """Where all reads of a block are shared. ``again``: it is in a loop, so that members have to say when there is
    room, unless all iterations, at most ``trips`` of them, have slots of their own.
    """

    again: bool
    trips: int | None = None
    shares: list[Share] = field(default_factory=list)

    def build(self, entry: ir.Block, route: tuple[str, ...], names: _Names) -> None:
        """Load, put and post by owners; then wait by all. They give room before their compute."""
        before = self.shares[0].before
        rounds = [_Round(share, entry, route, names, self) for share in self.shares]
        for one in rounds:
            one.gather(before)
        with ir.InsertionPoint(before):
            for one in rounds:
                one.give(slots=1)
            for one in rounds:
                one.put()
            for one in rounds:
                one.wait()
            for one in rounds:
                one.give(slots=2)
        for share in self.shares:
            for read in share.reads:
                read.op.operation.erase()


class _Round:
    """The ops of one share; channels, and what each tile has to know, are made at the top of the function."""

    def __init__(self, share: Share, entry: ir.Block, route: tuple[str, ...], names: _Names, place: _Place) -> None:
        self.share, self.unit, self.again = share, route[1], place.again
        self.waits = place.again and (place.trips is None or place.trips > share.slots)
        self.location = location = share.reads[0].op.location
        self.boxes = [read.buffer.result for read in share.reads]
        stem, groups = _name(share.reads[0]), share.groups
        self.ready, self.room = (names.new(f"{stem}_{what}") for what in ("ready", "room"))
        with location, ir.InsertionPoint.at_block_begin(entry):
            self.route = ir.ArrayAttr.get([ir.StringAttr.get(kind) for kind in route])
            for name, init in ((self.ready, 0), (self.room, share.slots - 1))[: 1 + self.waits]:
                dataflow.ChannelOp.build(sym_name=name, from_unit=self.unit, to_unit=self.unit, init=init, peers=True)
            tile = dataflow.TileIdOp.build().result
            numbers = [groups.group_of(t) for t in range(len(groups.starts) * groups.size)]
            self.first = tables.look_up([groups.starts[g] for g in numbers], tile, location)
            self.target = tables.look_up([share.targets(g)[0] for g in numbers], tile, location)
            self.owner = tables.look_up([share.owner(g) for g in numbers], tile, location)
            self.is_owner = ops.compare(arith.CmpIPredicate.eq, tile, self.owner, location)
            self.bounds = [ops.index_constant(n, location) for n in (0, groups.size, 1)]

    def gather(self, before: ir.Operation) -> None:
        """Move what the reads need to where they are shared."""
        for read in self.share.reads:
            for op in (*read.makers, read.buffer.operation):
                op.move_before(before)
            if self.again:
                read.buffer.operation.attributes["depth"] = ops.i64(self.share.slots)

    def put(self) -> None:
        """What the owner does."""
        share, boxes = self.share, self.boxes
        held = boxes
        if share.keeps:
            held = [
                buffers.allocate(ir.MemRefType(read.buffer.result.type), f"{_name(read)}_own", read.op.location)
                for read in share.reads
            ]
        op = scf.IfOp(self.is_owner, [], loc=self.location).operation
        with ir.InsertionPoint(op.regions[0].blocks[0]):
            moves = [
                (piece, _part(box, start, size, read.op.location) if share.keeps else piece, read.op.location)
                for read, mine, box in zip(share.reads, held, boxes, strict=True)
                for start, size in _parts(box, 1 if share.keeps else read.pieces)
                for piece in [_loaded(read, mine, start, size)]
            ]
            if self.waits:
                self._members(
                    lambda peer: dataflow.WaitOp.build(channel=self.room, peer=peer, unit=self.unit, alone=True)
                )
            targets = len(share.targets(0))
            several = targets if targets > 1 else None
            for source, dest, location in moves:
                dataflow.DataTransferOp.build(
                    source=source,
                    dest=dest,
                    put_to=self.target,
                    members=several,
                    member_step=None if several is None else share.groups.step,
                    route=self.route,
                    unit=self.unit,
                    loc=location,
                )
            self._members(lambda peer: dataflow.PostOp.build(channel=self.ready, peer=peer, unit=self.unit, alone=True))
            scf.YieldOp([], loc=self.location)

    def wait(self) -> None:
        """Go on once the boxes are there."""
        with self.location:
            dataflow.WaitOp.build(channel=self.ready, peer=self.owner, about=self._about(), unit=self.unit)

    def give(self, *, slots: int) -> None:
        """Say that what stands before this is done with its buffer: before the boxes of this iteration come, or while
        there is another slot for them.
        """
        if self.waits and self.share.slots == slots:
            with self.location:
                dataflow.PostOp.build(channel=self.room, peer=self.owner, about=self._about(), unit=self.unit)

    def _about(self) -> list[ir.Value]:
        """The boxes, where an op can name so many; it speaks of all buffers else."""
        return list(self.boxes) if len(self.boxes) <= ods.MIXED_LIMIT else []

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


def _parts(box: ir.Value, count: int) -> list[tuple[int, int]]:
    """Where each piece of the first dimension starts, and how far it reaches; of all of it (0, 0)."""
    if count == 1:
        return [(0, 0)]
    extent = ir.MemRefType(box.type).shape[0]
    starts = [extent * k // count for k in range(count + 1)]
    return [(start, end - start) for start, end in itertools.pairwise(starts)]


def _part(box: ir.Value, start: int, size: int, location: ir.Location) -> ir.Value:
    """A piece of a buffer."""
    if not size:
        return box
    shape = list(ir.MemRefType(box.type).shape)
    return ops.subview(box, [start, *(0 for _ in shape[1:])], [size, *shape[1:]], location)


def _loaded(read: Read, into: ir.Value, start: int, size: int) -> ir.Value:
    """A piece of ``into``, which the owner loads."""
    op, location = read.op, read.op.location
    piece = _part(into, start, size, location)
    copy = op.operation.clone()
    for number, operand in enumerate(copy.operands):
        if operand == read.buffer.result:
            copy.operands[number] = piece
    if start:
        strides = op.source_strides
        assert strides is not None
        assert op.source_offset is not None
        move = ir.AffineMap.get(1, 0, [ir.AffineExpr.get_dim(0) + start * strides[0]])
        with ir.InsertionPoint(copy):
            offset = ops.apply(move, [op.source_offset], location)
        at = 0 if op.source_base is None else 1
        assert copy.operands[at] == op.source_offset
        copy.operands[at] = offset
    return piece


def _name(read: Read) -> str:
    return buffers.UNNAMED if read.buffer.name_ is None else read.buffer.name_.value
