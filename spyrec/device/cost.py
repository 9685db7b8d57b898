"""How long one transfer or one stream kernel takes, in closed form.

The simulator, reports and choices of tile size use the same functions, so that an estimate and a simulated time cannot
disagree about one operation. All results are cycles of the device's clock, rounded up.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from spyrec.device import ring, routes
from spyrec.device.model import Device, Link, Unit
from spyrec.errors import Unsupported

_FEW_RUNS = 4096
"""So many contiguous runs are looked at one by one; of more of them, those at one place in a grain are counted."""


def runs(counts: Sequence[int], strides: Sequence[int], element_bytes: int) -> tuple[int, list[tuple[int, int]]]:
    """Split a strided box into contiguous runs.

    ``counts`` and ``strides`` (bytes) are outermost first. Returns the bytes of one run and the remaining (count,
    stride) pairs, outermost first.
    """
    outer = [(c, s) for c, s in zip(counts, strides, strict=True) if c != 1]
    length = element_bytes
    while outer and outer[-1][1] == length:
        length *= outer.pop()[0]
    return length, outer


def grain(links: Sequence[Link], alignment: int) -> int:
    """The bytes that move at least for one byte in a memory with ``alignment``: the largest of it and of the smallest
    transfers that each link carries.
    """
    return max([alignment, *(min(link.granularity) for link in links if link.granularity)])


def moved_bytes(address: int, counts: Sequence[int], strides: Sequence[int], element_bytes: int, grain: int) -> int:
    """Bytes that device memory moves for a strided box at byte ``address``: whole grains, each run on its own."""
    length, outer = runs(counts, strides, element_bytes)
    total = math.prod(c for c, _ in outer)
    if total == 0 or length == 0:
        return 0
    if all(stride % grain == 0 for _, stride in outer):
        # Each run is where the first one is in its grains.
        return total * ((address + length - 1) // grain - address // grain + 1) * grain
    if total > _FEW_RUNS:
        return sum(n * ((phase + length - 1) // grain + 1) for phase, n in _phases(address, outer, grain)) * grain
    starts = np.array([address], dtype=np.int64)
    for count, stride in outer:
        starts = (starts[:, None] + np.arange(count, dtype=np.int64) * stride).ravel()
    return int(((starts + length - 1) // grain - starts // grain + 1).sum()) * grain


def _phases(address: int, outer: Iterable[tuple[int, int]], grain: int) -> Iterable[tuple[int, int]]:
    """Where in a grain runs begin, and how many begin there; ``outer`` are the (count, stride) pairs of the runs."""
    found = {address % grain: 1}
    for count, stride in outer:
        period = grain // math.gcd(stride, grain)
        whole, rest = divmod(count, period)
        stepped: dict[int, int] = {}
        for k in range(min(period, count)):
            times = whole + (k < rest)
            for phase, number in found.items():
                moved = (phase + k * stride) % grain
                stepped[moved] = stepped.get(moved, 0) + times * number
        found = stepped
    return found.items()


def quickest(
    device: Device, source: str, target: str, counts: Sequence[int], strides: Sequence[int], element_bytes: int
) -> list[tuple[str, ...]]:
    """The routes over which a box arrives first, one for each transfer on the way from one memory to another.

    The box is a strided one in device memory, each run on its own, and dense everywhere else: fewer bytes move over
    links with small grains, more at a time over those with much bandwidth. Of equally good routes the first in the
    device file. Raises ``Unsupported`` when there is no way.
    """
    shared = device.memory("device")

    def cycles(route: tuple[str, ...]) -> int:
        along = routes.links(device, route)
        if shared.kind in (route[0], route[-1]):
            moved = moved_bytes(0, counts, strides, element_bytes, grain(along, shared.alignment))
        else:
            moved = moved_bytes(0, [math.prod(counts)], [element_bytes], element_bytes, grain(along, 1))
        return transfer_cycles(device, route, moved)

    return [min(leg, key=cycles) for leg in routes.legs(device, source, target)]


def transfer_cycles(device: Device, route: tuple[str, ...], moved: int) -> int:
    """Cycles of one transfer of ``moved`` bytes that has every link of ``route`` for itself, start-up and latency
    included.

    Sharing of device memory between cores comes on top: a transfer cannot end before ``device_share_cycles`` of all
    bytes moved by all cores since it began.
    """
    along = routes.links(device, route)
    slowest = max((_ceil(moved, link.bandwidth) for link in along), default=0)
    return device.timing.transfer_startup + sum(link.latency for link in along) + slowest


def multicast_cycles(
    device: Device, route: tuple[str, ...], moved: int, trees: Iterable[tuple[int, Iterable[int]]]
) -> int:
    """Cycles of the last of several multicasts that begin at once, each of ``moved`` bytes from one core to others: as
    :func:`transfer_cycles`, with the way around the ring, whose links they share.
    """
    found = [ring.tree(source, targets, device.cores) for source, targets in trees]
    flows = Counter(link for links, _ in found for link in links)
    hops = max((hops for _, hops in found), default=0)
    around = _ceil(moved * max(flows.values(), default=0), device.timing.ring_bandwidth)
    begin = transfer_cycles(device, route, 0)
    return begin + hops * device.timing.hop_latency + max(around, transfer_cycles(device, route, moved) - begin)


def device_share_cycles(device: Device, moved: int) -> int:
    """Cycles that device memory is busy with ``moved`` bytes, whichever core asked for them."""
    return _ceil(moved, device.timing.device_bandwidth)


def stream_cycles(device: Device, unit: Unit, points: int, operations: Iterable[tuple[bool, str]]) -> int:
    """Cycles of one stream kernel over ``points`` elements on ``unit``.

    ``operations`` are (runs at the transcendental rate, element type) of the micro-ops; a body without any is a copy
    and costs one pass. Raises ``Unsupported`` for an element type that the unit has no lanes for.
    """
    passes = sum(
        (device.timing.transcendental_factor if slow else 1) * _ceil(points, lanes(unit, element))
        for slow, element in operations
    )
    widest = max(unit.lanes.values(), default=1)
    return device.timing.stream_startup + max(passes, _ceil(points, widest))


def contract_cycles(device: Device, unit: Unit, shape: tuple[int, int, int, int], element: str) -> int:
    """Cycles of one contraction of ``shape`` (batch, rows, columns, depth) on the matrix unit ``unit``.

    Each cell of its array holds one accumulator at a time and does ``lanes / cells`` multiply-adds per cycle; rows and
    columns are done in blocks of the array's size. Raises ``Unsupported`` for an element type without lanes.
    """
    batch, rows, columns, depth = shape
    high, wide = unit.array or (1, 1)
    per_cell = multiply_adds(unit, element) // (high * wide)
    return device.timing.stream_startup + batch * _ceil(rows, high) * _ceil(columns, wide) * _ceil(depth, per_cell)


def multiply_adds(unit: Unit, element: str) -> int:
    """Multiply-adds per cycle of the whole array of a matrix unit: as many in each cell, and at least one. Raises
    ``Unsupported`` for an element type without lanes.
    """
    cells = math.prod(unit.array)
    return max(1, lanes(unit, element) // cells) * cells


def lanes(unit: Unit, element: str) -> int:
    """Elements of type ``element`` per cycle on ``unit``. Raises ``Unsupported`` when the unit cannot process the
    type.
    """
    found = unit.lanes.get(element)
    if found is None:
        raise Unsupported(f"unit '{unit.kind}' has no lanes for {element}; it has them for {', '.join(unit.lanes)}")
    return found


def _ceil(amount: int, per_cycle: int) -> int:
    return -(-amount // per_cycle)
