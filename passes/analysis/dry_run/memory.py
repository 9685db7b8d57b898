"""Who touched which bytes of one memory, and whether a new access is ordered after them."""

from __future__ import annotations

import functools
import math
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from spyrec.mlir import ir

_MAX_PIECES = 4096
"""Of a box in more pieces only so many are followed."""

Clock = npt.NDArray[np.int64]
"""Per unit, how far it is known to have come. Whoever goes on has a new one."""


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


@dataclass(frozen=True, eq=False)
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
                cell = self._cells[k]
                where = self._bounds[k], self._bounds[k + 1]
                if access.writes:
                    self._write(cell, access, clock, where, found)
                else:
                    self._read(cell, access, clock, where, found)
        return found

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
