"""Access tiles: which elements of memory a load or store touches, and where they stand in the tensor.

A tile is resolved into *pieces*. A piece is a strided box of one memory and the slices of the tensor that it fills, or
a list of addresses with the places of its elements. Clipping, holes and overlaps of parts are decided on the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from spyrec import numerics
from spyrec.interp.affine import map_function
from spyrec.interp.faults import Fault
from spyrec.interp.machine import Frame
from spyrec.interp.memory import Memory
from spyrec.interp.points import Box, Points
from spyrec.interp.races import Access
from spyrec.interp.views import Part, View
from spyrec.mlir import ir
from spyrec.numerics import Array
from spyrec.ods.checks import DYNAMIC


class Order:
    """The order of a tile: where in the tensor each point of its set goes."""

    def __init__(self, map_: ir.AffineMap) -> None:
        self.function = map_function(map_)
        #: Dimension of the tile per dimension of the tensor: verifiers take no order but permutations.
        self.permutation = tuple(ir.AffineDimExpr(r).position for r in map_.results)


class Piece(Protocol):
    """Elements of one memory, and ``region``, an index of the tensor that selects where they go."""

    @property
    def region(self) -> tuple[Any, ...]: ...
    def read(self, element: str, by: Access | None) -> Array:
        """The elements, in the shape of the region."""

    def write(self, values: Array, element: str, by: Access | None) -> None:
        """Store elements."""


@dataclass(frozen=True)
class BoxPiece:
    """A strided box, in the order of the tensor's dimensions."""

    memory: Memory
    address: int
    counts: tuple[int, ...]
    strides: tuple[int, ...]
    region: tuple[slice, ...]

    def read(self, element: str, by: Access | None) -> Array:
        return self.memory.read(self.address, self.counts, self.strides, element, by)

    def write(self, values: Array, element: str, by: Access | None) -> None:
        self.memory.write(self.address, self.counts, self.strides, values, element, by)


@dataclass(frozen=True)
class ListPiece:
    """Elements at byte addresses, in the order of the tensor's elements."""

    memory: Memory
    addresses: npt.NDArray[np.int64]
    region: tuple[Any, ...]

    def read(self, element: str, by: Access | None) -> Array:
        return self.memory.gather(self.addresses, element, by)

    def write(self, values: Array, element: str, by: Access | None) -> None:
        raw = numerics.to_bytes(values.astype(numerics.dtype(element), copy=False))
        self.memory.scatter(self.addresses.reshape(-1), raw.reshape(-1, numerics.sizeof(element)), by)


@dataclass(frozen=True)
class Tile:
    """Coordinates of a tile of a view: ``anchor`` plus each point of ``points``, in the order of ``order``.

    ``shape`` is that of the loaded tensor; ``fixed`` tells which dimensions of the anchor are constants of the program.
    """

    op: ir.Operation
    view: View
    anchor: tuple[int, ...]
    points: Points
    order: Order
    shape: tuple[int, ...]
    fixed: tuple[bool, ...]

    def pieces(self, frame: Frame, op: ir.Operation, writing: bool) -> list[Piece]:
        """What load or store ``op`` touches."""
        box = self._clipped(frame, op)
        if box.is_empty:
            return []
        parts = self.view.parts
        plain = self.points.rest is None and all(p.points.rest is None for p in parts)
        if plain:
            if not self.view.is_distributed:
                return [self._box(parts[0], box)]
            boxes = [(p, box.common(p.points.box)) for p in parts]
            boxes = [(p, b) for p, b in boxes if not b.is_empty]
            whole = sum(b.count for _, b in boxes) == box.count
            if whole and not any(not a.common(b).is_empty for i, (_, a) in enumerate(boxes) for _, b in boxes[i + 1 :]):
                return [self._box(p, b) for p, b in boxes]
        return self._enumerate(frame, op, box, writing)

    def _clipped(self, frame: Frame, op: ir.Operation) -> Box:
        """Coordinates of the tile's points that are inside the view, after the checks of what is outside."""
        points, inside = self.points.box.moved(self.anchor), self.view.bounds
        if points.is_empty:
            return points
        if self.points.rest is None:
            extents = tuple([self.points.box.extents[d] for d in self.order.permutation])
            if extents != self.shape:
                check_size(self.op, extents, self.shape)
        if inside.holds(points):
            return points
        kept = points.common(inside)
        below = any(fixed and low < 0 for fixed, low in zip(self.fixed, points.low, strict=True))
        what = f"the tile covers {points}, but the points of the view are {inside}"
        outside(frame, op, self.op, self.view, what, kept.is_empty or below)
        return kept

    def _box(self, part: Part, box: Box) -> BoxPiece:
        """The whole of ``box`` (coordinates that ``part`` holds) as one region of the tensor."""
        order = self.order.permutation
        first = [low - a - s for low, a, s in zip(box.low, self.anchor, self.points.box.low, strict=True)]
        extents = box.extents
        return BoxPiece(
            part.memory,
            part.first_byte(box.low),
            tuple([extents[d] for d in order]),
            tuple([part.strides[d] for d in order]),
            tuple([slice(first[d], first[d] + extents[d]) for d in order]),
        )

    def _enumerate(self, frame: Frame, op: ir.Operation, box: Box, writing: bool) -> list[Piece]:
        """The points of the tile one by one."""
        whole = self.points.box
        mask = self.points.mask(whole)
        held = np.ones(whole.extents, bool) if mask is None else mask
        relative = [index[held] + low for index, low in zip(np.indices(whole.extents), whole.low, strict=True)]
        count = int(held.sum())
        places = placed(self.op, self.order, relative, count, self.shape)
        coordinates = [p + a for p, a in zip(relative, self.anchor, strict=True)]
        kept = np.ones(count, bool)
        for x, low, high in zip(coordinates, box.low, box.high, strict=True):
            kept &= (x >= low) & (x < high)
        return by_part(frame, op, self.op, self.view, coordinates, places, kept, self.shape, writing)


def placed(
    tile: ir.Operation, order: Order, relative: Sequence[Array], count: int, shape: Sequence[int]
) -> tuple[Array, ...]:
    """Places in the tensor of points of a tile: ``order`` applied to them, counted from the lowest."""
    places = [np.broadcast_to(np.asarray(v), (count,)) for v in order.function(relative, [])]
    places = [q - q.min() for q in places] if count else places
    if any((q >= n).any() for q, n in zip(places, shape, strict=True)):
        raise _too_large(tile, [int(q.max()) + 1 for q in places], shape)
    return tuple(places)


def by_part(
    frame: Frame,
    op: ir.Operation,
    tile: ir.Operation,
    view: View,
    coordinates: Sequence[Array],
    places: tuple[Array, ...],
    kept: npt.NDArray[np.bool_],
    shape: Sequence[int],
    writing: bool,
) -> list[Piece]:
    """Pieces of a list of points, of which ``kept`` are within the bounds of the view: one piece per part.

    Points come in the order of the tensor's elements, so that of points with one address the last one counts.
    """
    count = len(kept)
    owner, times = view.owners(coordinates, count)
    lost = kept & (times == 0)
    if lost.any():
        first = [int(x[lost][0]) for x in coordinates]
        if view.is_distributed:
            raise Fault(
                "out-of-view",
                f"{int(lost.sum())} coordinates of the tile belong to no part of the view, the first is {first}",
                notes=_made(tile, view),
            )
        what = f"{int(lost.sum())} of the {count} points of the tile are no points of the view's coordinate_set"
        kept = kept & (times > 0)
        outside(frame, op, tile, view, what, not kept.any())
    twice = kept & (times > 1)
    if writing and twice.any():
        first = [int(x[twice][0]) for x in coordinates]
        raise Fault(
            "overlapping-parts",
            f"{int(twice.sum())} coordinates that are stored belong to several parts of the view, the first is {first}",
            notes=_made(tile, view),
        )
    flat = np.ravel_multi_index(places, tuple(shape)) if places else np.zeros(count, np.int64)
    ordered = np.argsort(flat, kind="stable")
    pieces: list[Piece] = []
    for number, part in enumerate(view.parts):
        chosen = ordered[(kept & (owner == number))[ordered]]
        if len(chosen):
            addresses = np.broadcast_to(part.addresses([x[chosen] for x in coordinates]), (len(chosen),))
            region = tuple(q[chosen] for q in places)
            pieces.append(ListPiece(part.memory, addresses if region else addresses.reshape(()), region or (...,)))
    return pieces


def outside(frame: Frame, op: ir.Operation, tile: ir.Operation, view: View, what: str, wrong: bool) -> None:
    """Report a tile that sticks out of its view: an error when ``wrong`` or bounds are strict, else a warning."""
    number = frame.tile.number
    if wrong or frame.tile.strict_bounds:
        guard = "a tile that has nothing to do is to skip its accesses: guard them with scf.if"
        raise Fault("out-of-view", what, notes=[*_made(tile, view), *([guard] if wrong else [])])
    verb = "read as 0" if op.name == "ktdp.load" else "not stored"
    frame.tile.report.warn(
        op, "clipped-tile", f"{what}: points outside are {verb} (first on compute tile {number})", _made(tile, view)
    )


def _made(tile: ir.Operation, view: View) -> list[tuple[ir.Operation, str]]:
    return [(tile, "the tile is made here"), (view.op, "the view is made here")]


def check_size(tile: ir.Operation, extents: Sequence[int], shape: Sequence[int]) -> None:
    """The set has no more points than the tile's type has room for."""
    if any(e > s for e, s in zip(extents, shape, strict=True)):
        raise _too_large(tile, extents, shape)


def _too_large(tile: ir.Operation, extents: Sequence[int], shape: Sequence[int]) -> Fault:
    points, room = "x".join(map(str, extents)), "x".join(map(str, shape)) or "1"
    return Fault(
        "set-too-large",
        f"the tile's set has {points} points, but its type has only {room}",
        notes=[(tile, "the tile is made here")],
    )


def tensor_shape(shape: Sequence[int], points: Points, order: Order) -> tuple[int, ...]:
    """The static shape of a tile, with dynamic dimensions as long as its set is there."""
    if DYNAMIC not in shape:
        return tuple(shape)
    extents = [points.box.extents[d] for d in order.permutation]
    return tuple(e if s == DYNAMIC else s for s, e in zip(shape, extents, strict=True))
