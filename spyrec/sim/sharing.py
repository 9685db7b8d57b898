"""Device memory shared by transfers: a fluid model of processor sharing.

All transfers in progress share ``capacity`` bytes per cycle. None gets more than its own links carry (its ``cap``),
what those leave is divided equally among the others (water-filling). Transfers with equal caps always run at equal
rates, so they form a class with one counter of bytes served to each member; a member ends when the counter has grown
by its size. The cost of an event is the number of different caps plus a heap operation, not the number of transfers.
"""

from __future__ import annotations

import heapq
from typing import Generic, TypeVar

_T = TypeVar("_T")
_SLACK = 1e-6  # bytes
_ROUNDING = 1e-14  # relative; sums of sizes and times are off by less


class _Class(Generic[_T]):
    """Transfers of one cap. ``served``: bytes that a member has got since the class was last empty."""

    __slots__ = ("cap", "members", "rate", "served")

    def __init__(self, cap: float) -> None:
        self.cap = cap
        self.rate = 0.0
        self.served = 0.0
        self.members: list[tuple[float, int, _T]] = []  # heap of (served at its end, number, payload)


class SharedLink(Generic[_T]):
    """``capacity`` bytes per cycle; payloads of type ``_T`` come back when their transfers end. Times are cycles."""

    def __init__(self, capacity: float) -> None:
        self.capacity = capacity
        self.now = 0.0
        self._classes: list[_Class[_T]] = []  # sorted by cap, none empty
        self._number = 0

    def start(self, now: float, size: float, cap: float, payload: _T) -> None:
        """Begin to move ``size`` bytes at ``now`` (not earlier than the last call), at most ``cap`` bytes per cycle."""
        self._advance(now)
        for kind in self._classes:
            if kind.cap == cap:
                break
        else:
            kind = _Class(cap)
            self._classes.append(kind)
            self._classes.sort(key=lambda c: c.cap)
        self._number += 1
        heapq.heappush(kind.members, (kind.served + size, self._number, payload))
        self._fill()

    def next_end(self) -> float | None:
        """When the next transfer ends if none begins before; ``None`` when none is in progress."""
        first: float | None = None
        for kind in self._classes:
            end = self.now + max(0.0, kind.members[0][0] - kind.served) / kind.rate
            if first is None or end < first:
                first = end
        return first

    def finish(self, now: float) -> list[_T]:
        """What ends at ``now``, which is what :meth:`next_end` said: payloads in order of their begin."""
        self._advance(now)
        ended: list[tuple[int, _T]] = []
        for kind in self._classes:
            served = kind.served + _SLACK + _ROUNDING * (kind.served + now * kind.rate)
            while kind.members and kind.members[0][0] <= served:
                _, number, payload = heapq.heappop(kind.members)
                ended.append((number, payload))
        if ended:
            self._classes = [k for k in self._classes if k.members]
            self._fill()
        ended.sort(key=lambda pair: pair[0])
        return [payload for _, payload in ended]

    def _advance(self, now: float) -> None:
        passed = now - self.now
        if passed > 0:
            for kind in self._classes:
                kind.served += kind.rate * passed
            self.now = now

    def _fill(self) -> None:
        left = self.capacity
        members = sum(len(k.members) for k in self._classes)
        for kind in self._classes:
            kind.rate = min(kind.cap, left / members)
            left -= kind.rate * len(kind.members)
            members -= len(kind.members)
