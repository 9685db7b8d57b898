"""Boxes of memory: which bytes a descriptor touches, as contiguous intervals, and how it is copied.

Counts and strides of an instruction are immediates, so everything here is worked out once per instruction, relative to
the address of the first element. All numbers are bytes but ``counts``, which are elements; lists are outermost first.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

Interval = tuple[int, int]
"""Bytes ``[low, high)``."""


@dataclass(frozen=True)
class Box:
    """Elements of ``element_bytes`` at ``sum(index * stride)`` for all indices below ``counts``.

    ``intervals`` are the bytes it touches: sorted, disjoint, as long as possible. ``low`` and ``high`` bound them.
    ``bytes`` counts each element once, ``distinct`` each byte once; they differ when elements share bytes.
    """

    counts: tuple[int, ...]
    strides: tuple[int, ...]
    element_bytes: int
    low: int
    high: int
    bytes: int
    distinct: int
    intervals: tuple[Interval, ...]

    @property
    def overlaps_itself(self) -> bool:
        """True when two elements share a byte."""
        return self.distinct < self.bytes

    @property
    def aligned(self) -> bool:
        """True when every element is aligned to its size if the first one is."""
        return all(s % self.element_bytes == 0 for s in self.strides)


@functools.lru_cache(maxsize=4096)
def box(counts: tuple[int, ...], strides: tuple[int, ...], element_bytes: int) -> Box:
    """The :class:`Box` of these counts (each at least 1) and strides (any sign)."""
    low = sum((c - 1) * s for c, s in zip(counts, strides, strict=True) if s < 0)
    span = sum((c - 1) * abs(s) for c, s in zip(counts, strides, strict=True)) + element_bytes
    dims = sorted((abs(s), c) for c, s in zip(counts, strides, strict=True) if c > 1 and s)
    length = element_bytes
    outer: list[tuple[int, int]] = []
    for stride, count in dims:  # innermost first: a step no longer than what is there already extends it
        if not outer and stride <= length:
            length += (count - 1) * stride
        else:
            outer.append((stride, count))
    starts = np.array([low], dtype=np.int64)
    for stride, count in reversed(outer):
        starts = (starts[:, None] + np.arange(count, dtype=np.int64) * stride).ravel()
    intervals = _joined(np.sort(starts), length)
    total = element_bytes
    for count in counts:
        total *= count
    return Box(
        counts=counts,
        strides=strides,
        element_bytes=element_bytes,
        low=low,
        high=low + span,
        bytes=total,
        distinct=sum(b - a for a, b in intervals),
        intervals=intervals,
    )


def _joined(starts: np.ndarray[tuple[int], np.dtype[np.int64]], length: int) -> tuple[Interval, ...]:
    """Unite the intervals of one ``length`` at sorted ``starts`` where they touch or overlap."""
    first = np.concatenate(([True], starts[1:] - starts[:-1] > length))
    lows = starts[first]
    highs = starts[np.concatenate((first[1:], [True]))] + length
    return tuple(zip(lows.tolist(), highs.tolist(), strict=True))


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
