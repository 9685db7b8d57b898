"""Who touched which bytes of one memory, and whether a new access is ordered after them."""

from __future__ import annotations

import functools
import math
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from spyrec.mlir import ir

_MAX_PIECES = 4096
"""Of a box in more pieces only so many are followed."""

Clock = npt.NDArray[np.int64]
"""Per unit, how far it is known to have come. Whoever goes on has a new one."""

Spans = npt.NDArray[np.int64]
"""Rows ``[low, high)``."""


@dataclass(frozen=True)
class Box:
    """Elements at ``sum(index * stride)`` for indices below counts; ``pieces`` are the bytes ``[low, high)`` that they
    cover, sorted and disjoint. ``meets``: two elements share a byte. ``whole``: no piece is left out.
    """

    size: int
    low: int
    high: int
    pieces: tuple[tuple[int, int], ...]
    meets: bool
    aligned: bool
    whole: bool

    @cached_property
    def spans(self) -> Spans:
        """The pieces."""
        return np.array(self.pieces, np.int64)


@functools.lru_cache(maxsize=4096)
def box(counts: tuple[int, ...], strides: tuple[int, ...], size: int) -> Box | None:
    """The box of these counts and strides of elements of ``size`` bytes; ``None`` when it is empty."""
    if 0 in counts:
        return None
    steps = [(c - 1) * s for c, s in zip(counts, strides, strict=True)]
    low, high = sum(min(s, 0) for s in steps), sum(max(s, 0) for s in steps) + size
    length, bytes_ = size, math.prod(counts) * size
    outer: list[tuple[int, int]] = []
    for stride, count in sorted((abs(s), c) for c, s in zip(counts, strides, strict=True) if c > 1 and s):
        if not outer and stride <= length:
            length += (count - 1) * stride
        else:
            outer.append((stride, count))
    starts = [low]
    for stride, count in reversed(outer):
        starts = [s + k * stride for s in starts for k in range(count)][:_MAX_PIECES]
    starts.sort()
    pieces: list[tuple[int, int]] = []
    for start in starts:
        if pieces and start <= pieces[-1][1]:
            pieces[-1] = pieces[-1][0], max(pieces[-1][1], start + length)
        else:
            pieces.append((start, start + length))
    whole = math.prod(c for _, c in outer) <= _MAX_PIECES
    meets = high - low < bytes_ or (whole and sum(b - a for a, b in pieces) < bytes_)
    aligned = all(s % size == 0 for c, s in zip(counts, strides, strict=True) if c > 1)
    return Box(size, low, high, tuple(pieces), meets, aligned, whole)


@dataclass(eq=False, slots=True)
class Access:
    """What unit number ``unit`` did when it had made ``count`` posts; ``buffer`` is empty in device memory.

    ``may``: only some of the bytes, and only the data know which. ``certain``: it is made, and where, whatever the
    launch and the data are.
    """

    unit: int
    count: int
    op: ir.Operation
    buffer: str
    writes: bool
    may: bool = False
    certain: bool = True


@dataclass(frozen=True)
class Clash:
    """``access`` breaks rule ``id`` on bytes from ``low`` to ``high``; ``other`` is what it clashes with."""

    id: str
    access: Access
    other: Access | None
    low: int
    high: int


class _Cell:
    """The last write and, per unit, the last read since."""

    __slots__ = ("reads", "writer")

    def __init__(self, writer: Access | None, reads: dict[int, Access]) -> None:
        self.writer = writer
        self.reads = reads


class Memory:
    """One memory. Bytes that nothing has written may have contents that came with the launch: where ``known``, all of
    them, and else those of buffers in ``launched``."""

    def __init__(self, *, known: bool, launched: Collection[str] = ()) -> None:
        self._known = known
        self._launched = launched
        self._bounds = [-(1 << 80), 1 << 80]
        self._cells = [_Cell(None, {})]

    def _cut(self, low: int, high: int) -> tuple[int, int]:
        bounds, cells = self._bounds, self._cells
        i = bisect_right(bounds, low) - 1
        if bounds[i] != low:
            cells.insert(i + 1, _Cell(cells[i].writer, dict(cells[i].reads)))
            bounds.insert(i + 1, low)
            i += 1
        j = bisect_left(bounds, high, i + 1)
        if bounds[j] != high:
            cells.insert(j, _Cell(cells[j - 1].writer, dict(cells[j - 1].reads)))
            bounds.insert(j, high)
        return i, j

    def writers(self, low: int, high: int) -> list[Access | None]:
        """The last writes of bytes ``[low, high)``."""
        i, j = self._cut(low, high)
        return [cell.writer for cell in self._cells[i:j]]

    def touch(self, pieces: Sequence[tuple[int, int]], at: int, access: Access, clock: Clock) -> list[Clash]:
        """Record an access to ``pieces``, relative to ``at``, by a unit at ``clock``; give what it breaks."""
        found: list[Clash] = []
        for low, high in pieces:
            i, j = self._cut(at + low, at + high)
            for k in range(i, j):
                self._meet(self._cells[k], access, clock, (self._bounds[k], self._bounds[k + 1]), found)
        return found

    def touches(self, accesses: Sequence[tuple[Box, int, Access, Clock]]) -> Iterator[list[Clash]]:
        """As :meth:`touch` for each in turn, to boxes and where they start, of memory that nothing else touches."""
        spans = [shape.spans + at for shape, at, _, _ in accesses]
        cells: dict[tuple[int, int], _Cell] = {}
        for (_, _, access, clock), places in zip(accesses, _shared(spans), strict=True):
            found: list[Clash] = []
            for where in places:
                self._meet(cells.setdefault(where, _Cell(None, {})), access, clock, where, found)
            yield found

    def _meet(self, cell: _Cell, access: Access, clock: Clock, where: tuple[int, int], found: list[Clash]) -> None:
        (self._write if access.writes else self._read)(cell, access, clock, where, found)

    def _read(self, cell: _Cell, access: Access, clock: Clock, where: tuple[int, int], found: list[Clash]) -> None:
        writer = cell.writer
        if writer is None:
            if not self._known and access.buffer not in self._launched and not access.may:
                found.append(Clash("unwritten-read", access, None, *where))
        elif clock[writer.unit] < writer.count:
            found.append(Clash("race", access, writer, *where))
        elif writer.buffer != access.buffer and not access.may:
            found.append(Clash("wrong-buffer", access, writer, *where))
        cell.reads[access.unit] = access

    def _write(self, cell: _Cell, access: Access, clock: Clock, where: tuple[int, int], found: list[Clash]) -> None:
        for other in (cell.writer, *cell.reads.values()):
            if other is not None and clock[other.unit] < other.count:
                found.append(Clash("race", access, other, *where))
        cell.writer = access
        cell.reads = {}


def _shared(touched: Sequence[Spans]) -> list[list[tuple[int, int]]]:
    """For each of ``touched``, in order of addresses, the first bytes of each class of bytes that it has; a class are
    those that are in the same ones.
    """
    if not touched:
        return []
    spans = np.concatenate(touched)
    owners = np.repeat(np.arange(len(touched)), [len(own) for own in touched])
    bounds, ends = np.unique(spans, return_inverse=True)
    starts, stops = ends.reshape(spans.shape).T
    # The sum of one great number for each that covers a byte says which ones those are.
    numbers = np.random.default_rng(0).integers(1, 1 << 63, len(touched), np.int64)[owners]
    changes = np.zeros(len(bounds), np.int64)
    np.add.at(changes, starts, numbers)
    np.subtract.at(changes, stops, numbers)
    firsts = np.sort(np.unique(np.cumsum(changes), return_index=True)[1])
    found: list[list[tuple[int, int]]] = [[] for _ in touched]
    low, high = np.searchsorted(firsts, starts), np.searchsorted(firsts, stops)
    for piece in np.nonzero(low < high)[0]:
        own = found[owners[piece]]
        own.extend((int(bounds[k]), int(bounds[k + 1])) for k in firsts[low[piece] : high[piece]])
    return found
