"""Transfers: ``xfer`` as a step.

The bytes move when the instruction is issued; its time is a start-up, a share of bandwidth in the order of the unit's
transfers, and the latency of its links. That is sound because other units only learn of a transfer through a post,
which fires when it is complete, and accesses that no post orders are a race whatever the values were.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from spyrec.device import cost
from spyrec.device.model import Device, Link
from spyrec.isa import LX, Instruction, Xfer
from spyrec.sim.boxes import Box, box, pairing
from spyrec.sim.elements import low_bytes
from spyrec.sim.faults import UnitStops
from spyrec.sim.operands import device_address, local_address
from spyrec.sim.shadow import Bytes, SharedShadow
from spyrec.sim.traffic import LinkCounter
from spyrec.sim.units import BLOCKED, Flight, Step, Unit
from spyrec.sim.world import Site

WORDS: dict[int, np.dtype[Any]] = {n: np.dtype(f"uint{8 * n}") for n in (1, 2, 4, 8)}

Source = Callable[[Unit], tuple[Bytes, int, int]]
"""Record the read; give the bytes, where in them the box begins, and the address of that."""

Dest = Callable[[Unit], tuple[Bytes, int, int, SharedShadow | None]]
"""Record the write; as :data:`Source`, with the shadow that compares bytes afterwards, if there is one."""


def xfer(site: Site, instruction: Instruction) -> Step:
    """The step of a transfer. Raises ``InvalidKernel`` when the device has no such path."""
    assert isinstance(instruction, Xfer)
    world, index, following, cycles = site.world, site.index, site.index + 1, site.cycles
    startup = world.device.timing.transfer_startup
    engine, latencies, sanitizer = world.engine, world.engine.latencies, world.sanitizer
    from_space, to_space = (world.binary.memory(end) for end in (instruction.source, instruction.dest))
    assert to_space is not None
    links = path(world.device, site.program.kind, from_space, to_space)
    cap, latency = min(link.bandwidth for link in links), sum(link.latency for link in links)
    shared = "device" in (from_space, to_space)
    source, dest = boxes(instruction)
    read, write = _source(site, instruction, source), _dest(site, instruction, dest)
    copy = copier(instruction.element_bytes, source, dest)
    read_moves = moved_bytes(world.device, links, from_space, source)
    write_moves = moved_bytes(world.device, links, to_space, dest)
    read_counter = None if from_space is None else world.traffic.memory(from_space)
    write_counter = world.traffic.memory(to_space)
    counters: list[LinkCounter] = [*world.traffic.along(links)]
    if shared:
        counters.append(world.traffic.transfer(site.program.label, index))
    within = 0 if shared else dest.bytes

    def step(unit: Unit) -> int:
        if not unit.slot_free():
            unit.pc = index
            return BLOCKED
        from_data, from_at, from_address = read(unit)
        to_data, to_at, to_address, shadow = write(unit)
        if from_data is to_data and meet(source, from_at, dest, to_at):
            raise UnitStops("overlap", "the source and the destination of a transfer share bytes")
        copy(from_data, from_at, to_data, to_at)
        if shadow is not None:
            found = shadow.settle()
            if found:
                sanitizer.judge(found, world.memory.find(to_address, to_address + 1).name, reads=False)
        unit.time += cycles
        size = write_moves(to_address)
        write_counter.written(dest.bytes, size)
        if read_counter is not None:
            moved = read_moves(from_address)
            read_counter.read(source.bytes, moved)
            size = max(size, moved)
        for counter in counters:
            counter.asked += dest.bytes
            counter.within += within
            counter.moved += size
        volume, rate = latencies.flow(size, cap)
        ready = unit.time + latencies.cycles(startup)
        engine.issue(Flight(unit, index, volume, rate, shared, unit.time, ready, latencies.cycles(latency)))
        return following

    return step


def boxes(instruction: Xfer) -> tuple[Box, Box]:
    """The boxes of a transfer's source and destination."""
    counts = tuple(d.count for d in instruction.dims)
    size = instruction.element_bytes
    return (
        box(counts, tuple(d.source_stride for d in instruction.dims), size),
        box(counts, tuple(d.dest_stride for d in instruction.dims), size),
    )


def path(device: Device, unit: str, source: str | None, dest: str | None) -> list[Link]:
    """The links from memory ``source``, none for a fill, through ``unit`` to ``dest``.

    Raises ``InvalidKernel`` when the device has no such link.
    """

    def kind(space: str) -> str:
        memory = device.called(space)
        return space if memory is None else memory.kind

    links = [] if source is None else [device.link(kind(source), unit)]
    return links if dest is None else [*links, device.link(unit, kind(dest))]


def moved_bytes(device: Device, links: Sequence[Link], space: str | None, where: Box) -> Callable[[int], int]:
    """Address of ``where`` to the bytes that move for it over ``links``: whole grains of device memory and of the
    links; single bytes of other memories where the links carry any size.
    """
    grain = cost.grain(links, device.memory("device").alignment if space == "device" else 1)
    if grain == 1:
        return lambda address: where.bytes
    known: dict[int, int] = {}  # only the position in a grain matters

    def moved(address: int) -> int:
        phase = address % grain
        found = known.get(phase)
        if found is None:
            found = known[phase] = cost.moved_bytes(
                phase + (-where.low + grain - 1) // grain * grain,
                where.counts,
                where.strides,
                where.element_bytes,
                grain,
            )
        return found

    return moved


def _source(site: Site, instruction: Xfer, where: Box) -> Source:
    end, index, sanitizer, kind = instruction.source, site.index, site.world.sanitizer, site.program.kind
    if end.space == "fill":
        pattern = low_bytes(end.offset)
        return lambda unit: (pattern, 0, 0)
    if end.space == "device":
        span = site.world.device.limits.access_span
        address = device_address(end.base, end.offset, where, site.world.memory, span)
        mine = site.world.traffic.transfer(site.program.label, index)

        def read_device(unit: Unit) -> tuple[Bytes, int, int]:
            at, window = address(unit)
            place = at - window.start
            found = window.shadow.read(where.intervals, place, unit.access(index, -1), unit.clock)
            if found:
                sanitizer.judge(found, window.name, reads=True)
            if mine.first(at, unit.core):
                window.touched.mark(where, place, kind, writes=False)
            return window.data, place, at

        return read_device
    buffer, name = -1 if end.buffer is None else end.buffer, site.world.binary.memory(end) or LX
    near = local_address(end.base, end.offset, where, end.buffer, site.world.binary, site.world.device)

    def read_local(unit: Unit) -> tuple[Bytes, int, int]:
        at, local = near(unit), unit.local[name]
        found = local.shadow.read(where.intervals, at, unit.access(index, buffer), unit.clock)
        if found:
            sanitizer.judge(found, local.name, reads=True)
        return local.data, at, at

    return read_local


def _dest(site: Site, instruction: Xfer, where: Box) -> Dest:
    end, index, sanitizer, kind = instruction.dest, site.index, site.world.sanitizer, site.program.kind
    if end.space == "device":
        span = site.world.device.limits.access_span
        address = device_address(end.base, end.offset, where, site.world.memory, span, writes=True)
        mine = site.world.traffic.transfer(site.program.label, index)

        def write_device(unit: Unit) -> tuple[Bytes, int, int, SharedShadow | None]:
            at, window = address(unit)
            place, shadow = at - window.start, window.shadow
            found = shadow.write(where.intervals, place, unit.access(index, -1), unit.clock)
            if found:
                sanitizer.judge(found, window.name, reads=False)
            if mine.first(at, unit.core):
                window.touched.mark(where, place, kind, writes=True)
            return window.data, place, at, shadow

        return write_device
    buffer, name = -1 if end.buffer is None else end.buffer, site.world.binary.memory(end) or LX
    near = local_address(end.base, end.offset, where, end.buffer, site.world.binary, site.world.device, writes=True)

    def write_local(unit: Unit) -> tuple[Bytes, int, int, SharedShadow | None]:
        at, local = near(unit), unit.local[name]
        found = local.shadow.write(where.intervals, at, unit.access(index, buffer), unit.clock)
        if found:
            sanitizer.judge(found, local.name, reads=False)
        return local.data, at, at, None

    return write_local


def copier(element_bytes: int, source: Box, dest: Box) -> Callable[[Bytes, int, Bytes, int], None]:
    """Copies the elements of one box to the other, given the bytes and the place of the first element of each."""
    shape = pairing(source, dest)
    word, count = WORDS[element_bytes], shape.contiguous

    def copy_run(from_data: Bytes, from_at: int, to_data: Bytes, to_at: int) -> None:
        to_data[to_at : to_at + count] = from_data[from_at : from_at + count]

    def copy_box(from_data: Bytes, from_at: int, to_data: Bytes, to_at: int) -> None:
        from_view = np.ndarray(shape.counts, word, from_data, from_at, shape.source_strides)
        to_view = np.ndarray(shape.counts, word, to_data, to_at, shape.dest_strides)
        to_view[...] = from_view

    return copy_run if count else copy_box


def meet(a: Box, a_at: int, b: Box, b_at: int) -> bool:
    """True if two boxes at these places share a byte."""
    if a_at + a.high <= b_at + b.low or b_at + b.high <= a_at + a.low:
        return False
    shift = b_at - a_at
    i = j = 0
    while i < len(a.intervals) and j < len(b.intervals):
        low, high = b.intervals[j][0] + shift, b.intervals[j][1] + shift
        if a.intervals[i][0] < high and low < a.intervals[i][1]:
            return True
        if a.intervals[i][1] <= low:
            i += 1
        else:
            j += 1
    return False
