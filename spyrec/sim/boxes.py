"""Boxes of memory: which bytes a descriptor touches, as contiguous intervals, and how it is copied.

Counts and strides of an instruction are immediates, so everything here is worked out once per instruction, relative to
the address of the first element. All numbers are bytes but ``counts``, which are elements; lists are outermost first.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

MAX_PIECES = 1 << 22
"""More separate pieces than this in one box are refused: enumerating them takes too long."""

MAX_POINTS = 1 << 29
"""More points than this in one instruction are refused: what is computed for them has up to 8 bytes each."""

Interval = tuple[int, int]
"""Bytes ``[low, high)``."""


class TooManyPieces(ValueError):
    """A box of more than :data:`MAX_PIECES` pieces; the message says how many."""


def check_points(counts: Iterable[int]) -> None:
    """Raise ``MemoryError`` when an instruction computes with more than :data:`MAX_POINTS` points at once."""
    points = math.prod(counts)
    if points > MAX_POINTS:
        raise MemoryError(f"{points} points in one instruction; the simulator has room for {MAX_POINTS}")


@dataclass(frozen=True)
class Box:
    """Elements of ``element_bytes`` at ``sum(index * stride)`` for all indices below ``counts``, each at least 1.

    ``low`` and ``high`` bound the bytes it touches, ``bytes`` counts each element once.
    """

    counts: tuple[int, ...]
    strides: tuple[int, ...]
    element_bytes: int
    low: int
    high: int
    bytes: int

    @property
    def aligned(self) -> bool:
        """True when every element is aligned to its size if the first one is."""
        return all(s % self.element_bytes == 0 for c, s in zip(self.counts, self.strides, strict=True) if c > 1)

    @functools.cached_property
    def intervals(self) -> tuple[Interval, ...]:
        """The bytes that the box touches: sorted, disjoint, as long as possible. Raises :class:`TooManyPieces`."""
        length = self.element_bytes
        outer: list[tuple[int, int]] = []
        for stride, count in sorted((abs(s), c) for c, s in zip(self.counts, self.strides, strict=True) if c > 1 and s):
            if not outer and stride <= length:  # a step no longer than what is there already extends it
                length += (count - 1) * stride
            else:
                outer.append((stride, count))
        pieces = math.prod(c for _, c in outer)
        if pieces > MAX_PIECES:
            raise TooManyPieces(f"counts {list(self.counts)} with strides {list(self.strides)} make {pieces} pieces")
        starts = np.array([self.low], dtype=np.int64)
        for stride, count in reversed(outer):
            starts = (starts[:, None] + np.arange(count, dtype=np.int64) * stride).ravel()
        starts.sort()
        first = np.concatenate(([True], starts[1:] - starts[:-1] > length))
        lows = starts[first]
        highs = starts[np.concatenate((first[1:], [True]))] + length
        return tuple(zip(lows.tolist(), highs.tolist(), strict=True))

    @functools.cached_property
    def overlaps_itself(self) -> bool:
        """True when two elements share a byte. Raises :class:`TooManyPieces`."""
        return self.high - self.low < self.bytes or sum(b - a for a, b in self.intervals) < self.bytes


@functools.lru_cache(maxsize=4096)
def box(counts: tuple[int, ...], strides: tuple[int, ...], element_bytes: int) -> Box:
    """The :class:`Box` of these counts (each at least 1) and strides (any sign)."""
    steps = [(c - 1) * s for c, s in zip(counts, strides, strict=True)]
    low, high = sum(min(s, 0) for s in steps), sum(max(s, 0) for s in steps) + element_bytes
    return Box(counts, strides, element_bytes, low, high, math.prod(counts) * element_bytes)


@dataclass(frozen=True)
class Pairing:
    """How to copy one box onto another: the same elements in both, neighbouring counts joined where both sides allow.

    ``contiguous`` is the number of bytes when both are one run in the same order, else 0.
    """

    counts: tuple[int, ...]
    source_strides: tuple[int, ...]
    dest_strides: tuple[int, ...]
    contiguous: int


def pairing(source: Box, dest: Box) -> Pairing:
    """Join neighbouring counts of two boxes with equal counts and element sizes."""
    size = source.element_bytes
    counts: list[int] = []
    left: list[int] = []
    right: list[int] = []
    for count, s, d in zip(source.counts, source.strides, dest.strides, strict=True):
        if count == 1:
            continue
        if counts and left[-1] == count * s and right[-1] == count * d:
            counts[-1] *= count
            left[-1], right[-1] = s, d
        else:
            counts.append(count)
            left.append(s)
            right.append(d)
    whole = not counts or (len(counts) == 1 and left[0] == right[0] == size)
    return Pairing(tuple(counts), tuple(left), tuple(right), source.bytes if whole else 0)
