"""All units of a core, or of all cores where they wait for one another, run at once without data."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from spyrec.device.model import spoken
from spyrec.dialects.dataflow import LX
from spyrec.mlir import ir
from spyrec.passes.analysis.dry_run.choices import Choices
from spyrec.passes.analysis.dry_run.code import POINTER_BITS, Area, Code, Flow, Link, Loop, Node, UnitCode
from spyrec.passes.analysis.dry_run.memory import Access, Box, Clash, Clock, Memory
from spyrec.passes.analysis.dry_run.values import Diverges, Per, Sym, Value

BUDGET = 400_000
"""Steps of one run."""

_MOST_NESTED = 1_000
"""Where no more iterations of a loop inside of others are run, each of them is run 2 D + 1 times, or else D times."""

DEVICE = "device"

_MAX_MODULUS = 64
"""Greater divisors of counters do not decide how many iterations are run."""


_ASKED = "for some inputs; that is right if no launch and no data asks for those"


class OutOfBudget(Exception):
    """A run takes too long."""


class _Stops(Exception):
    """A unit cannot go on; its fault is kept."""


@dataclass(frozen=True)
class Fault:
    """A rule that the program breaks at ``op``; notes are other places and what happens there."""

    id: str
    op: ir.Operation
    message: str
    notes: tuple[tuple[ir.Operation, str], ...] = ()


class Raced(Exception):
    """Ends a run at a race, since what comes after depends on timing."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


class Impossible(Exception):
    """Ends a run in which something that was assumed cannot be: no launch, or no data, asks for it."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


@dataclass(slots=True)
class Touch:
    """An access to device memory, in the order of the run; ``at`` is per core where cores differ."""

    access: Access
    shape: Box
    at: int | Per
    clock: Clock


class Channel:
    """One counter: credits that were there at first, then posts with their posters' clocks."""

    __slots__ = ("initial", "link", "posted", "taken", "tokens", "used", "waiter")

    def __init__(self, link: Link) -> None:
        self.link = link
        self.initial = link.init
        self.tokens: deque[Clock] = deque()
        self.waiter: Unit | None = None
        self.posted = 0
        self.taken = 0
        self.used: ir.Operation | None = None  # its first post, else its first wait


class Unit:
    """A unit of core number ``place`` of the run: a process. ``posts``: its own entry of its clock, that of its last
    post; ``kept``: how many sums a contraction has left in it;
    ``assumed``: what it does from now on may depend on a choice.
    """

    def __init__(self, run: Run, number: int, place: int, code: UnitCode, values: dict[int, Value], units: int) -> None:
        self.run = run
        self.number = number
        self.place = place
        self.label = code.label
        self.values = values
        self.clock: Clock = np.zeros(units, np.int64)
        self.clock[number] = self.posts = 1
        self.flow = self.steps(code.nodes)
        self.blocked: tuple[Channel, ir.Operation] | None = None
        self.over = False
        self.kept = 0
        self.assumed = False

    def steps(self, nodes: Sequence[Node]) -> Flow:
        """Run some steps; gives way where a channel is empty."""
        run = self.run
        run.left -= len(nodes)
        for waits, step in nodes:
            if waits:
                yield from step(self)
            else:
                step(self)
        if run.left < 0:
            raise OutOfBudget

    # -- values -------------------------------------------------------------------------------------------------------

    def control(self, value: Value, default: int = 0) -> int:
        """An integer on which control depends, or an address in LX."""
        if type(value) is int:
            return value
        if isinstance(value, Sym):
            self.assumed = True
            value = self.run.choices.plain(value, default)
        return _same(value)

    def decide(self, value: Value, options: Sequence[int] = (1, 0)) -> bool:
        """Whether a condition holds."""
        if isinstance(value, Sym):
            self.assumed = True
            value = self.run.choices.integer(value, options)
        return bool(_same(value))

    def load(self, op: ir.Operation, shape: Box | None, at: Value, buffer: str) -> Sym:
        """What an element of LX holds: the same for all who read what the same write left there."""
        place = self.touch_local(op, shape, at, buffer, writes=False)
        size = shape.size if shape is not None else 0
        return Sym(("load", self.place, place, *self.run.local[self.place][LX].writers(place, place + size)))

    # -- channels -----------------------------------------------------------------------------------------------------

    def _channel(self, op: ir.Operation, name: str, peer: Value | None, posts: bool) -> Channel:
        if peer is None:
            return self.run.channel(name, self.place, self.place)
        other = self.core(op, peer)
        return self.run.channel(name, *((self.place, other) if posts else (other, self.place)))

    def post(self, op: ir.Operation, name: str, peer: Value | None) -> None:
        """Add 1 to a channel."""
        channel = self._channel(op, name, peer, True)
        if not channel.posted:
            channel.used = op
        channel.posted += 1
        channel.tokens.append(self.clock)
        self.posts += 1
        self.clock = self.clock.copy()
        self.clock[self.number] = self.posts
        if channel.waiter is not None:
            self.run.ready.append(channel.waiter)
            channel.waiter = None

    def wait(self, op: ir.Operation, name: str, peer: Value | None) -> Flow:
        """Take 1 from a channel, when there is one."""
        channel = self._channel(op, name, peer, False)
        channel.used = channel.used or op
        channel.taken += 1
        if channel.initial:
            channel.initial -= 1
            return
        if not channel.tokens:
            channel.waiter = self
            self.blocked = channel, op
            yield
            self.blocked = None
        self.clock = np.maximum(self.clock, channel.tokens.popleft())

    # -- memory -------------------------------------------------------------------------------------------------------

    def touch_local(
        self,
        op: ir.Operation,
        shape: Box | None,
        value: Value,
        buffer: str,
        *,
        writes: bool,
        place: int | None = None,
        may: bool = False,
    ) -> int:
        """Access the memory of ``buffer`` on this core, or on core ``place`` of the run; gives the address.

        ``may``: some of the bytes.
        """
        at = value if type(value) is int else self.control(value)
        if shape is None:
            return at
        run = self.run
        area = run.code.areas.get(buffer)
        memory = LX if area is None else area.memory
        self._inside(op, shape, at, memory, area)
        self._shape(op, shape, at, memory, writes and not may)
        if not shape.whole:
            run.in_part(op)
        if writes and area is not None:
            end = area.offset(at + shape.low) + shape.high - shape.low
            run.filled[buffer] = max(run.filled.get(buffer, 0), end)
        access = Access(self.number, self.posts, op, buffer, writes, may, not self.assumed)
        local = run.local[self.place if place is None else place][memory]
        clashes = local.touch(shape.pieces, at, access, self.clock)
        if clashes:
            run.judge(clashes, memory)
        return at

    def core(self, op: ir.Operation, value: Value) -> int:
        """A core that the program names."""
        number = self.control(value)
        if not 0 <= number < len(self.run.cores):
            self.stop("no-such-core", op, f"names core {number}; the program runs on {len(self.run.cores)} cores")
        return number

    def bound(self, value: Value, count: int) -> int:
        """The bound of a clip of ``count`` steps: when only a launch knows it, all of them, one or none are inside."""
        if type(value) is int:
            return max(0, min(value, count))
        inside = self.run.code.clipped(count)(value)
        if isinstance(inside, Sym):
            self.assumed = True
            inside = self.run.choices.integer(inside, (count, 1, 0))
        return _same(inside)

    def touch_device(
        self, op: ir.Operation, shape: Box | None, value: Value, *, writes: bool, may: bool = False
    ) -> None:
        """Access device memory: kept, to be judged for each core. ``may``: some of the bytes."""
        if shape is None:
            return
        if shape.high - shape.low > self.run.span:
            message = f"one access spans {shape.high - shape.low} bytes of device memory; the limit is {self.run.span}"
            self.stop("span-limit", op, message)
        certain = not self.assumed
        if isinstance(value, Sym):
            value = self._somewhere(value)
            certain = False
        for at in value if isinstance(value, Per) else (value,):
            self._shape(op, shape, at, DEVICE, writes and not may)
        if not shape.whole:
            self.run.in_part(op)
        access = Access(self.number, self.posts, op, "", writes, may, certain)
        self.run.touches.append(Touch(access, shape, value, self.clock))

    def _somewhere(self, address: Sym) -> int | Per:
        """An address that only a launch or data know: the first of the argument that it counts from, so that accesses
        meet that may, and none of two arguments do.
        """
        half = 1 << (POINTER_BITS - 1)
        constants = (c[0] if isinstance(c, Per) else c for c in address.constants)
        segments = {(c + half) >> POINTER_BITS for c in constants} - {0}
        return self.run.choices.plain(address, segments.pop() << POINTER_BITS if len(segments) == 1 else 0)

    def _inside(self, op: ir.Operation, shape: Box, at: int, memory: str, area: Area | None) -> None:
        low, high = at + shape.low, at + shape.high
        if memory == LX and (low < 0 or high > self.run.lx_size):
            self.stop("out-of-lx", op, f"bytes {low} to {high - 1} leave LX, which has {self.run.lx_size}")
        if area is None:
            return
        slot = (low - area.address) // area.slot_bytes
        if not 0 <= slot < area.depth or high > area.address + (slot + 1) * area.slot_bytes:
            whole = f"@{area.name}, which has {area.depth} of {area.slot_bytes} bytes from byte {area.address} on"
            message = f"bytes {low} to {high - 1} of {spoken(memory)} are not in one slot of {whole}"
            if self.assumed:
                # A loop with as many iterations would leave its tensor in the kernel as written, too.
                message += f", {_ASKED}"
                raise Impossible(Fault("not-proven", op, message))
            self.stop("out-of-buffer", op, message)

    def _shape(self, op: ir.Operation, shape: Box, at: int, memory: str, writes: bool) -> None:
        if at % shape.size or not shape.aligned:
            where = "device memory" if memory == DEVICE else spoken(memory)
            message = f"elements of {shape.size} bytes from byte {at} of {where} on are not aligned to their size"
            self.stop("misaligned", op, message)
        if writes and shape.meets:
            where = "device memory" if memory == DEVICE else spoken(memory)
            self.stop("overlap", op, f"two elements are written to the same bytes of {where}")

    def apart(self, op: ir.Operation, places: Sequence[tuple[Box | None, int]], message: str) -> None:
        """Refuse boxes that share bytes."""
        if len(places) < 2:
            return
        pieces = sorted((at + a, at + b) for shape, at in places if shape is not None for a, b in shape.pieces)
        if any(b[0] < a[1] for a, b in pairwise(pieces)):
            self.stop("overlap", op, message)

    def stop(self, id: str, op: ir.Operation, message: str) -> None:
        """Keep a fault after which this unit has nothing sensible to do."""
        self.run.faults.append(Fault(id, op, message))
        raise _Stops


def _same(value: int | Per) -> int:
    """An integer that is the same on all cores of a run. Raises :class:`Diverges`."""
    if isinstance(value, Per):
        raise Diverges(value)
    return value


def _sure(access: Access) -> bool:
    return access.certain and not access.may


@dataclass
class Run:
    """One execution of ``code`` on ``cores``, which share one process per unit unless cores wait for one another.

    ``span`` and ``lx_size`` are the device's.
    ``unproven``: what was not looked at. ``cuts``: iterations of long loops are left out; ``alike``: but not of loops
    that have as many as one whose iterations meet different cores.
    """

    code: Code
    cores: Sequence[int]
    choices: Choices
    lx_size: int
    span: int
    faults: list[Fault] = field(default_factory=list)
    touches: list[Touch] = field(default_factory=list)
    ready: deque[Unit] = field(default_factory=deque)
    local: list[dict[str, Memory]] = field(default_factory=list)
    units: list[Unit] = field(default_factory=list)
    left: int = BUDGET
    unproven: dict[ir.Operation, Fault] = field(default_factory=dict)
    cuts: bool = True
    filled: dict[str, int] = field(default_factory=dict)
    """How many bytes of a slot of each buffer something is written to."""
    doubtful: list[tuple[Clash, Fault]] = field(default_factory=list)
    """What accesses break, none of them a race, that are made for some inputs."""
    alike: bool = False
    counts: Mapping[tuple[int, int], int] = field(default_factory=dict)
    """How many iterations of the loops of a nest and level are run, where that is more than ``few``."""

    def __post_init__(self) -> None:
        code = self.code
        depth = code.depth
        self.limit = 2 * depth + 1
        # Equal loops of different units may be nested differently deep.
        self.few = self.limit if self.limit ** (code.height + 1) <= _MOST_NESTED else depth
        self._channels: dict[tuple[str, int, int], Channel] = {}
        small = {m for m in code.moduli if 0 < m <= _MAX_MODULUS}
        depths = [a.depth for a in code.areas.values()]
        self._period = math.lcm(1, *depths, *small)
        self._jumps = small == code.moduli
        if self._period > 4 * _MAX_MODULUS:
            self._period, self._jumps = math.lcm(1, *depths), False

    def execute(self) -> None:
        """Run to the end; faults are in ``faults``. Raises :class:`Diverges`, :class:`Raced`, :class:`OutOfBudget`."""
        code, joint = self.code, self.code.between_cores
        places = list(self.cores) if joint else [0]
        shared: dict[int, Value] = dict(code.given)
        count = len(places) * len(code.units)
        self.choices.cores = len(self.cores) if not joint else 1
        launched = {area.name for area in code.areas.values() if area.launched}
        for place, core in enumerate(places):
            names = {LX, *(area.memory for area in code.areas.values())}
            self.local.append({name: Memory(known=False, launched=launched) for name in names})
            for unit_code in code.units:
                values = dict(shared)
                mine: Value = core if joint else Per(self.cores) if len(self.cores) > 1 else self.cores[0]
                values[unit_code.core] = mine
                unit = Unit(self, len(self.units), place, unit_code, values, count)
                self.units.append(unit)
                try:
                    for _, step in code.outer:
                        step(unit)
                except _Stops:
                    return
        self.ready.extend(self.units)
        while self.ready:
            self._go_on(self.ready.popleft())
        for clash, fault in self.doubtful:
            if self._behind(clash):
                self._unproven(fault.op, f"{fault.message}, {_ASKED}")
            else:
                self.faults.append(fault)
        if not self.faults:
            self._at_rest()

    def _behind(self, clash: Clash) -> bool:
        """Whether bytes are behind all that a slot of their buffer has ever held: it is not full, and a loop with as
        many iterations would leave its tensor in the kernel as written, too.
        """
        buffer = clash.access.buffer
        return buffer in self.filled and self.code.areas[buffer].offset(clash.low) >= self.filled[buffer]

    def _go_on(self, unit: Unit) -> None:
        try:
            next(unit.flow)
        except StopIteration:
            unit.over = True
        except _Stops:
            unit.over = True

    def channel(self, name: str, poster: int, waiter: int) -> Channel:
        """The counter of a channel between two cores of the run, or inside of one."""
        key = name, poster, waiter
        found = self._channels.get(key)
        if found is None:
            found = self._channels[key] = Channel(self.code.links[name])
        return found

    def counters(self, unit: Unit, low: int, high: Value, step: int, loop: Loop) -> Iterator[int]:
        """The counters of a loop's iterations: a few of them when there are many, always the first and the last.

        How many is the same for equal loops of different units, and the slots of buffers follow one another as they
        do when all are run. If the loop visits cores, all are run.
        """
        if isinstance(high, Sym):
            unit.assumed = True
            depth = self.code.depth
            trips = dict.fromkeys((self.limit, depth + 1, depth, 1, 0))
            high = self.choices.integer(high, [low + t * step for t in trips])
        end = _same(high)
        if step < 1:
            return
        whole = max(0, -(-(end - low) // step))
        few = max(self.few, self.counts.get(loop.place, 0))
        # Whoever meets another core in an iteration has to be met there.
        kept = loop.visits or (self.alike and whole in self.code.visits)
        if self.cuts and not kept and whole > few + self._period:
            number = few + (whole - few) % self._period
            for k in range(number - 1):
                yield low + k * step
            yield low + (whole - 1 if self._jumps else number - 1) * step
            return
        for k in range(whole):
            yield low + k * step

    def judge(self, clashes: Sequence[Clash], memory: str) -> None:
        """Keep what accesses to a memory break. Raises :class:`Raced`."""
        for clash in clashes:
            fault = self._fault(clash, memory)
            other = clash.other
            if clash.id != "race" and clash.access.certain:
                self.faults.append(fault)
            elif clash.id != "race":
                self.doubtful.append((clash, fault))
            elif memory != "device" or other is None or self._core(clash.access) == self._core(other):
                raise Raced(fault)
            elif not _sure(clash.access) or not _sure(other) or clash.low >> POINTER_BITS in self.code.aliased:
                continue  # the launch or the data may keep cores apart
            elif clash.access.writes and other.writes:
                self._unproven(clash.access.op, f"{fault.message}; that is right only if both write the same values")
            else:
                raise Raced(fault)

    def _core(self, access: Access) -> int:
        return self.units[access.unit].place

    def in_part(self, op: ir.Operation) -> None:
        """Not all pieces of a box are followed."""
        self._unproven(op, "the bytes are in very many pieces, of which only some are followed")

    def _unproven(self, op: ir.Operation, message: str) -> None:
        self.unproven.setdefault(op, Fault("not-proven", op, message))

    def _fault(self, clash: Clash, memory: str) -> Fault:
        mine, other = clash.access, clash.other
        verb = "writes" if mine.writes else "reads"
        low, high = clash.low, clash.high
        local = f"bytes {low} to {high - 1} of {spoken(memory)}"
        bytes_ = self.code.bytes_text(low, high) if memory == "device" else local
        where = f"@{self.units[mine.unit].label} {verb} {bytes_}"
        if other is None:
            return Fault(clash.id, mine.op, f"{where}, which nothing has written")
        if clash.id == "race":
            rival = f"@{self.units[other.unit].label} {'writes' if other.writes else 'reads'} them too"
            message = f"{where}; {rival}, and no channel orders the two"
            # Where no exchange orders cores, the passes have nothing to order them with: the kernel conflicts.
            ordered = self._core(mine) == self._core(other) or self.code.has_peers
            return Fault("race" if ordered else "tile-race", mine.op, message, ((other.op, "the other access"),))
        message = f"{where} as part of @{mine.buffer}, but they were last written as part of @{other.buffer}"
        return Fault(clash.id, mine.op, message, ((other.op, "that write"),))

    def _at_rest(self) -> None:
        """Who waits for ever, and which channels do not end as they began."""
        stuck = [unit for unit in self.units if unit.blocked is not None]
        if stuck:
            self.faults.append(self._deadlock(stuck))
            return
        for channel in self._channels.values():
            value = channel.initial + len(channel.tokens)
            if value != channel.link.init:
                message = (
                    f"@{channel.link.name} ends at {value}, it began at {channel.link.init}: "
                    f"@{channel.link.poster} posts {channel.posted} times, @{channel.link.waiter} waits "
                    f"{channel.taken} times"
                )
                place = channel.used or channel.link.op
                self.faults.append(Fault("channel-misuse", place, message, ((channel.link.op, "the channel"),)))

    def _deadlock(self, stuck: list[Unit]) -> Fault:
        path = [stuck[0]]
        while True:
            assert path[-1].blocked is not None
            channel, op = path[-1].blocked
            poster = next(u for u in self.units if u.label == channel.link.poster and self._posts(u, channel))
            if poster.blocked is None:
                message = f"@{path[-1].label} waits for @{channel.link.name} for ever: @{poster.label}, which posts it"
                message += f", has ended after {channel.posted} posts; this is wait number {channel.taken}"
                return Fault("deadlock", op, message, ((channel.link.op, "the channel"),))
            if poster in path:
                cycle = path[path.index(poster) :]
                break
            path.append(poster)
        parts = [(u, *u.blocked) for u in cycle if u.blocked is not None]
        text = "; ".join(f"@{u.label} waits for @{c.link.name} from @{c.link.poster}" for u, c, _ in parts)
        notes = tuple((op, f"@{u.label} waits here") for u, _, op in parts[1:])
        return Fault("deadlock", parts[0][2], f"units wait for one another: {text}", notes)

    def _posts(self, unit: Unit, channel: Channel) -> bool:
        """Whether the unit's core is the one that posts this counter."""
        key = next(key for key, found in self._channels.items() if found is channel)
        return unit.place == key[1]
