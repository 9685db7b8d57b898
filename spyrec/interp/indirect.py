"""Indirect access tiles: coordinates of which some are read from memory (gather and scatter).

A tile has variables that run over a set. Per dimension of the view, a subscript is an affine expression of them and of
captured values, or the element of an index view at such coordinates. What depends on few variables is computed for
those only: coordinates are arrays of the variables' extents, 1 where they do not depend on a variable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spyrec.dialects import ktdp
from spyrec.interp.affine import map_function
from spyrec.interp.faults import Fault
from spyrec.interp.machine import Frame, Run, Scope, meaning
from spyrec.interp.points import Points, SetFunction
from spyrec.interp.tiles import ListPiece, Order, Piece, by_part, check_size, outside, placed, tensor_shape
from spyrec.interp.views import View
from spyrec.mlir import ir
from spyrec.numerics import Array


@dataclass(frozen=True)
class IndirectTile:
    """Coordinates in ``view`` of each value of the variables.

    ``coordinates`` has one array per dimension of the view. In *grid* form (the set is a box)
    they broadcast to the extents of the variables; else they are lists with one entry per point of the set, and
    ``relative`` has the variables of each. ``indirect`` tells which dimensions were read from memory, ``fixed`` which
    of the others no value of the run but the variables decides.
    """

    op: ir.Operation
    view: View
    points: Points
    order: Order
    shape: tuple[int, ...]
    coordinates: tuple[Array, ...]
    relative: tuple[Array, ...] | None
    indirect: tuple[bool, ...]
    fixed: tuple[bool, ...]

    def pieces(self, frame: Frame, op: ir.Operation, writing: bool) -> list[Piece]:
        """What load or store ``op`` touches."""
        extents = self.points.box.extents
        if self.points.box.is_empty or (self.relative is not None and not len(self.relative[0])):
            return []
        inside = self._inside(frame, op)
        if self.relative is not None:
            count = len(self.relative[0])
            places = placed(self.op, self.order, self.relative, count, self.shape)
            lists = [np.broadcast_to(x, (count,)) for x in self.coordinates]
            kept = np.ones(count, bool) if inside is None else np.broadcast_to(inside, (count,))
            return by_part(frame, op, self.op, self.view, lists, places, kept, self.shape, writing)
        permutation = self.order.permutation
        shape = tuple(extents[d] for d in permutation)
        check_size(self.op, shape, self.shape)

        def turned(array: Array) -> Array:
            return np.broadcast_to(array, extents).transpose(permutation)

        region = tuple(slice(0, n) for n in shape) or (...,)
        part = self.view.parts[0]
        if inside is None and not self.view.is_distributed and part.points.rest is None:
            addresses = np.ascontiguousarray(turned(part.addresses(self.coordinates)))
            return [ListPiece(part.memory, addresses, region)]
        count = int(np.prod(shape, dtype=np.int64))
        places = tuple(q.reshape(-1) for q in np.indices(shape))
        lists = [turned(x).reshape(-1) for x in self.coordinates]
        kept = np.ones(count, bool) if inside is None else turned(inside).reshape(-1)
        return by_part(frame, op, self.op, self.view, lists, places, kept, self.shape, writing)

    def _inside(self, frame: Frame, op: ir.Operation) -> Any:
        """Which points are within the bounds of the view (None: all). Loaded coordinates must be; the others are
        clipped.
        """
        kept: Any = None
        for d, (x, low, high) in enumerate(
            zip(self.coordinates, self.view.bounds.low, self.view.bounds.high, strict=True)
        ):
            inside = (x >= low) & (x < high)
            if inside.all():
                continue
            if self.indirect[d]:
                value = int(x[~inside].flat[0])
                raise Fault(
                    "index-out-of-range",
                    f"the index {value} of dimension {d} is outside of {low}..{high - 1}, the view's coordinates",
                    notes=[(self.op, "the tile is made here"), (self.view.op, "the view is made here")],
                )
            kept = inside if kept is None else kept & inside
            below = self.fixed[d] and int(x.min()) < 0
            what = (
                f"subscript {d} of the tile runs over {int(x.min())}..{int(x.max())}, but the coordinates of the view"
                f" are {low}..{high - 1}"
            )
            outside(frame, op, self.op, self.view, what, below or not np.any(kept))
        return kept


@meaning("ktdp.construct_indirect_access_tile")
def construct_indirect_access_tile(op: ir.Operation, scope: Scope) -> Run:
    tile: Any = op.opview
    kinds = [bool(ir.BoolAttr(k).value) for k in ir.ArrayAttr(op.attributes["per_dim_subscript_kinds"])]
    maps = [ir.AffineMapAttr(m).value for m in ir.ArrayAttr(op.attributes["per_dim_subscript_maps"])]
    subscripts = [map_function(m) for m in maps]
    points_of = SetFunction.of(op.attributes["variables_space_set"])
    order = Order(ir.AffineMapAttr(op.attributes["variables_space_order"]).value)
    shape = ktdp.AccessTileType(op.results[0].type).shape
    views, captured = len(list(tile.indirect_memrefs)), len(list(tile.captured_variables))
    fixed = tuple(_needs_no(map_, [_is_constant(v) for v in tile.captured_variables], captured) for map_ in maps)

    def run(frame: Frame, base: Any, *operands: Any) -> IndirectTile:
        if not isinstance(base, View):
            raise Fault("unsupported-op", "a tile of a tensor has no meaning in this executor", "base")
        indices = iter(operands[:views])
        values = [int(v) for v in operands[views : views + captured]]
        points = points_of.points([int(v) for v in operands[views + captured :]])
        variables, relative = _variables(points)
        coordinates = []
        for d, (indirect, subscript) in enumerate(zip(kinds, subscripts, strict=True)):
            found = [np.asarray(x, np.int64) for x in subscript([*values, *variables], [])]
            if indirect:
                held = next(indices)
                coordinates.append(_read(frame, op, held, found, d))
            else:
                coordinates.append(found[0])
        rank = 1 if relative is not None else len(points.box.low)
        coordinates = [x.reshape([1] * rank) if x.ndim == 0 else x for x in coordinates]
        return IndirectTile(
            op,
            base,
            points,
            order,
            tensor_shape(shape, points, order),
            tuple(coordinates),
            relative,
            tuple(kinds),
            fixed,
        )

    return run


def _variables(points: Points) -> tuple[list[Array], tuple[Array, ...] | None]:
    """Values of the variables: as open grid, or as lists when the set is no box."""
    box = points.box
    if points.rest is None:
        rank = len(box.low)
        return [
            np.arange(a, max(a, b)).reshape([-1 if i == d else 1 for i in range(rank)])
            for d, (a, b) in enumerate(zip(box.low, box.high, strict=True))
        ], None
    mask = points.mask(box)
    held = np.ones(box.extents, bool) if mask is None else mask
    if not box.low:  # no variables: one point or none
        return [], (np.zeros(int(held.sum()), np.int64),) if not held.all() else None
    lists = [index[held] + low for index, low in zip(np.indices(box.extents), box.low, strict=True)]
    return lists, tuple(lists)


def _read(frame: Frame, op: ir.Operation, view: Any, coordinates: Sequence[Array], dimension: int) -> Array:
    """Elements of an index view; its coordinates broadcast."""
    if not isinstance(view, View):
        raise Fault("unsupported-op", "an index must be read from a view of memory", f"indirect_memrefs[{dimension}]")
    shape = np.broadcast_shapes(*(x.shape for x in coordinates)) if coordinates else ()
    if 0 in shape:
        return np.zeros(shape, np.int64)
    lists = [np.broadcast_to(x, shape).reshape(-1) for x in coordinates]
    count = int(np.prod(shape, dtype=np.int64))
    for d, (x, low, high) in enumerate(zip(lists, view.bounds.low, view.bounds.high, strict=True)):
        bad = (x < low) | (x >= high)
        if bad.any():
            raise Fault(
                "index-out-of-range",
                f"subscript {d} of the index view is {int(x[bad][0])}, outside of its coordinates {low}..{high - 1}",
                notes=[(view.op, "the index view is made here")],
            )
    owner, times = view.owners(lists, count)
    if (times == 0).any():
        first = [int(x[times == 0][0]) for x in lists]
        raise Fault("index-out-of-range", f"{first} is no coordinate of the index view", notes=[(view.op, "made here")])
    result = np.zeros(count, np.int64)
    for number, part in enumerate(view.parts):
        chosen = owner == number
        if chosen.any():
            addresses = np.broadcast_to(part.addresses([x[chosen] for x in lists]), (int(chosen.sum()),))
            result[chosen] = part.memory.gather(addresses, view.element, frame.tile.access(op))
    if view.element.startswith("ui"):  # an index is a count: the sign bit is a digit
        result &= (1 << 8 * int(np.dtype(f"i{_bytes(view.element)}").itemsize)) - 1
    return result.reshape(shape)


def _bytes(element: str) -> int:
    return int(element.removeprefix("ui")) // 8


def _is_constant(value: ir.Value) -> bool:
    owner = value.owner
    return not isinstance(owner, ir.Block) and owner.name == "arith.constant"


def _needs_no(map_: ir.AffineMap, constant: Sequence[bool], captured: int) -> bool:
    """Whether a subscript uses variables and constants only."""

    def plain(expression: ir.AffineExpr) -> bool:
        if isinstance(expression, ir.AffineConstantExpr):
            return True
        if isinstance(expression, ir.AffineDimExpr):
            return expression.position >= captured or constant[expression.position]
        if isinstance(expression, ir.AffineBinaryExpr):
            return plain(expression.lhs) and plain(expression.rhs)
        return False

    return all(plain(r) for r in map_.results)
