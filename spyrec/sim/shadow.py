"""Shadow memory: who last wrote each byte, who has read it since, and whether that was ordered.

The shadow of one memory is a map from bytes to :class:`Cell`, kept as pages of intervals. Neighbouring bytes with the
same history share a cell, so an access costs about as much as the intervals that it touches, and a buffer that is
reused in a loop keeps the same few cells for ever: records retire because new ones replace them. A cell keeps the last
write and, per unit, the last read since; that is enough to find a race in every execution that has one, whatever its
timing (of the first pair of unordered conflicting accesses, the earlier one is still in the cell when the later one
comes).

:class:`SharedShadow`, for memory that several cores write, also tells unordered writes of equal bytes from others.
"""

from __future__ import annotations

import enum
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from spyrec.sim.boxes import Interval
from spyrec.sim.clocks import LAUNCH, Access, Clock

PAGE_BITS = 14
PAGE = 1 << PAGE_BITS

Bytes = npt.NDArray[np.uint8]


class Rule(enum.Enum):
    """What an access may break."""

    RACE = "race"
    EQUAL_WRITES = "equal-writes"
    UNWRITTEN = "unwritten-read"
    WRONG_BUFFER = "wrong-buffer"


@dataclass(frozen=True)
class Finding:
    """``access`` breaks ``rule`` on bytes ``[low, high)``; ``other`` is the earlier access that it clashes with."""

    rule: Rule
    access: Access
    other: Access | None
    low: int
    high: int
    other_writes: bool = True


class Cell:
    """History of some neighbouring bytes.

    ``writers``: the last write; several only after unordered writes of equal bytes; none if never written. ``reads``:
    the last read since by each unit. ``past``: overwritten writes with, for each byte, whether overwriting changed it.
    """

    __slots__ = ("past", "reads", "writers")

    def __init__(
        self,
        writers: tuple[Access, ...],
        reads: dict[Hashable, Access],
        past: tuple[tuple[Access, npt.NDArray[np.bool_]], ...] = (),
    ) -> None:
        self.writers = writers
        self.reads = reads
        self.past = past

    def split(self, at: int) -> Cell:
        """Cut ``at`` bytes from the start: this cell keeps the left part, the right one is returned."""
        right = Cell(self.writers, self.reads.copy(), tuple((a, mask[at:]) for a, mask in self.past))
        if self.past:
            self.past = tuple((a, mask[:at]) for a, mask in self.past)
        return right


class _Page:
    """``PAGE`` bytes: cell ``i`` is that of bytes ``[bounds[i], bounds[i + 1])``."""

    __slots__ = ("bounds", "cells")

    def __init__(self) -> None:
        self.bounds = [0, PAGE]
        self.cells = [Cell((), {})]

    def cut(self, low: int, high: int) -> tuple[int, int]:
        """Make ``[low, high)`` consist of whole cells and return the range of their numbers."""
        bounds, cells = self.bounds, self.cells
        i = bisect_right(bounds, low) - 1
        if bounds[i] != low:
            cells.insert(i + 1, cells[i].split(low - bounds[i]))
            bounds.insert(i + 1, low)
            i += 1
        if bounds[i + 1] == high:
            return i, i + 1
        j = bisect_left(bounds, high, i + 1)
        if bounds[j] != high:
            cells.insert(j, cells[j - 1].split(high - bounds[j - 1]))
            bounds.insert(j, high)
        return i, j

    def join(self, i: int, j: int) -> None:
        """Unite neighbours among cells ``i`` to ``j - 1`` that have the same history."""
        bounds, cells = [self.bounds[i]], [self.cells[i]]
        for k in range(i + 1, j):
            last, cell = cells[-1], self.cells[k]
            if cell.writers != last.writers or cell.reads != last.reads or cell.past or last.past:
                bounds.append(self.bounds[k])
                cells.append(cell)
        self.bounds[i:j] = bounds
        self.cells[i:j] = cells


_Record = Callable[[_Page, int, int, Access, Clock, list[Finding]], None]
"""Note an access to cell ``k`` of a page that begins at ``origin``, and what it breaks."""


class Shadow:
    """The history of one memory, of which the launch supplied the bytes in ``supplied``; the rest is unwritten."""

    _joins = True  # whether the cells that a write covers may be united at once

    def __init__(self, supplied: Sequence[Interval] = ()) -> None:
        self._supplied = supplied
        self._pages: dict[int, _Page] = {}

    def _page(self, number: int) -> _Page:
        page = self._pages.get(number)
        if page is None:
            page = self._pages[number] = _Page()
            origin = number << PAGE_BITS
            for low, high in self._supplied:
                low, high = max(low - origin, 0), min(high - origin, PAGE)
                if low < high:
                    for k in range(*page.cut(low, high)):
                        page.cells[k].writers = (LAUNCH,)
        return page

    def read(self, intervals: Sequence[Interval], base: int, access: Access, clock: Clock) -> list[Finding]:
        """Record a read of ``intervals`` (relative to ``base``) by a unit at ``clock``; return what it breaks."""
        return self._visit(self._read, intervals, base, access, clock, joins=True)

    def write(self, intervals: Sequence[Interval], base: int, access: Access, clock: Clock) -> list[Finding]:
        """Record a write of ``intervals`` (relative to ``base``), before the bytes change; return what it breaks."""
        return self._visit(self._write, intervals, base, access, clock, joins=self._joins)

    def _visit(
        self, record: _Record, intervals: Sequence[Interval], base: int, access: Access, clock: Clock, *, joins: bool
    ) -> list[Finding]:
        """``record`` each cell of ``intervals``; then unite those that have become alike if ``joins``."""
        found: list[Finding] = []
        for low, high in intervals:
            low += base
            high += base
            while low < high:
                origin = low & -PAGE
                stop = min(high, origin + PAGE)
                page = self._page(low >> PAGE_BITS)
                i, j = page.cut(low - origin, stop - origin)
                for k in range(i, j):
                    record(page, k, origin, access, clock, found)
                if j - i > 1 and joins:
                    page.join(i, j)
                low = stop
        return found

    def _read(self, page: _Page, k: int, origin: int, access: Access, clock: Clock, found: list[Finding]) -> None:
        cell = page.cells[k]
        domain = access.domain
        assert domain is not None
        if not cell.writers:
            found.append(_finding(Rule.UNWRITTEN, access, None, page, k, origin))
        for writer in cell.writers:
            if not writer.before(domain, clock):
                found.append(_finding(Rule.RACE, access, writer, page, k, origin))
            elif writer.buffer != access.buffer and writer is not LAUNCH:
                found.append(_finding(Rule.WRONG_BUFFER, access, writer, page, k, origin))
        reads = cell.reads
        if reads:
            for unit in [u for u, a in reads.items() if a.before(domain, clock)]:
                del reads[unit]
        reads[access.unit] = access

    def _write(self, page: _Page, k: int, origin: int, access: Access, clock: Clock, found: list[Finding]) -> None:
        cell = page.cells[k]
        domain = access.domain
        assert domain is not None
        for writer in cell.writers:
            if not writer.before(domain, clock):
                found.append(_finding(Rule.RACE, access, writer, page, k, origin))
        self._reads_before(page, k, origin, access, clock, found)
        cell.writers = (access,)
        cell.reads = {}

    def _reads_before(
        self, page: _Page, k: int, origin: int, access: Access, clock: Clock, found: list[Finding]
    ) -> None:
        """A write must come after all reads."""
        assert access.domain is not None
        for read in page.cells[k].reads.values():
            if not read.before(access.domain, clock):
                found.append(_finding(Rule.RACE, access, read, page, k, origin, writes=False))


class SharedShadow(Shadow):
    """The history of memory that several cores write; ``data`` is the memory itself, byte 0 of both being the same.

    Units of one core obey the rule of :class:`Shadow`. Unordered writes of different cores are ``EQUAL_WRITES`` where
    both write the same bytes, so they do not end the run, and what comes before a write stays relevant after it: reads
    are kept, and so is the fact that a write was overwritten with something else by its own core. Otherwise the
    verdict would depend on which core came first. A read and an unordered write are always a race.
    """

    _joins = False  # settle() needs the cells of a write as they were

    def __init__(self, data: Bytes, supplied: Sequence[Interval]) -> None:
        super().__init__(supplied)
        self._data = data
        self._open: list[_Overwritten] = []

    def _write(self, page: _Page, k: int, origin: int, access: Access, clock: Clock, found: list[Finding]) -> None:
        cell = page.cells[k]
        domain = access.domain
        assert domain is not None
        self._reads_before(page, k, origin, access, clock, found)
        if not cell.writers or cell.writers[0] is LAUNCH:
            cell.writers = (access,)
            return
        rivals = []
        for writer in cell.writers:
            if not writer.before(domain, clock):
                rivals.append(writer)
                if writer.core == access.core:
                    found.append(_finding(Rule.RACE, access, writer, page, k, origin))
        for past, changed in cell.past:
            if not past.before(domain, clock) and changed.any():
                found.append(_finding(Rule.RACE, access, past, page, k, origin))
        low, high = origin + page.bounds[k], origin + page.bounds[k + 1]
        self._open.append(_Overwritten(cell, access, cell.writers, rivals, low, self._data[low:high].copy()))
        cell.writers = (*rivals, access)

    def settle(self) -> list[Finding]:
        """Compare the bytes that the last :meth:`write` overwrote with the new ones; judge unordered writes."""
        if not self._open:
            return []
        found: list[Finding] = []
        for entry in self._open:
            high = entry.low + entry.old.size
            changed = self._data[entry.low : high] != entry.old
            differs = bool(changed.any())
            rule = Rule.RACE if differs else Rule.EQUAL_WRITES
            found.extend(Finding(rule, entry.access, rival, entry.low, high) for rival in entry.rivals)
            if differs:
                entry.cell.past = _remember(entry.cell.past, entry.writers, changed)
        self._open.clear()
        return found


@dataclass
class _Overwritten:
    """A write that ``access`` overwrites: its cell, the cell's writers and bytes before, the unordered writers."""

    cell: Cell
    access: Access
    writers: tuple[Access, ...]
    rivals: list[Access]
    low: int
    old: Bytes


def _remember(
    past: tuple[tuple[Access, npt.NDArray[np.bool_]], ...], writers: tuple[Access, ...], changed: npt.NDArray[Any]
) -> tuple[tuple[Access, npt.NDArray[np.bool_]], ...]:
    """``past`` with ``writers`` added, one entry per unit: the latest access and every byte that was ever changed."""
    entries = {access.unit: (access, mask) for access, mask in past}
    for writer in writers:
        if writer is not LAUNCH:
            old = entries.get(writer.unit)
            entries[writer.unit] = (writer, changed if old is None else old[1] | changed)
    return tuple(entries.values())


def _finding(
    rule: Rule, access: Access, other: Access | None, page: _Page, k: int, origin: int, *, writes: bool = True
) -> Finding:
    return Finding(rule, access, other, origin + page.bounds[k], origin + page.bounds[k + 1], writes)
