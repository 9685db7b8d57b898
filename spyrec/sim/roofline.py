"""The least time that a run could have taken on its device: its roofline bound.

For each resource the amount of work that the kernel cannot do without, over what the resource does per cycle; and what
has to happen, for one tile, before the resource can begin and after it has ended: no more than was outside of it in the
run itself, where channels may carry something else than tiles. So no run is faster than its bound. What makes a run
slower: bytes that move more than once or in whole grains, cores with unequal work, units that wait for one another.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from spyrec.device import cost, routes
from spyrec.device.model import Device, Unit
from spyrec.errors import Unsupported
from spyrec.isa import Binary, Contract, Stream, UnitProgram, Xfer
from spyrec.sim.contract import contract_element
from spyrec.sim.stream import lane_operations
from spyrec.sim.trace import Tally
from spyrec.sim.transfer import boxes, path


@dataclass(frozen=True)
class Resource:
    """``amount`` of ``what`` over ``peak`` per cycle is ``cycles``; ``edges``: what one tile takes outside of it."""

    name: str
    what: str
    amount: float
    peak: float
    cycles: float
    edges: int

    @property
    def bound(self) -> float:
        """No run takes fewer cycles because of this resource."""
        return self.cycles + self.edges if self.amount else 0.0


@dataclass(frozen=True)
class Bound:
    """The resources, most loaded first, and the cycles of one tile on its way through the units (``chain``)."""

    resources: tuple[Resource, ...]
    chain: int

    @property
    def cycles(self) -> int:
        """The least number of cycles."""
        return max(self.chain, math.ceil(max((r.bound for r in self.resources), default=0.0)))

    @property
    def limit(self) -> str:
        """What the bound comes from."""
        first = max(self.resources, key=lambda r: r.bound, default=None)
        return first.name if first is not None and first.bound > self.chain else "one tile"


@dataclass
class _Work:
    """What one kind of step costs: ``least`` cycles of a single one of ``count``; ``amount`` and ``cycles`` of all
    together.
    """

    count: int = 0
    least: int = 0
    amount: float = 0
    cycles: float = 0

    def add(self, least: int, amount: float, cycles: float, count: int) -> None:
        self.least = min(self.least, least) if self.count else least
        self.count += count
        self.amount += amount * count
        self.cycles += cycles * count


@dataclass
class _Steps:
    """All work of a run: transfers by the memories that they join, and compute by role of the unit."""

    moves: dict[tuple[str, str], _Work] = field(default_factory=dict)
    compute: dict[str, _Work] = field(default_factory=dict)


def bound(
    binary: Binary,
    device: Device,
    unique: int,
    useful: Mapping[tuple[str, str], int],
    tallies: Mapping[tuple[int, int, int], Tally],
    took: int,
) -> Bound:
    """The bound of a run that ``took`` so many cycles and of which ``tallies`` say how often each instruction ran, and
    when.

    ``unique`` is bytes of device memory read and bytes written, each counted once over all cores; ``useful`` has the
    bytes that each link had to carry.
    """
    steps = _steps(binary, device, tallies)
    chained = _chain(binary, device, steps)
    post = device.timing.post_latency
    chain = min(took, sum(cycles for _, cycles in chained) + post * max(0, len(chained) - 1))
    outside = _outside(binary, device, tallies, took)

    def edges(role: str) -> int:
        """One tile's time in the units of other roles."""
        if not any(name == role for name, _ in chained):
            return 0
        others = [cycles for name, cycles in chained if name != role]
        return min(outside[role], sum(others) + post * len(others))

    start = device.timing.transfer_startup if any("device" in ends for ends in steps.moves) else 0
    memory = device.memory("device")
    peak = device.timing.device_bandwidth
    found = [Resource(f"memory {memory.kind}", "bytes", unique, peak, unique / peak, start)]
    for (source, target), amount in useful.items():
        link = device.link(source, target)
        unit = device.units[target if target in device.units else source]
        peak = link.bandwidth * _instances(binary, device, unit)
        around = edges(unit.role) + device.timing.transfer_startup
        found.append(Resource(f"link {source} to {target}", "bytes", amount, peak, amount / peak, around))
    for role, work in steps.compute.items():
        unit = next(u for u in device.units.values() if u.role == role)
        what = "multiply-adds" if role == "matrix" else "lane operations"
        cycles = work.cycles / _instances(binary, device, unit)
        rate = work.amount / cycles if cycles else 0.0
        found.append(Resource(f"units {unit.kind}", what, work.amount, rate, cycles, edges(role)))
    return Bound(tuple(sorted(found, key=lambda r: -r.bound)), chain)


def _instances(binary: Binary, device: Device, unit: Unit) -> int:
    """How many units of a kind the cores have that run a tile."""
    return binary.tiles * (device.corelets if unit.level == "corelet" else 1)


def _outside(
    binary: Binary, device: Device, tallies: Mapping[tuple[int, int, int], Tally], took: int
) -> dict[str, int]:
    """For each role the cycles before its first step and after its last one, on the unit where they are fewest."""
    spans: dict[tuple[int, int], tuple[int, int]] = {}
    for (core, number, _), tally in tallies.items():
        first, last = spans.get((core, number), (tally.first, tally.last))
        spans[core, number] = min(first, tally.first), max(last, tally.last)
    found: dict[str, int] = {}
    for (_, number), (first, last) in spans.items():
        role = device.units[binary.units[number].kind].role
        found[role] = min(found.get(role, took), first + took - last)
    return found


def _steps(binary: Binary, device: Device, tallies: Mapping[tuple[int, int, int], Tally]) -> _Steps:
    counts: dict[tuple[int, int], int] = {}
    for (_, program_number, index), tally in tallies.items():
        counts[program_number, index] = counts.get((program_number, index), 0) + tally.count
    steps = _Steps()
    for (number, index), count in counts.items():
        program = binary.units[number]
        instruction = program.code[index]
        if isinstance(instruction, Xfer):
            source, dest = binary.memory(instruction.source), binary.memory(instruction.dest)
            if source is not None and dest is not None:
                work = steps.moves.setdefault((source, dest), _Work())
                work.add(_transfer(device, program, instruction, source, dest), 1, 0, count)
        elif isinstance(instruction, Stream | Contract):
            unit = device.units[program.kind]
            amount, cycles = _compute(unit, device, instruction)
            least = device.timing.stream_startup + math.ceil(cycles)
            steps.compute.setdefault(unit.role, _Work()).add(least, amount, cycles, count)
    return steps


def _transfer(device: Device, program: UnitProgram, instruction: Xfer, source: str, dest: str) -> int:
    """Cycles of a transfer that has everything for itself and moves each byte once."""
    links = path(device, program.kind, source, dest)
    size = min(side.bytes for side in boxes(instruction))
    rates = [link.bandwidth for link in links]
    rate = min(*rates, device.timing.device_bandwidth) if "device" in (source, dest) else min(rates)
    return device.timing.transfer_startup + sum(link.latency for link in links) + -(-size // rate)


def _compute(unit: Unit, device: Device, instruction: Stream | Contract) -> tuple[float, float]:
    """Operations of a stream (an add is 1) or multiply-adds of a contraction, and cycles of them at full rate."""
    points = math.prod(instruction.counts)
    if isinstance(instruction, Contract):
        return points, points / cost.multiply_adds(unit, contract_element(instruction))
    amount = cycles = 0.0
    for slow, element in lane_operations(instruction):
        factor = device.timing.transcendental_factor if slow else 1
        amount += factor * points
        cycles += factor * points / unit.lanes[element]
    return amount, cycles


def _chain(binary: Binary, device: Device, steps: _Steps) -> list[tuple[str, int]]:
    """What one tile passes, in order: (role of the unit, cycles at least).

    A step counts only if a channel joins it to the one before, or the ring does, by which cores share what one of them
    has loaded. Where there is none between device memory and LX, the transfers by way of stages are steps of their own.
    """
    labels = {u.label: device.units[u.kind].role for u in binary.units}
    joined = {(labels[c.source], labels[c.target]) for c in binary.channels}
    chain: list[tuple[str, int]] = []

    near, far = device.memory("lx"), device.memory("device")
    ways = [("load", work) for work in _way(device, steps, far.kind, near.kind)]
    ways += [*sorted(steps.compute.items()), *(("store", work) for work in _way(device, steps, near.kind, far.kind))]
    around = steps.moves.get((near.space, near.space), _Work())
    for role, work in ways:
        if not work.count:
            continue
        last = chain[-1][0] if chain else None
        if last is not None and (last, role) not in joined:
            if not {(last, "ring"), ("ring", role)} <= joined:
                continue
            chain.append(("ring", around.least))
        chain.append((role, work.least))
    return chain


def _way(device: Device, steps: _Steps, source: str, target: str) -> list[_Work]:
    """The transfers between device memory and LX, in the order in which bytes take them."""
    try:
        legs = routes.legs(device, source, target)
    except Unsupported:
        return []
    ends = [tuple(device.memories[kind].space for kind in (leg[0][0], leg[0][-1])) for leg in legs]
    return [steps.moves.get((a, b), _Work()) for a, b in ends]
