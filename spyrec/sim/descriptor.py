"""Transfers with a clip, with lists of indices, or to and from other cores: ``xfer`` as a step, in its full form.

The nested counts fall into two parts: outer ones that a list of indices depends on, walked point by point, and inner
ones that are one box per point. A transfer without lists is one box. As in :mod:`spyrec.sim.transfer` the bytes move
when the instruction is issued.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from spyrec.device.model import Link
from spyrec.device.ring import tree
from spyrec.isa import LX, End, Index, Instruction, LxOperand, Xfer
from spyrec.sim.boxes import MAX_PIECES, Box, box
from spyrec.sim.elements import Elements, low_bytes
from spyrec.sim.faults import UnitStops
from spyrec.sim.memories import Local
from spyrec.sim.operands import device_address, local_address
from spyrec.sim.shadow import Bytes, Shadow
from spyrec.sim.traffic import TransferCounter
from spyrec.sim.transfer import WORDS, boxes, copier, meet, moved_bytes, path, xfer
from spyrec.sim.units import BLOCKED, Flight, Step, Unit
from spyrec.sim.world import Site

Offsets = npt.NDArray[np.int64]


def move(site: Site, instruction: Instruction) -> Step:
    """The step of any transfer. Raises ``InvalidKernel`` when the device has no such path."""
    assert isinstance(instruction, Xfer)
    if instruction.outside or instruction.indices or instruction.remote:
        return special(site, instruction)
    return xfer(site, instruction)


def special(site: Site, instruction: Xfer) -> Step:
    """The step of a transfer that is not plain. Raises ``InvalidKernel`` when the device has no such path."""
    world, index, following, cycles = site.world, site.index, site.index + 1, site.cycles
    timing, engine = world.device.timing, world.engine
    latencies = engine.latencies
    spaces = world.binary.memory(instruction.source), world.binary.memory(instruction.dest)
    links = path(world.device, site.program.kind, *spaces)
    cap, latency = min(link.bandwidth for link in links), sum(link.latency for link in links)
    shared = "device" in spaces
    mine = world.traffic.transfer(site.program.label, index) if shared else TransferCounter()
    link_counters = world.traffic.along(links)
    reads = spaces[0] == "device"
    everything = tuple(n for d in instruction.dims for n in (0, d.count))
    sides = (
        _Side(site, instruction.source, links, writes=False),
        _Side(site, instruction.dest, links, writes=True),
    )
    clip = _Clip(instruction)
    plans: dict[tuple[int, ...], _Plan] = {}
    fill = _Fill(instruction) if instruction.outside == "fill" else None

    def step(unit: Unit) -> int:
        if not unit.slot_free() or (instruction.indices and not unit.drained()):
            unit.pc = index
            return BLOCKED
        peers = _peers(unit, instruction, world.binary.tiles)
        source = world.scratchpads[peers[0]] if instruction.remote == "get" else sides[0].local(unit)
        put = instruction.remote == "put"
        targets = [world.scratchpads[peer] for peer in peers] if put else [sides[1].local(unit)]
        region = clip.region(unit)
        plan = plans.get(region)
        if plan is None:
            plan = plans[region] = _Plan(site, instruction, region)
        moved_in, moved_out = _moved(unit, plan, sides, source, targets, fill)
        unit.time += cycles
        size = max(moved_in, moved_out)
        mine.clipped += region != everything
        mine.asked += plan.bytes
        mine.moved += moved_in if reads else moved_out
        mine.filled += max(0, moved_out - moved_in) if reads else 0
        for counter in link_counters:
            cores = len(targets) if counter is link_counters[-1] else 1  # the last link is that of each target
            counter.asked += cores * plan.bytes
            counter.within += 0 if shared else cores * plan.bytes
            counter.moved += cores * size
        path_links, hops = _way(unit, instruction, peers, world.device.cores)
        world.traffic.over_ring(path_links, size)
        volume, rate = latencies.flow(size, cap)
        ready = unit.time + latencies.cycles(timing.transfer_startup)
        delay = latency + hops * timing.hop_latency
        flight = Flight(unit, index, volume, rate, shared, unit.time, ready, latencies.cycles(delay))
        flight.ring = path_links
        engine.issue(flight)
        return following

    return step


@dataclass(frozen=True)
class _Fill:
    """What points outside of the clip become: ``pattern`` goes to the ``whole`` box first."""

    instruction: Xfer

    @functools.cached_property
    def whole(self) -> Box:
        """The destination's box without its clip."""
        return boxes(self.instruction)[1]

    @functools.cached_property
    def pattern(self) -> Any:
        """One element."""
        return WORDS[self.instruction.element_bytes].type(self.instruction.pattern)


def _moved(
    unit: Unit, plan: _Plan, sides: tuple[_Side, _Side], source: Local, targets: Sequence[Local], fill: _Fill | None
) -> tuple[int, int]:
    """Make the transfer; how many bytes move from the source, and to each of ``targets``.

    What is read is read once, however many members of a multicast it goes to.
    """
    moved_in = moved_out = 0
    filled: list[tuple[Bytes, int]] = []
    if fill is not None:
        for target in targets:
            data, at, moved_out = sides[1].fill(unit, target, fill)
            filled.append((data, at))
    places: list[tuple[int, int]] = []
    for source_at, dest_at in plan.points(unit):
        data, place, moved = sides[0].touch(unit, source, plan.source, source_at)
        moved_in += moved
        if fill is not None and any(data is to and meet(plan.source, place, fill.whole, at) for to, at in filled):
            raise _onto_itself()
        for number, target in enumerate(targets):
            to_data, to_place, moved = sides[1].touch(unit, target, plan.dest, dest_at)
            moved_out += 0 if number else moved
            if data is to_data:
                places.append((place, to_place))
            plan.copy(data, place, to_data, to_place)
            sides[1].settle(dest_at)
    if plan.meet(places):
        raise _onto_itself()
    return moved_in, moved_out


def _peers(unit: Unit, instruction: Xfer, tiles: int) -> list[int]:
    """The other cores that take part."""
    if not instruction.remote:
        return []
    assert instruction.peer is not None
    first = unit.regs[instruction.peer]
    peers = [first + k * instruction.member_step for k in range(instruction.members)]
    for peer in peers:
        if not 0 <= peer < tiles:
            raise UnitStops(
                "no-such-core", f"{instruction.remote} names core {peer}; the program runs on {tiles} cores"
            )
    return peers


def _way(unit: Unit, instruction: Xfer, peers: Sequence[int], cores: int) -> tuple[tuple[int, ...], int]:
    """Links of the ring, and hops; a get goes there before the data come back."""
    if instruction.remote == "get":
        links, hops = tree(peers[0], [unit.core], cores)
        return links, 2 * hops
    return tree(unit.core, peers, cores)


class _Clip:
    """The steps of each count that are inside."""

    def __init__(self, instruction: Xfer) -> None:
        self._dims = instruction.dims

    def region(self, unit: Unit) -> tuple[int, ...]:
        """First step and number of steps of each count, one after the other."""
        found: list[int] = []
        for dim in self._dims:
            first = 0 if dim.low is None else max(0, unit.regs[dim.low])
            end = dim.count if dim.high is None else min(dim.count, unit.regs[dim.high])
            found += (first, max(0, end - first))
        return tuple(found)


class _Plan:
    """A transfer whose clip is known: the inner boxes of both sides, and where they lie."""

    def __init__(self, site: Site, instruction: Xfer, region: tuple[int, ...]) -> None:
        first, counts = region[::2], region[1::2]
        self._empty = 0 in counts
        if self._empty:
            first = (0,) * len(first)  # where nothing is, begins nowhere
        dims = instruction.dims
        outer = max(
            (d + 1 for i in instruction.indices for d, s in enumerate(i.strides) if s and dims[d].count > 1), default=0
        )
        walked = math.prod(counts[:outer])
        if walked > MAX_PIECES:
            message = f"lists of indices make {walked} pieces of counts {[d.count for d in dims]}"
            raise UnitStops("scattered-access", f"{message}; one access has at most {MAX_PIECES}")
        size = instruction.element_bytes
        safe = tuple(max(1, n) for n in counts)
        strides = (tuple(d.source_stride for d in dims), tuple(d.dest_stride for d in dims))
        self.source, self.dest = (box(safe[outer:] or (1,), s[outer:] or (size,), size) for s in strides)
        self.copy = copier(size, self.source, self.dest)
        starts = [sum(f * step for f, step in zip(first, s, strict=True)) for s in strides]
        reach = [sum((n - 1) * abs(step) for n, step in zip(safe[:outer], s[:outer], strict=True)) for s in strides]
        self._offsets = [
            _near(start, within=most) + _sums(counts[:outer], s[:outer])
            for start, most, s in zip(starts, reach, strides, strict=True)
        ]
        self.bytes = 0 if self._empty else self.dest.bytes * self._offsets[1].size
        self._bases = [_base(instruction.source), _base(instruction.dest)]
        self._lists = [_List(site, i, first, counts, outer, n) for n, i in enumerate(instruction.indices)]

    def points(self, unit: Unit) -> Iterator[tuple[int, int]]:
        """Addresses of the inner boxes, in order."""
        if self._empty:
            return iter(())
        offsets = list(self._offsets)
        for list_ in self._lists:
            offsets[list_.side] = offsets[list_.side] + list_.moves(unit)
        source, dest = (
            (o + _near(offset + (0 if base is None else unit.regs[base]))).ravel().tolist()
            for o, (base, offset) in zip(offsets, self._bases, strict=True)
        )
        return iter(zip(source, dest, strict=True))

    def meet(self, places: Sequence[tuple[int, int]]) -> bool:
        """Whether a point that is read shares a byte with one that is written; ``places`` are those of both boxes."""
        if not places:
            return False
        (first, last), (start, end) = ((min(side), max(side)) for side in zip(*places, strict=True))
        apart = last + self.source.high <= start + self.dest.low or end + self.dest.high <= first + self.source.low
        return not apart and any(meet(self.source, s, self.dest, d) for s, _ in places for _, d in places)


def _onto_itself() -> UnitStops:
    return UnitStops("overlap", "the source and the destination of a transfer share bytes")


def _base(end: End) -> tuple[int | None, int]:
    return (None, 0) if end.space == "fill" else (end.base, end.offset)


_FAR = 1 << 60
"""No memory has so many bytes, and a sum of a few numbers below it is exact in 64 bits."""


def _near(number: int, *, within: int = 0) -> int:
    """``number``, a part of an address that others of at most ``within`` are added to, if no sum of them wraps."""
    if abs(number) + within >= _FAR:
        raise UnitStops("out-of-memory", f"an address {abs(number) + within:#x} bytes away is in no memory")
    return number


def _sums(counts: Sequence[int], strides: Sequence[int]) -> Offsets:
    """Per point of ``counts`` the sum of its steps times ``strides``."""
    total = np.zeros((), np.int64)
    for count, stride in zip(counts, strides, strict=True):
        total = total[..., None] + np.arange(count, dtype=np.int64) * stride
    return total


class _List:
    """One list of indices, over the outer counts of a plan."""

    def __init__(
        self, site: Site, index: Index, first: Sequence[int], counts: Sequence[int], outer: int, number: int
    ) -> None:
        self.side = 0 if index.side == "source" else 1
        self._index, self._number = index, number
        start = index.offset + sum(f * s for f, s in zip(first, index.strides, strict=True))
        moving = [d for d in range(outer) if index.strides[d] and counts[d]]
        operand = LxOperand(index.base, start, index.type, index.strides, index.buffer, 0)
        self._elements = Elements(site, [max(1, n) for n in counts], operand, dims=moving)
        self._shape = [counts[d] if d in moving else 1 for d in range(outer)]

    def moves(self, unit: Unit) -> Offsets:
        """How far each point moves, in bytes."""
        index = self._index
        found = self._elements.load(unit, self._elements.address(unit)).astype(np.int64)
        limit = index.limit + (0 if index.limit_base is None else unit.regs[index.limit_base])
        bad = (found < 0) | (found >= limit)
        if bad.any():
            value = int(np.asarray(found)[bad].flat[0])
            which = f" of list {self._number}" if self._number else ""
            raise UnitStops("index-out-of-range", f"index {value}{which} is outside of 0..{limit - 1}")
        _near(int(np.max(found)) * index.scale if found.size else 0)
        return np.asarray(found.reshape(self._shape) * index.scale)


@dataclass(frozen=True)
class _Side:
    """One side of a transfer, at addresses that are known."""

    site: Site
    end: End
    links: Sequence[Link]
    writes: bool

    def local(self, unit: Unit) -> Local:
        """The memory of the unit's own core that this side lies in, if it does not lie in device memory."""
        return unit.local.get(self.site.world.binary.memory(self.end) or LX, unit.lx)

    def touch(self, unit: Unit, local: Local, where: Box, at: int) -> tuple[Bytes, int, int]:
        """Check and record the access, to ``local`` unless it is to device memory; the bytes, where in them the box
        begins, and how many bytes move for it.
        """
        world, end = self.site.world, self.end
        if end.space == "fill":
            return low_bytes(end.offset), 0, 0
        shadow: Shadow
        space = world.binary.memory(end)
        assert space is not None
        if space == "device":
            span = world.device.limits.access_span
            _, window = device_address(None, at, where, world.memory, span, writes=self.writes)(unit)
            data, place, shadow, name = window.data, at - window.start, window.shadow, window.name
            window.touched.mark(where, place, self.site.program.kind, writes=self.writes)
            world.traffic.transfer(self.site.program.label, self.site.index).first(at, unit.core)
            counter, buffer = world.traffic.memory(space), -1
        else:
            local_address(None, at, where, end.buffer, world.binary, world.device, writes=self.writes)(unit)
            data, place, shadow = local.data, at, local.shadow
            name = local.name if local is self.local(unit) else f"another core's {local.name}"
            counter, buffer = world.traffic.memory(space), -1 if end.buffer is None else end.buffer
        record = shadow.write if self.writes else shadow.read
        found = record(where.intervals, place, unit.access(self.site.index, buffer), unit.clock)
        if found:
            world.sanitizer.judge(found, name, reads=not self.writes)
        moved = moved_bytes(world.device, self.links, space, where)(at)
        (counter.written if self.writes else counter.read)(where.bytes, moved)
        return data, place, moved

    def settle(self, at: int) -> None:
        """Judge unordered writes of device memory, once the bytes are there."""
        world = self.site.world
        if self.end.space == "device":
            window = world.memory.find(at, at + 1)
            found = window.shadow.settle()
            if found:
                world.sanitizer.judge(found, window.name, reads=False)

    def fill(self, unit: Unit, local: Local, fill: _Fill) -> tuple[Bytes, int, int]:
        """Write the pattern to the whole box; the bytes, where in them it begins, and how many move."""
        base, offset = _base(self.end)
        at = offset + (0 if base is None else unit.regs[base])
        where, pattern = fill.whole, fill.pattern
        data, place, moved = self.touch(unit, local, where, at)
        np.ndarray(where.counts, pattern.dtype, data, place, where.strides)[...] = pattern
        self.settle(at)
        return data, place, moved
