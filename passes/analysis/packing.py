"""Giving addresses to buffers: side by side, or sharing bytes where lifetimes allow it. Sizes are multiples of the
alignment.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, insort
from collections.abc import Sequence
from dataclasses import dataclass

from spyrec.passes.analysis.liveness import Lifetime

_EXHAUSTIVE = 2_000
"""Up to how many buffers a placement that compares all pairs is tried."""


@dataclass(frozen=True)
class Request:
    """``size`` bytes during ``lifetime``."""

    size: int
    lifetime: Lifetime


@dataclass(frozen=True)
class Packing:
    """An address per request, and the end of the highest one."""

    addresses: tuple[int, ...]
    total: int


def apart(requests: Sequence[Request], kept: tuple[int, int] = (0, 0)) -> Packing:
    """One after the other: nothing is shared, so nobody waits for bytes to become free. The bytes from one to the other
    of ``kept`` are not taken.
    """
    at = 0
    addresses = []
    for request in requests:
        if at < kept[1] and at + request.size > kept[0]:
            at = kept[1]
        addresses.append(at)
        at += request.size
    return Packing(tuple(addresses), at)


def shared(requests: Sequence[Request], limit: int) -> Packing:
    """A packing in which only buffers that are never alive together share bytes; below ``limit`` if one is found."""
    packing = _in_order_of_time(requests)
    if packing.total > limit and len(requests) <= _EXHAUSTIVE:
        packing = min(packing, _largest_first(requests), key=lambda p: p.total)
    return packing


def beside(packing: Packing, kept: tuple[int, int]) -> Packing:
    """The packing below the bytes ``kept``, or else above them."""
    if packing.total <= kept[0]:
        return packing
    return Packing(tuple(kept[1] + address for address in packing.addresses), kept[1] + packing.total)


def fullest(requests: Sequence[Request]) -> list[int]:
    """The requests that are alive at the time when most bytes are."""
    events = sorted(
        [(r.lifetime.start, 0, r.size, k) for k, r in enumerate(requests)]
        + [(r.lifetime.end, 1, r.size, k) for k, r in enumerate(requests)]
    )
    alive: dict[int, None] = {}
    size = most = 0
    best: list[int] = []
    rising = False
    for _, ends, bytes_, k in events:
        if ends:
            # Only a point from which it goes down can be the fullest; listing it there keeps this linear in practice.
            if rising and size > most:
                most, best = size, list(alive)
            rising = False
            size -= bytes_
            del alive[k]
        else:
            rising = True
            size += bytes_
            alive[k] = None
    return best


def _in_order_of_time(requests: Sequence[Request]) -> Packing:
    """Best fit while sweeping over time: each buffer takes the smallest gap that is free when it becomes alive."""
    gaps = _Gaps()
    addresses = [0] * len(requests)
    ends: list[tuple[int, int]] = []
    for k in sorted(range(len(requests)), key=lambda k: (requests[k].lifetime.start, -requests[k].size, k)):
        request = requests[k]
        while ends and ends[0][0] < request.lifetime.start:
            _, done = heapq.heappop(ends)
            gaps.give(addresses[done], requests[done].size)
        addresses[k] = gaps.take(request.size)
        heapq.heappush(ends, (request.lifetime.end, k))
    return Packing(tuple(addresses), gaps.top)


class _Gaps:
    """Free bytes below ``top``, the highest end so far. Above it everything is free."""

    def __init__(self) -> None:
        self.top = 0
        self._by_size: list[tuple[int, int]] = []
        self._ends: dict[int, int] = {}
        self._starts: dict[int, int] = {}

    def take(self, size: int) -> int:
        """The start of ``size`` free bytes, no longer free."""
        found = bisect_left(self._by_size, (size, 0))
        if found < len(self._by_size):
            space, start = self._by_size[found]
            self._remove(start, start + space)
            if space > size:
                self._add(start + size, start + space)
            return start
        # The last gap may reach up to the top and be widened.
        start = self._ends.get(self.top, self.top)
        if start < self.top:
            self._remove(start, self.top)
        self.top = start + size
        return start

    def give(self, start: int, size: int) -> None:
        """Free bytes again, joining the gaps on both sides."""
        end = start + size
        if not size:
            return
        if start in self._ends:
            before = self._ends[start]
            self._remove(before, start)
            start = before
        if end in self._starts:
            after = self._starts[end]
            self._remove(end, after)
            end = after
        self._add(start, end)

    def _add(self, start: int, end: int) -> None:
        insort(self._by_size, (end - start, start))
        self._starts[start], self._ends[end] = end, start

    def _remove(self, start: int, end: int) -> None:
        del self._by_size[bisect_left(self._by_size, (end - start, start))], self._starts[start], self._ends[end]


def _largest_first(requests: Sequence[Request]) -> Packing:
    """First fit by decreasing size: each buffer goes to the lowest address that no buffer alive with it covers."""
    addresses = [0] * len(requests)
    placed: list[int] = []
    total = 0
    for k in sorted(range(len(requests)), key=lambda k: (-requests[k].size, k)):
        mine = requests[k].lifetime
        taken = sorted(
            (addresses[other], addresses[other] + requests[other].size)
            for other in placed
            if requests[other].lifetime.start <= mine.end and mine.start <= requests[other].lifetime.end
        )
        at = 0
        for start, end in taken:
            if start - at >= requests[k].size:
                break
            at = max(at, end)
        addresses[k] = at
        placed.append(k)
        total = max(total, at + requests[k].size)
    return Packing(tuple(addresses), total)
