"""Estimates for a group of ops that is cut into tiles: bytes of LX, and cycles.

They are there to compare tile sizes with one another, from the formulas that the simulator uses for one transfer and
one stream (:mod:`spyrec.device.cost`). What is around an operation (waiting, posting, computing addresses) counts as a
few scalar instructions.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from spyrec import numerics
from spyrec.device import cost, routes
from spyrec.device.model import Device
from spyrec.dialects import dataflow
from spyrec.mlir import ir
from spyrec.ods.checks import DYNAMIC
from spyrec.passes.analysis import corelets
from spyrec.passes.analysis.axes import Axes, Axis, boxed
from spyrec.passes.analysis.compute_costs import Cycles
from spyrec.passes.analysis.contractions import unit_for
from spyrec.passes.analysis.structured import Structured, structured

SLOTS = 2
"""Slots of a buffer with which a unit can fill one while another one works."""

_AROUND = 12
"""Scalar instructions of a unit around one transfer or stream."""

Sizes = Mapping[Axis, int]
"""The extent of a tile for each axis that is cut, outermost loop first."""


@dataclass(frozen=True)
class Estimate:
    """What a choice of tiles needs: bytes of LX, and cycles; with one slot per buffer in a loop, or :data:`SLOTS`."""

    single: int
    slots: int
    serial: float
    cycles: float

    def within(self, room: int) -> float:
        """Cycles with as many slots as there is room for; infinite when there is none."""
        return self.cycles if self.slots <= room else self.serial if self.single <= room else math.inf


@dataclass(frozen=True)
class _Work:
    """One op: its axes and extents, the unit that runs it, and how to tell its time."""

    op: ir.Operation
    axes: tuple[Axis, ...]
    extents: tuple[int, ...]
    unit: str
    result: tuple[tuple[int, ...], int] | None
    """The dimensions of the tensor that it makes, as positions in ``axes``, and bytes of its element."""
    strides: tuple[int, ...] = ()
    element: int = 0
    compute: Callable[[Sequence[int]], int] | None = None
    """Cycles of a compute op with these extents of its loops."""


class Costs:
    """Estimates for ``operations``, one group. ``trips``: how often the loops around it run it."""

    def __init__(self, operations: Sequence[ir.Operation], axes: Axes, device: Device, tiles: int, trips: int) -> None:
        self.device = device
        self.tiles = tiles
        self.trips = trips
        self._bandwidth = {
            "load": _bandwidth(device, device.memory("device").kind, device.memory("lx").kind),
            "store": _bandwidth(device, device.memory("lx").kind, device.memory("device").kind),
        }
        self._works = [work for op in operations if (work := _work(op, axes, device)) is not None]

    def estimate(self, sizes: Sizes, again: Mapping[ir.Operation, int] | None = None) -> Estimate:
        """For tiles of ``sizes``. ``again``: how many loops over the same tiles an op is in, if it is not one."""
        order = list(sizes)
        single = slots = 0
        busy = {"load": 0.0, "store": 0.0, "compute": 0.0, "device": 0.0}
        way = {"load": 0.0, "store": 0.0, "compute": 0.0}
        """How long one tile is on its way in each kind of unit; the transfers of one iteration overlap."""
        moving = {"load": 0.0, "store": 0.0}
        starting = {"load": 0.0, "store": 0.0}
        straight = traffic = 0.0
        for work in self._works:
            extents = [sizes.get(axis, n) for axis, n in zip(work.axes, work.extents, strict=True)]
            depth = max((order.index(axis) + 1 for axis in work.axes if axis in sizes), default=0)
            times = math.prod(-(-axis.extent // sizes[axis]) for axis in order[:depth])
            times *= (again or {}).get(work.op, 1)
            if work.result is not None:
                dims, element = work.result
                bytes_ = self.device.memory("lx").aligned(math.prod(extents[k] for k in dims) * element)
                single += bytes_
                slots += bytes_ * (SLOTS if depth or self.trips > 1 else 1)
            time, shared, whole = self._time(work, extents)
            busy[work.unit] += times * time
            busy["device"] += times * shared
            straight += max(time, shared)
            traffic += shared
            if work.unit in moving:
                moving[work.unit] = max(moving[work.unit], time)
                starting[work.unit] += times * self._starting(work.unit)
            way[work.unit] = way[work.unit] + whole if work.unit == "compute" else max(way[work.unit], whole)
        # All of an iteration's transfers share the bandwidth of device memory.
        for unit in ("load", "store"):
            way[unit] += max(0.0, traffic - moving[unit]) if way[unit] else 0.0
        iterations = self.trips * math.prod(-(-axis.extent // size) for axis, size in sizes.items())
        latency = straight + sum(self._starting(unit) for unit in moving if moving[unit])
        if iterations == 1:
            return Estimate(single, slots, latency, latency)
        # A slot is free again when the unit behind is through with it, and has said so.
        posts = 2 * (self.device.timing.post_latency + _AROUND * self.device.timing.scalar_cycles)
        stops = [way[unit] for unit in ("load", "compute", "store") if way[unit]]
        turn = max((a + b + posts for a, b in itertools.pairwise(stops)), default=0.0) / SLOTS
        for unit in starting:
            # While a transfer starts, the unit moves what else it has in flight, if that is something.
            busy[unit] = max(busy[unit], (starting[unit] + busy["device"]) / self._bandwidth[unit][2])
        overlapped = max(self.trips * max(busy.values()), iterations * turn) + latency
        in_turn = self.trips * (max(busy["load"] + busy["store"], busy["device"]) + busy["compute"])
        return Estimate(single, slots, max(in_turn, iterations * turn * SLOTS), overlapped)

    def _starting(self, unit: str) -> float:
        """Cycles of a transfer before its first byte and behind its last."""
        return self.device.timing.transfer_startup + self._bandwidth[unit][1]

    def _time(self, work: _Work, extents: list[int]) -> tuple[float, float, float]:
        """For one tile: cycles that the op keeps its unit from others, and device memory, and until it is done."""
        timing = self.device.timing
        around = _AROUND * timing.scalar_cycles
        if work.unit != "compute":
            grain = self.device.memory("device").alignment
            bytes_ = cost.moved_bytes(0, extents, work.strides, work.element, grain)
            narrowest, _, outstanding = self._bandwidth[work.unit]
            time = bytes_ / narrowest
            whole = self._starting(work.unit) + time
            # Start-up is hidden behind what is in flight.
            return max(time, whole / outstanding, around), bytes_ * self.tiles / timing.device_bandwidth, whole
        assert work.compute is not None
        cycles = work.compute(extents)
        return cycles + around, 0, cycles


def _bandwidth(device: Device, source: str, target: str) -> tuple[int, int, int]:
    """Bytes per cycle, latency, and how many transfers are in flight, from one memory to another."""
    route = routes.shortest(device, source, target)
    along = routes.links(device, route)
    engine = routes.engine(device, route)
    outstanding = device.units[engine].max_outstanding if engine is not None else 1
    return min(link.bandwidth for link in along), sum(link.latency for link in along), max(1, outstanding)


def box_in_bytes(
    view: dataflow.BoxOp, type_: ir.RankedTensorType, device: Device
) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Counts and strides of what a read or write moves, and the bytes of an element; a stride that only the run knows
    is taken to be that of elements in grains of their own."""
    element = numerics.sizeof(str(type_.element_type))
    far = device.memory("device").alignment
    return tuple(type_.shape), tuple(far if s == DYNAMIC else s * element for s in view.static_strides), element


def _work(op: ir.Operation, axes: Axes, device: Device) -> _Work | None:
    view = op.opview
    space = tuple(axes.space(op))
    extents = tuple(axis.extent for axis in space)
    everything = tuple(range(len(space)))
    if isinstance(view, dataflow.BoxOp):
        reads = isinstance(view, dataflow.ReadOp)
        _, strides, element = box_in_bytes(view, ir.RankedTensorType(boxed(view).type), device)
        result = (everything, element) if reads else None
        return _Work(op, space, extents, "load" if reads else "store", result, strides, element)
    seen = structured(op)
    if seen is None:
        return None
    dims = tuple(
        expression.position for expression in seen.output_maps[0].results if isinstance(expression, ir.AffineDimExpr)
    )
    element = sum(numerics.sizeof(str(ir.RankedTensorType(result.type).element_type)) for result in op.results)
    return _Work(op, space, extents, "compute", (dims, element), compute=_cycles(seen, device))


def _cycles(op: Structured, device: Device) -> Callable[[Sequence[int]], int]:
    """How long the op takes on the unit that it is going to be given to, on all corelets where that is faster."""
    unit = unit_for(op, device)
    whole = Cycles(op, unit, device)
    if device.corelets < 2 or unit.level != "corelet":
        return whole

    def shared(counts: Sequence[int]) -> int:
        cut = next(corelets.cuts(op, counts, device), None)
        return whole(counts) - (0 if cut is None else max(0, corelets.saved(whole, counts, cut, device)))

    return shared
