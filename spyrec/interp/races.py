"""Which accesses of compute tiles conflict: happens-before by vector clocks, checked byte for byte.

A tile's clock counts, per tile, how much of that tile's past it has seen. Producing a partial publishes the clock,
taking one joins it: nothing else orders tiles. Every byte of a memory remembers the accesses that a later one has to be
ordered after: the last writes, and the reads since. One execution decides for all orders of tiles, because no value
that a race-free kernel computes depends on the order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from spyrec.interp.faults import Fault

if TYPE_CHECKING:
    from spyrec.interp.machine import Reporter
    from spyrec.mlir import ir

Ids = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Event:
    """Accesses of ``op`` on compute tile ``tile``, when its clock said ``epoch`` of itself."""

    tile: int
    epoch: int
    op: ir.Operation


class Shadow:
    """Per granule of a segment the set of last writes and the set of reads since, by number (0: none).

    A granule is as many bytes as all accesses so far are multiples of, at most 8.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self.granule = 0  # nothing has been accessed
        self.was_read = self.was_written = False
        self.writers: Ids = np.zeros(0, np.int32)
        self.readers: Ids = np.zeros(0, np.int32)

    def refine(self, granule: int) -> None:
        """Make granules as small as an access needs them; a power of two."""
        if not self.granule:
            count = -(-self._size // granule)
            self.granule, self.writers, self.readers = granule, np.zeros(count, np.int32), np.zeros(count, np.int32)
        elif granule < self.granule:
            factor = self.granule // granule
            self.writers, self.readers = np.repeat(self.writers, factor), np.repeat(self.readers, factor)
            self.granule = granule


def granule_of(*numbers: int) -> int:
    """The greatest power of two, at most 8, that divides all of the numbers."""
    together = 8
    for n in numbers:
        together |= n
    return together & -together


class Tracker:
    """All events of one execution, and sets of them by number."""

    def __init__(self, tiles: int, report: Reporter) -> None:
        self.tiles = tiles
        self.report = report
        self.events: list[Event] = []
        self.sets: list[tuple[int, ...]] = [()]
        self._event_numbers: dict[tuple[int, int, int], int] = {}
        self._set_numbers: dict[tuple[int, ...], int] = {(): 0}
        self._unions: dict[tuple[int, int], int] = {}

    def clock(self, tile: int) -> Clock:
        """The clock of a tile that begins."""
        return Clock(self, tile)

    def event(self, tile: int, epoch: int, op: ir.Operation) -> int:
        """The number of an event."""
        key = (tile, epoch, hash(op))
        if key not in self._event_numbers:
            self._event_numbers[key] = len(self.events)
            self.events.append(Event(tile, epoch, op))
        return self._event_numbers[key]

    def joined(self, old: int, event: int, clock: Clock) -> int:
        """The set ``old`` with ``event`` in it, and without what happened before ``event``: whoever is ordered after
        ``event`` is ordered after that too.
        """
        key = (old, event)
        if key not in self._unions:
            kept = tuple(sorted({e for e in self.sets[old] if not clock.has_seen(self.events[e])} | {event}))
            if kept not in self._set_numbers:
                self._set_numbers[kept] = len(self.sets)
                self.sets.append(kept)
            self._unions[key] = self._set_numbers[kept]
        return self._unions[key]


class Clock:
    """What one tile has seen of every tile."""

    def __init__(self, tracker: Tracker, tile: int) -> None:
        self.tracker = tracker
        self.tile = tile
        self.seen = np.zeros(tracker.tiles, np.int64)
        self.seen[tile] = 1

    def has_seen(self, event: Event) -> bool:
        """Whether an event happened before what this tile does now."""
        return event.tile == self.tile or bool(self.seen[event.tile] >= event.epoch)

    def release(self) -> npt.NDArray[np.int64]:
        """What another tile has to join in order to see everything up to now."""
        published = self.seen.copy()
        self.seen[self.tile] += 1
        return published

    def acquire(self, published: npt.NDArray[np.int64]) -> None:
        """Join what another tile published."""
        np.maximum(self.seen, published, out=self.seen)
        self.seen[self.tile] += 1  # a new epoch: an event stands for one state of the clock

    def at(self, op: ir.Operation) -> Access:
        """An access by ``op`` now."""
        return Access(self.tracker, self, op, self.tracker.event(self.tile, int(self.seen[self.tile]), op))


#: Elements of an array of ids that an access touches; and how to store ids there.
Get = Callable[[Ids], Ids]
Put = Callable[[Ids, Any], None]


@dataclass(frozen=True)
class Access:
    """One access of one tile; ``event`` is its number."""

    tracker: Tracker
    clock: Clock
    op: ir.Operation
    event: int

    def read(self, shadow: Shadow, get: Get, put: Put, where: Callable[[npt.NDArray[np.bool_]], str]) -> None:
        """Check a read against earlier writes, and record it. ``where`` names the first byte of a mask."""
        if shadow.was_written:
            self._check(get(shadow.writers), "read", "written", where)
        put(shadow.readers, self._joined(get(shadow.readers)))
        shadow.was_read = True

    def write(
        self,
        shadow: Shadow,
        get: Get,
        put: Put,
        where: Callable[[npt.NDArray[np.bool_]], str],
        equal: Callable[[], npt.NDArray[np.bool_]],
    ) -> None:
        """Check a write against earlier reads and writes, and record it; ``equal`` tells which bytes it leaves as they
        are.
        """
        if shadow.was_read:
            self._check(get(shadow.readers), "written", "read", where)
        writers = get(shadow.writers)
        bad = self._unordered(writers)
        if bad:
            conflict = np.isin(writers, list(bad))
            different = conflict & ~equal()
            if different.any():
                raise self._fault(writers, bad, different, "written", "written", where)
            other = self._other(writers, bad, conflict)
            self.tracker.report.warn(
                self.op,
                "equal-writes",
                f"compute tiles {other.tile} and {self.clock.tile} both write {where(conflict)}, and nothing orders"
                " them; they write the same",
                [(other.op, "the other write is here")],
            )
        put(shadow.writers, self._joined(writers))
        shadow.was_written = True
        if shadow.was_read:
            put(shadow.readers, np.int32(0))

    def _unordered(self, ids: Ids) -> dict[int, list[int]]:
        """Sets among ``ids`` that hold events which this access is not ordered after, and which ones."""
        found = {}
        for number in _distinct(ids):
            events = self.tracker.events
            bad = [e for e in self.tracker.sets[number] if not self.clock.has_seen(events[e])]
            if bad:
                found[number] = bad
        return found

    def _check(self, ids: Ids, mine: str, theirs: str, where: Callable[[npt.NDArray[np.bool_]], str]) -> None:
        bad = self._unordered(ids)
        if bad:
            raise self._fault(ids, bad, np.isin(ids, list(bad)), mine, theirs, where)

    def _other(self, ids: Ids, bad: dict[int, list[int]], mask: npt.NDArray[np.bool_]) -> Event:
        first = int(ids[mask].flat[0])
        return self.tracker.events[bad[first][0]]

    def _fault(
        self,
        ids: Ids,
        bad: dict[int, list[int]],
        mask: npt.NDArray[np.bool_],
        mine: str,
        theirs: str,
        where: Callable[[npt.NDArray[np.bool_]], str],
    ) -> Fault:
        other = self._other(ids, bad, mask)
        return Fault(
            "race",
            f"{where(mask)} is {mine} on compute tile {self.clock.tile} and {theirs} on tile {other.tile}, and nothing"
            " orders the two",
            notes=[
                (other.op, f"{theirs} here on tile {other.tile}"),
                "only ktdp.inter_tile_produce with consume or reduce orders tiles",
            ],
        )

    def _joined(self, old: Ids) -> Any:
        numbers = _distinct(old)
        if len(numbers) == 1:
            return np.int32(self.tracker.joined(numbers[0], self.event, self.clock))
        found, inverse = np.unique(old, return_inverse=True)
        table = np.array([self.tracker.joined(int(n), self.event, self.clock) for n in found], np.int32)
        return table[inverse].reshape(old.shape)


def _distinct(ids: Ids) -> list[int]:
    """The different numbers in an array that is not empty; most often there is one."""
    first = ids.flat[0]
    if (ids == first).all():
        return [int(first)]
    return [int(n) for n in np.unique(ids)]
