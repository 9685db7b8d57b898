"""Estimates for a group of ops that is cut into tiles: bytes of LX and of stages, and cycles.

They are there to compare tile sizes with one another, from the formulas that the simulator uses for one transfer and
one stream (:mod:`spyrec.device.cost`). What is around an operation (waiting, posting, computing addresses) counts as a
few scalar instructions.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from spyrec import numerics
from spyrec.device import cost
from spyrec.device.model import Device
from spyrec.dialects import dataflow
from spyrec.mlir import ir
from spyrec.ods.checks import DYNAMIC
from spyrec.passes.analysis import corelets, kernels
from spyrec.passes.analysis.axes import Axes, Axis, is_tensor_op
from spyrec.passes.analysis.compute_costs import Cycles
from spyrec.passes.analysis.contractions import unit_for
from spyrec.passes.analysis.index_values import IndexValues
from spyrec.passes.analysis.staging import Memories, Room, Way, fits
from spyrec.passes.analysis.structured import Structured, structured
from spyrec.records import dataclass, replace

SLOTS = 2
"""Slots of a buffer with which a unit can fill one while another one works."""

_AROUND = {"load": 12, "store": 12, "compute": 3}
"""Scalar instructions of a unit around one transfer or stream, that it does not run ahead with."""

_TURNS = 0.8
"""Corelets take turns where an iteration then takes less than this part of what it takes with its ops cut."""

MANY = 1 << 10
"""Iterations that a loop is taken to have when the launch decides."""

Sizes = Mapping[Axis, int]
"""The extent of a tile for each axis that is cut, outermost loop first."""


@dataclass(frozen=True)
class Estimate:
    """What a choice of tiles needs: room, and cycles; with one slot per buffer in a loop, or :data:`SLOTS`."""

    single: Room
    slots: Room
    serial: float
    cycles: float

    def within(self, room: Room) -> float:
        """Cycles with as many slots as there is room for; infinite when there is none."""
        return self.cycles if fits(self.slots, room) else self.serial if fits(self.single, room) else math.inf


@dataclass(frozen=True)
class _Work:
    """One op: its axes and extents, the unit that runs it, and how to tell its time."""

    op: ir.Operation
    axes: tuple[Axis, ...]
    extents: tuple[int, ...]
    unit: str
    """``load``, ``store``, ``compute``; nothing for what only takes room."""
    memories: tuple[int, ...]
    """The numbers of those in which it needs a buffer."""
    buffer: tuple[tuple[int, ...], int] = ((), 0)
    """The dimensions of that buffer, as positions in ``axes``, and bytes of its element."""
    strides: tuple[int, ...] = ()
    element: int = 0
    compute: Callable[[Sequence[int]], tuple[int, int]] | None = None
    """Cycles of a compute op with these extents of its loops, on all corelets and on one."""
    loops: tuple[ir.Operation, ...] = ()
    """The loops of the group that it is in, outermost first."""

    @property
    def outermost(self) -> ir.Operation:
        """The op of the group that it is, or is in."""
        return self.loops[0] if self.loops else self.op


@dataclass(frozen=True)
class _Time:
    """Of one op and one tile: cycles that it keeps its unit from others, and device memory, and until it is done; of a
    compute op, those that it keeps one corelet when others do other tiles; how it moves, if it does.
    """

    busy: float
    shared: float
    whole: float
    alone: float = 0.0
    pace: _Pace | None = None


@dataclass
class _Way:
    """What one iteration of a loop does: how long a tile is on its way in each kind of unit."""

    iterations: int
    compute: float = 0.0
    traffic: float = 0.0
    moving: dict[str, float] = field(default_factory=dict)
    whole: dict[str, float] = field(default_factory=dict)

    def add(self, unit: str, time: _Time) -> None:
        """One op more."""
        self.traffic += time.shared
        if unit == "compute":
            self.compute += time.whole
            return
        # The transfers of one iteration overlap.
        self.moving[unit] = max(self.moving.get(unit, 0.0), time.busy)
        self.whole[unit] = max(self.whole.get(unit, 0.0), time.whole)

    def turn(self, posts: float, legs: Mapping[str, int]) -> float:
        """The longest that two units, one behind the other, have a slot."""
        # All of an iteration's transfers share the bandwidth of device memory.
        load, store = (
            self.whole[unit] + max(0.0, self.traffic - self.moving[unit]) if unit in self.whole else 0.0
            for unit in ("load", "store")
        )
        stops = [way for way in (*[load] * legs["load"], self.compute, *[store] * legs["store"]) if way]
        return max((a + b + posts for a, b in itertools.pairwise(stops)), default=0.0)


@dataclass(frozen=True)
class _Pace:
    """How a box moves on a way: bytes per cycle, cycles of a transfer before its first byte and behind its last, and
    how many are in flight. Where it takes several transfers, those of the slowest. ``filling``: cycles until the first
    byte has come all the way.
    """

    narrowest: int
    starting: int
    outstanding: int
    filling: int

    @staticmethod
    def of(way: Way, device: Device) -> _Pace:
        starting = [device.timing.transfer_startup + sum(link.latency for link in leg) for leg in way.legs]
        outstanding = [1 if unit is None else max(1, device.units[unit].max_outstanding) for unit in way.units]
        narrowest = min(link.bandwidth for leg in way.legs for link in leg)
        return _Pace(narrowest, max(starting), min(outstanding), sum(starting))


class Costs:
    """Estimates for ``operations``, one group. ``trips``: how often the loops around it run it."""

    def __init__(
        self,
        operations: Sequence[ir.Operation],
        axes: Axes,
        memories: Memories,
        tiles: int,
        trips: int,
        values: IndexValues,
    ) -> None:
        self.device = memories.device
        self.memories = memories
        self.tiles = tiles
        self.trips = trips
        ways = {"load": memories.load, "store": memories.store}
        self._legs = {unit: len(way.legs) for unit, way in ways.items()}
        self._works = [work for op in operations for work in _works(op, axes, memories)]
        trips_of_loops = {loop: trips_of(loop, values) for work in self._works for loop in work.loops}
        self._turns = [math.prod([trips_of_loops[loop] for loop in work.loops]) for work in self._works]
        """How often each is done by the loops of the group."""
        self._around = [frozenset(axes.space(work.outermost)) for work in self._works]
        """The axes whose loops over tiles each is in."""
        self._times: dict[tuple[int, tuple[int, ...]], _Time] = {}
        """What :meth:`_time` says: from one choice of tiles to the next few extents change."""

    def uncut(self) -> tuple[Room, Room]:
        """The room that all as it stands needs, with one slot per buffer in a loop and with :data:`SLOTS`."""
        room = _Needed(self.memories)
        for work, turns in zip(self._works, self._turns, strict=True):
            self._place(room, work, work.extents, loops=turns > 1)
        return room.single, room.slots

    def _place(self, room: _Needed, work: _Work, extents: Sequence[int], *, loops: bool) -> None:
        """Add the buffers of an op; ``loops``: the group's, or those over tiles, run it again."""
        if work.memories:
            dims, element = work.buffer
            bytes_ = math.prod([extents[k] for k in dims]) * element
            room.add(work.memories, bytes_, loops=loops or self.trips > 1)

    def estimate(self, sizes: Sizes, again: Mapping[ir.Operation, int] | None = None) -> Estimate:
        """For tiles of ``sizes``. ``again``: how many loops over the same tiles an op is in, if it is not one."""
        order = list(sizes)
        tiled = math.prod(-(-axis.extent // size) for axis, size in sizes.items())
        room = _Needed(self.memories)
        busy = dict.fromkeys(("load", "store", "compute", "device"), 0.0)
        once = dict(busy)
        ways: dict[tuple[ir.Operation, ...], _Way] = {}
        paces: dict[str, list[tuple[int, _Pace]]] = {"load": [], "store": []}
        """How often something moves so."""
        straight = alone = 0.0
        for number, (work, turns, around) in enumerate(zip(self._works, self._turns, self._around, strict=True)):
            extents = [sizes.get(axis, n) for axis, n in zip(work.axes, work.extents, strict=True)]
            depth = max((place for place, axis in enumerate(order, 1) if axis in around), default=0)
            times = turns * math.prod(-(-axis.extent // sizes[axis]) for axis in order[:depth])
            times *= again.get(work.outermost, 1) if again else 1
            self._place(room, work, extents, loops=depth > 0 or turns > 1)
            if not work.unit:
                continue
            key = number, tuple(extents)
            if key not in self._times:
                self._times[key] = self._time(work, extents)
            time = self._times[key]
            busy[work.unit] += times * time.busy
            busy["device"] += times * time.shared
            once[work.unit] += time.busy
            once["device"] += time.shared
            alone += time.alone
            straight += max(time.busy, time.shared)
            way = ways.get(work.loops)
            if way is None:
                way = ways[work.loops] = _Way(self.trips * tiled * turns)
            way.add(work.unit, time)
            if time.pace is not None and times:
                paces[work.unit].append((times, time.pace))
        latency = straight + sum(max((pace.filling for _, pace in found), default=0) for found in paces.values())
        if all(way.iterations == 1 for way in ways.values()):
            return Estimate(room.single, room.slots, latency, latency)
        # A slot is free again when the unit behind is through with it, and has said so.
        posts = 2 * (self.device.timing.post_latency + _AROUND["load"] * self.device.timing.scalar_cycles)
        turn = sum(way.iterations * way.turn(posts, self._legs) for way in ways.values())
        for unit, found in paces.items():
            # While a transfer starts, the unit moves what else it has in flight, if that is something.
            starting = sum(times * pace.starting for times, pace in found)
            outstanding = min((pace.outstanding for _, pace in found), default=1)
            busy[unit] = max(busy[unit], (starting + busy["device"]) / outstanding if found else 0)
        in_turn = self.trips * (max(busy["load"] + busy["store"], busy["device"]) + busy["compute"])
        count = self.device.corelets
        # As alternate-corelets: iterations are given to corelets in turns, where ops gain little by being cut. Each has
        # its own slot then.
        if ways.keys() == {()} and ways[()].iterations >= count and alone < _TURNS * count * once["compute"]:
            busy["compute"] *= alone / count / once["compute"]
            latency += alone - once["compute"]
            once["compute"] = ways[()].compute = alone
            waiting = (-(-ways[()].iterations // count) - 1) * ways[()].turn(posts, self._legs)
        else:
            waiting = (turn - max(way.turn(posts, self._legs) for way in ways.values())) / SLOTS
        # What all wait for starts when the first tile has come to it, and is followed by what is behind.
        overlapped = max(waiting, *(self.trips * busy[unit] - once[unit] for unit in busy)) + latency
        return Estimate(room.single, room.slots, max(in_turn, turn, overlapped), overlapped)

    def _time(self, work: _Work, extents: list[int]) -> _Time:
        timing = self.device.timing
        around = _AROUND[work.unit] * timing.scalar_cycles
        if work.unit != "compute":
            reads = work.unit == "load"
            way = self.memories.way(extents, work.strides, work.element, reads=reads)
            pace = _Pace.of(way, self.device)
            grain = cost.grain(way.legs[0 if reads else -1], self.device.memory("device").alignment)
            bytes_ = cost.moved_bytes(0, extents, work.strides, work.element, grain)
            time = bytes_ / pace.narrowest
            whole = pace.starting + time
            # Start-up is hidden behind what is in flight.
            shared = bytes_ * self.tiles / timing.device_bandwidth
            return _Time(max(time, whole / pace.outstanding, around), shared, whole, pace=pace)
        assert work.compute is not None
        cycles, alone = work.compute(extents)
        return _Time(cycles + around, 0, cycles, alone + around)


class _Needed:
    """Adds up the room that buffers need."""

    def __init__(self, memories: Memories) -> None:
        self._memories = memories.all
        self._single, self._slots = [0] * len(self._memories), [0] * len(self._memories)
        self._passing = [0] * len(self._memories)

    def add(self, memories: Sequence[int], bytes_: int, *, loops: bool) -> None:
        """A buffer in each of ``memories``."""
        for number in memories:
            size = self._memories[number].aligned(bytes_)
            if number and not loops:
                # A stage has the bytes of one transfer after the other.
                self._passing[number] = max(self._passing[number], size)
                continue
            self._single[number] += size
            self._slots[number] += size * (SLOTS if loops else 1)

    @property
    def single(self) -> Room:
        """With one slot for each."""
        return tuple(map(max, self._single, self._passing))

    @property
    def slots(self) -> Room:
        """With :data:`SLOTS` for those in loops."""
        return tuple(map(max, self._slots, self._passing))


def box_in_bytes(
    view: dataflow.BoxOp, type_: ir.RankedTensorType, device: Device
) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Counts and strides of what a read or write moves, and the bytes of an element; a stride that only the run knows
    is taken to be that of elements in grains of their own."""
    element = numerics.sizeof(str(type_.element_type))
    far = device.memory("device").alignment
    return tuple(type_.shape), tuple(far if s == DYNAMIC else s * element for s in view.static_strides), element


def trips_of(loop: ir.Operation, values: IndexValues) -> int:
    """How often a loop runs its body, or is taken to."""
    if loop.name == "scf.while":
        return MANY
    if loop.name != "scf.for":
        return 1
    low, high, step = (values.form(operand) for operand in list(loop.operands)[:3])
    by = max(1, step.constant) if step.is_constant else 1
    most = values.interval(high - low).high
    return max(0, -(-most // by) if (high - low).is_constant else min(MANY, -(-most // by)))


def _works(op: ir.Operation, axes: Axes, memories: Memories) -> list[_Work]:
    """What an op of the group does; for a loop, the places of what it carries and the ops in it."""
    if op.name != "scf.for":
        work = _work(op, axes, memories)
        if work is not None and _lies_elsewhere(op):
            work = replace(work, memories=tuple(number for number in work.memories if number))
        return [] if work is None else [work]
    found = []
    for init, result in zip(list(op.operands)[3:], op.results, strict=True):
        dims = axes.dims(result)
        type_ = ir.RankedTensorType(result.type)
        if _goes_on(init):
            continue  # the place that it started in
        everything = (tuple(range(len(dims))), numerics.sizeof(str(type_.element_type)))
        found.append(_Work(op, tuple(dims), tuple(type_.shape), "", (0,), everything))
    for view in op.regions[0].blocks[0].operations:
        inner = view.operation
        if inner.name == "scf.for" or is_tensor_op(inner):
            found += [replace(work, loops=(op, *work.loops)) for work in _works(inner, axes, memories)]
    return found


def _goes_on(init: ir.Value) -> bool:
    """Whether a loop that starts from ``init`` may go on in its bytes: nothing else needs them."""
    maker = kernels.defining(init)
    return maker is not None and maker.name != "tensor.empty" and not _is_fill(maker) and len(list(init.uses)) == 1


def _is_fill(op: ir.Operation) -> bool:
    seen = structured(op)
    return seen is not None and not seen.inputs


def _lies_elsewhere(op: ir.Operation) -> bool:
    """Whether what ``op`` makes needs no bytes of its own: a loop carries it on in its own place, or it is a fill
    of which each that starts from it has a copy.
    """
    users = [(use.owner.operation, use.operand_number) for result in op.results for use in result.uses]
    if kernels.owner(op.block).name == "scf.for" and users and all(user.name == "scf.yield" for user, _ in users):
        return True
    return _is_fill(op) and all(user.name == "scf.for" or _accumulates(user, operand) for user, operand in users)


def _accumulates(user: ir.Operation, operand: int) -> bool:
    seen = structured(user)
    return seen is not None and operand >= len(seen.inputs) and seen.reads_output(operand - len(seen.inputs))


def _work(op: ir.Operation, axes: Axes, memories: Memories) -> _Work | None:
    view, device = op.opview, memories.device
    space = tuple(axes.space(op))
    extents = tuple(axis.extent for axis in space)
    everything = tuple(range(len(space)))
    if isinstance(view, dataflow.BoxOp):
        reads = isinstance(view, dataflow.ReadOp)
        _, strides, element = box_in_bytes(view, ir.RankedTensorType(view.tensor.type), device)
        places = ((0,) if reads else ()) + memories.passed(view)
        unit = "load" if reads else "store"
        return _Work(op, space, extents, unit, places, (everything, element), strides, element)
    seen = structured(op)
    if seen is None:
        return None
    dims = tuple(
        expression.position for expression in seen.output_maps[0].results if isinstance(expression, ir.AffineDimExpr)
    )
    element = sum(numerics.sizeof(str(ir.RankedTensorType(result.type).element_type)) for result in op.results)
    return _Work(op, space, extents, "compute", (0,), (dims, element), compute=_cycles(seen, device))


def _cycles(op: Structured, device: Device) -> Callable[[Sequence[int]], tuple[int, int]]:
    """How long the op takes on the unit that it is going to be given to: on all corelets where that is faster, and on
    one.
    """

    @functools.cache
    def made() -> tuple[Cycles, corelets.Cuts | None]:
        unit = unit_for(op, device)
        cuts = corelets.Cuts(op, device) if device.corelets > 1 and unit.level == "corelet" else None
        return Cycles(op, unit, device), cuts

    def cycles(counts: Sequence[int]) -> tuple[int, int]:
        whole, cuts = made()
        alone = whole(counts)
        cut = None if cuts is None else cuts.outermost(counts)
        return alone - (0 if cut is None else max(0, corelets.saved(whole, counts, cut, device))), alone

    return cycles
