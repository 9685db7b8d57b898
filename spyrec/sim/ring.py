"""How transfers share the links of the ring (:mod:`spyrec.device.ring` says which ones they pass).

Processor sharing, fluid and max-min fair: rates grow together until a link is full or a transfer reaches what its own
links carry; those stay, the others grow on. The bytes pass all links of a way at one rate.
"""

from __future__ import annotations

from typing import Generic, TypeVar

_T = TypeVar("_T")
_SLACK = 1e-6  # bytes


class _Flow(Generic[_T]):
    """A transfer in progress: bytes that are left, its rate now, the most that its own links carry."""

    __slots__ = ("cap", "left", "links", "payload", "rate")

    def __init__(self, size: float, cap: float, links: tuple[int, ...], payload: _T) -> None:
        self.left = size
        self.cap = cap
        self.links = links
        self.payload = payload
        self.rate = 0.0


class Ring(Generic[_T]):
    """All links, each of ``capacity`` bytes per cycle; payloads come back when transfers end. Times are cycles."""

    def __init__(self, capacity: float) -> None:
        self.capacity = capacity
        self.now = 0.0
        self._flows: list[_Flow[_T]] = []

    def start(self, now: float, size: float, cap: float, payload: _T, links: tuple[int, ...]) -> None:
        """Begin to move ``size`` bytes over ``links`` at ``now`` (not earlier than the last call)."""
        self._advance(now)
        self._flows.append(_Flow(size, cap, links, payload))
        self._fill()

    def next_end(self) -> float | None:
        """When the next transfer ends if none begins before; ``None`` when none is in progress."""
        if not self._flows:
            return None
        return min((self.now + max(0.0, f.left) / f.rate for f in self._flows), default=None)

    def finish(self, now: float) -> list[_T]:
        """What ends at ``now``, which is what :meth:`next_end` said: payloads in order of their begin."""
        self._advance(now)
        ended = [f for f in self._flows if f.left <= _SLACK + 1e-12 * now * f.rate]
        self._flows = [f for f in self._flows if f not in ended]
        self._fill()
        return [f.payload for f in ended]

    def _advance(self, now: float) -> None:
        passed = now - self.now
        if passed > 0:
            for flow in self._flows:
                flow.left -= flow.rate * passed
            self.now = now

    def _fill(self) -> None:
        """Max-min fair rates: raise all rates together; what meets a limit stays where it is."""
        growing = list(self._flows)
        left: dict[int, float] = {}
        users: dict[int, int] = {}
        for flow in growing:
            for link in flow.links:
                left[link] = self.capacity
                users[link] = users.get(link, 0) + 1
        while growing:
            share = min((left[link] / users[link] for flow in growing for link in flow.links), default=float("inf"))
            level = min(share, *(flow.cap for flow in growing))
            full = {link for link, count in users.items() if count and left[link] / count <= level * (1 + 1e-12)}
            settled = [f for f in growing if f.cap <= level or not full.isdisjoint(f.links)]
            for flow in settled:
                flow.rate = level
                for link in flow.links:
                    left[link] -= level
                    users[link] -= 1
            growing = [f for f in growing if f not in settled]
