"""Views of memory: one strided piece, or several parts that hold disjoint coordinates of one view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from spyrec.interp.faults import Fault
from spyrec.interp.memory import Memory
from spyrec.interp.points import Box, Mask, Points
from spyrec.mlir import ir
from spyrec.numerics import Array

MAX_POINTS = 1 << 26
"""Sets that are no boxes are enumerated up to this many points when a view is made."""


@dataclass(frozen=True)
class Part:
    """A strided piece of memory: coordinate x is the element at byte ``address + sum((x - low) * strides)``.

    ``points`` are the coordinates that it holds.
    """

    op: ir.Operation
    memory: Memory
    address: int
    low: tuple[int, ...]
    strides: tuple[int, ...]
    points: Points

    def first_byte(self, coordinates: Sequence[int]) -> int:
        """The byte address of one coordinate."""
        return self.address + sum((x - low) * s for x, low, s in zip(coordinates, self.low, self.strides, strict=True))

    def addresses(self, coordinates: Sequence[Array]) -> Array:
        """Byte addresses of coordinates, which broadcast."""
        total = np.asarray(self.address, np.int64)
        for x, low, stride in zip(coordinates, self.low, self.strides, strict=True):
            total = total + (x - low) * stride
        return np.asarray(total)


@dataclass(frozen=True)
class View:
    """What tiles are taken of. ``bounds`` holds all its points; a point of it that no part holds is a hole when there
    are several parts, and a point outside the view's set when there is one.
    """

    op: ir.Operation
    element: str
    bounds: Box
    parts: tuple[Part, ...]

    @property
    def is_distributed(self) -> bool:
        return len(self.parts) > 1

    def owners(self, coordinates: Sequence[Array], count: int) -> tuple[Array, Array]:
        """For ``count`` coordinates (a list per dimension): the first part that holds each (-1: none), and how many
        do.
        """
        owner, times = np.full(count, -1), np.zeros(count, int)
        for number, part in reversed(list(enumerate(self.parts))):
            held = part.points.holds(coordinates, count)
            owner[held] = number
            times += held
        return owner, times


def problems(parts: Sequence[Part], bounds: Box) -> tuple[str | None, str | None]:
    """What to say about parts that overlap, and about coordinates of ``bounds`` that no part holds (None: nothing)."""
    boxes = [p.points.box.common(bounds) for p in parts]
    simple = all(p.points.rest is None for p in parts)
    shared = [(a, b, boxes[a].common(boxes[b])) for a, b in combinations(range(len(parts)), 2)]
    shared = [(a, b, box) for a, b, box in shared if not box.is_empty]
    if simple:
        overlap = f"parts {shared[0][0]} and {shared[0][1]} both hold {shared[0][2]}" if shared else None
        if not shared:
            missing = bounds.count - sum(box.count for box in boxes)
            return None, f"{missing} of {bounds.count} coordinates belong to no part" if missing else None
        if bounds.count > MAX_POINTS:
            return overlap, None
    elif bounds.count > MAX_POINTS:
        return None, None
    times = np.zeros(bounds.extents, np.int16)
    for part in parts:
        place = tuple(
            slice(a - o, b - o) for a, b, o in zip(part.points.box.low, part.points.box.high, bounds.low, strict=True)
        )
        if part.points.box.is_empty:
            continue
        mask: Mask | None = part.points.mask(part.points.box)
        times[place] += 1 if mask is None else mask.astype(np.int16)
    overlap = hole = None
    if (times > 1).any():
        first = [int(i) + a for i, a in zip(np.argwhere(times > 1)[0], bounds.low, strict=True)]
        overlap = f"{int((times > 1).sum())} coordinates belong to several parts, the first is {first}"
    if (times == 0).any():
        first = [int(i) + a for i, a in zip(np.argwhere(times == 0)[0], bounds.low, strict=True)]
        hole = f"{int((times == 0).sum())} of {bounds.count} coordinates belong to no part, the first is {first}"
    return overlap, hole


def check_plain(points: Points, sizes: Sequence[int]) -> None:
    """Coordinates of a view that is tiled itself lie between 0 and its sizes."""
    if not Box((0,) * len(sizes), tuple(sizes)).holds(points.box):
        raise Fault(
            "set-too-large",
            f"coordinate_set reaches over {points.box}, but the sizes are {list(sizes)}",
            "coordinate_set",
            ["coordinates run from 0 up to, but not including, the sizes"],
        )


def check_part(points: Points, sizes: Sequence[int]) -> None:
    """A part's coordinates are those of the whole view; there are no more of them than its sizes say."""
    extents = points.box.extents
    if any(e > s for e, s in zip(extents, sizes, strict=True)):
        raise Fault(
            "set-too-large",
            f"coordinate_set reaches over {points.box}, which is {'x'.join(map(str, extents))}, but the sizes of"
            f" the part are {list(sizes)}",
            "coordinate_set",
            ["a part's sizes are its own, its coordinate_set counts in the whole view"],
        )
