"""Meaning of the ``ktdp`` dialect: views of memory, tiles of them, loads and stores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spyrec import numerics
from spyrec.dialects import ktdp
from spyrec.interp.affine import apply_map, map_function
from spyrec.interp.faults import Fault
from spyrec.interp.machine import Frame, Run, Scope, meaning
from spyrec.interp.memory import Memory
from spyrec.interp.points import Box, Points, SetFunction
from spyrec.interp.values import Address, Scaled, Tensor, defined, element_of
from spyrec.mlir import ir
from spyrec.numerics import Array
from spyrec.ods.checks import DYNAMIC


@dataclass(frozen=True)
class View:
    """A strided view: coordinate x is the element at byte ``address + sum(x * strides)``. ``points`` bounds it."""

    op: ir.Operation
    memory: Memory
    address: int
    element: str
    strides: tuple[int, ...]
    points: Points


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


class Order:
    """An ``access_tile_order``: where in the tensor each point of the tile goes."""

    def __init__(self, map_: ir.AffineMap) -> None:
        self.function = map_function(map_)
        results = list(map_.results)
        plain = all(isinstance(r, ir.AffineDimExpr) for r in results)
        dims = [ir.AffineDimExpr(r).position for r in results] if plain else []
        #: Dimension of the tile per dimension of the tensor, when the map is a permutation; else None.
        self.permutation = tuple(dims) if sorted(dims) == list(range(map_.n_dims)) else None


@meaning("ktdp.get_compute_tile_id")
def get_compute_tile_id(op: ir.Operation, scope: Scope) -> Run:
    count = len(op.results)

    def run(frame: Frame) -> Any:
        grid, rest = frame.tile.grid, frame.tile.number
        if count == 1:
            return rest
        if count != len(grid):
            raise Fault(
                "grid-mismatch", f"{count} ids are taken, but the grid {list(grid)} has {len(grid)} dimensions", "ids"
            )
        ids = []
        for extent in grid:
            ids.append(rest % extent)
            rest //= extent
        return tuple(ids)

    return run


@meaning("ktdp.construct_memory_view")
def construct_memory_view(op: ir.Operation, scope: Scope) -> Run:
    view = ktdp.ConstructMemoryViewOp(op)
    element = element_of(view.result.type)
    size = numerics.sizeof(element)
    static_sizes, static_strides = list(view.static_sizes), list(view.static_strides)
    dynamic_sizes = len(view.sizes)
    coordinates = SetFunction(view.coordinate_set)
    in_scratchpad, owner = _space(view.memory_space)

    def run(frame: Frame, offset: int, *dynamic: int) -> View:
        sizes = _fill(static_sizes, dynamic[:dynamic_sizes])
        strides = _fill(static_strides, dynamic[dynamic_sizes:])
        points = coordinates.points(dynamic[:dynamic_sizes])
        if not Box((0,) * len(sizes), tuple(sizes)).holds(points.box):
            raise Fault(
                "set-too-large",
                f"coordinate_set reaches over {points.box}, but the sizes are {sizes}",
                "coordinate_set",
                ["coordinates run from 0 up to, but not including, the sizes"],
            )
        memory: Memory = frame.tile.device
        if in_scratchpad:
            memory = frame.tile.scratchpads(frame.tile.number if owner is None else owner)
        return View(op, memory, _byte_address(offset, size), element, tuple(s * size for s in strides), points)

    return run


def _fill(static: Sequence[int], dynamic: Sequence[int]) -> list[int]:
    """Static entries with the dynamic ones put in their places."""
    values = iter(dynamic)
    return [next(values) if entry == DYNAMIC else entry for entry in static]


def _space(attribute: ir.Attribute) -> tuple[bool, int | None]:
    """Whether a memory space is a scratchpad, and whose it is (None: the executing core's)."""
    if isinstance(attribute, ktdp.MemorySpaceAttr):
        kind, owner = attribute.kind, attribute.ct_id
        name = ir.StringAttr(kind).value
        return name == "ct_local", None if owner is None else ir.IntegerAttr(owner).value
    raise Fault("unsupported-op", f"{attribute} is no memory that the executor knows", "memory_space")


def _byte_address(offset: int, size: int) -> int:
    """Byte address of an element offset: literal addresses count elements, an argument is bound to bytes."""
    if isinstance(offset, Scaled):
        raise Fault(
            "scaled-address",
            "the address is computed from an address argument by more than adding numbers",
            "offset",
            ["a view may start at an argument plus a number of elements"],
        )
    if isinstance(offset, Address):
        return offset.base + (int(offset) - offset.base) * size
    return int(offset) * size


@meaning("ktdp.construct_access_tile")
def construct_access_tile(op: ir.Operation, scope: Scope) -> Run:
    tile = ktdp.ConstructAccessTileOp(op)
    subscripts = tile.base_map.value
    anchor_of = apply_map(subscripts)
    points = SetFunction(tile.access_tile_set)
    order = Order(tile.access_tile_order.value)
    shape = ktdp.AccessTileType(tile.result.type).shape
    indices = len(tile.indices)
    fixed = tuple(_is_constant(r, list(tile.indices), subscripts.n_dims) for r in subscripts.results)

    def run(frame: Frame, base: Any, *operands: int) -> Tile:
        if not isinstance(base, View):
            raise Fault("unsupported-op", "a tile of a tensor has no meaning in this executor", "base")
        anchor = tuple(int(v) for v in anchor_of(operands[:indices]))
        held = points.points(operands[indices:])
        return Tile(op, base, anchor, held, order, _tensor_shape(shape, held, order), fixed)

    return run


def _tensor_shape(shape: Sequence[int], points: Points, order: Order) -> tuple[int, ...]:
    """The static shape, with dynamic dimensions as long as the set is there."""
    if DYNAMIC not in shape:
        return tuple(shape)
    if order.permutation is None:
        raise Fault(
            "unsupported-op", "a tile of dynamic shape needs an order that is a permutation", "access_tile_order"
        )
    extents = [points.box.extents[d] for d in order.permutation]
    return tuple(e if s == DYNAMIC else s for s, e in zip(shape, extents, strict=True))


def _is_constant(expression: ir.AffineExpr, operands: Sequence[ir.Value], dims: int) -> bool:
    """Whether a subscript is built from constants only."""
    if isinstance(expression, ir.AffineConstantExpr):
        return True
    if isinstance(expression, ir.AffineDimExpr | ir.AffineSymbolExpr):
        first = dims if isinstance(expression, ir.AffineSymbolExpr) else 0
        owner = operands[first + expression.position].owner
        return not isinstance(owner, ir.Block) and owner.name == "arith.constant"
    assert isinstance(expression, ir.AffineBinaryExpr)
    return all(_is_constant(side, operands, dims) for side in (expression.lhs, expression.rhs))


# Loads and stores ----------------------------------------------------------------------------------------------------


@meaning("ktdp.load")
def load(op: ir.Operation, scope: Scope) -> Run:
    def run(frame: Frame, tile: Tile) -> Tensor:
        view = tile.view
        result = np.zeros(tile.shape, numerics.dtype(view.element))
        box = _clipped(frame, op, tile)
        placed = _placed(tile, box)
        if placed is not None:
            result[placed.region] = view.memory.read(
                _first_byte(view, box), placed.counts, placed.strides, view.element
            )
        elif not box.is_empty:
            coordinates, places = _enumerate(frame, op, tile, box)
            if places and len(places[0]):
                result[places] = view.memory.gather(_addresses(view, coordinates), view.element)
        return Tensor(result)

    return run


@meaning("ktdp.store")
def store(op: ir.Operation, scope: Scope) -> Run:
    def run(frame: Frame, data: Tensor, tile: Tile) -> None:
        view = tile.view
        box = _clipped(frame, op, tile)
        placed = _placed(tile, box)
        if placed is not None:
            values = _part(data, placed.region)
            view.memory.write(_first_byte(view, box), placed.counts, placed.strides, values, view.element)
        elif not box.is_empty:
            coordinates, places = _enumerate(frame, op, tile, box)
            if places and len(places[0]):
                values = _part(data, places).astype(numerics.dtype(view.element), copy=False)
                raw = numerics.to_bytes(values).reshape(-1, numerics.sizeof(view.element))
                view.memory.scatter(_addresses(view, coordinates), raw)

    return run


def _part(data: Tensor, region: Any) -> Array:
    """The elements of a tensor that are stored; raises when one of them was never written."""
    return defined(Tensor(data.data[region], None if data.holes is None else data.holes[region]), "the stored tensor")


def _clipped(frame: Frame, op: ir.Operation, tile: Tile) -> Box:
    """Coordinates of the tile's points that are inside the view, after the checks of what is outside."""
    points, inside = tile.points.box.moved(tile.anchor), tile.view.points.box
    if points.is_empty:
        return points
    _check_size(tile)
    if inside.holds(points):
        return points
    kept = points.common(inside)
    below = any(fixed and low < 0 for fixed, low in zip(tile.fixed, points.low, strict=True))
    wrong = kept.is_empty or below
    what = f"the tile covers {points}, but the points of the view are {inside}"
    _outside(frame, op, tile, what, wrong)
    return kept


def _outside(frame: Frame, op: ir.Operation, tile: Tile, what: str, wrong: bool) -> None:
    """Report a tile that sticks out of its view: an error when ``wrong`` or bounds are strict, else a warning."""
    made = [(tile.op, "the tile is made here"), (tile.view.op, "the view is made here")]
    number = frame.tile.number
    if wrong or frame.tile.strict_bounds:
        raise Fault("out-of-view", what, notes=made)
    verb = "read as 0" if op.name == "ktdp.load" else "not stored"
    frame.tile.report.warn(
        op, "clipped-tile", f"{what}: points outside are {verb} (first on compute tile {number})", made
    )


def _check_size(tile: Tile) -> None:
    """The set has no more points than the tile's type has room for."""
    if tile.order.permutation is None or tile.points.rest is not None:
        return  # checked point by point in `_enumerate`
    extents = tuple(tile.points.box.extents[d] for d in tile.order.permutation)
    if any(e > s for e, s in zip(extents, tile.shape, strict=True)):
        raise _too_large(tile, "x".join(map(str, extents)))


def _too_large(tile: Tile, extents: str) -> Fault:
    return Fault(
        "set-too-large",
        f"access_tile_set has {extents} points, but the tile only {'x'.join(map(str, tile.shape)) or '1'}",
        notes=[(tile.op, "the tile is made here")],
    )


@dataclass(frozen=True)
class Placed:
    """Where a box of coordinates goes in the tensor: slices, and counts and byte strides of memory in their order."""

    region: tuple[slice, ...]
    counts: tuple[int, ...]
    strides: tuple[int, ...]


def _placed(tile: Tile, box: Box) -> Placed | None:
    """The whole of ``box`` (coordinates of the tile) as one region of the tensor; None when it is none, or empty."""
    order = tile.order.permutation
    if order is None or box.is_empty or tile.points.rest is not None or tile.view.points.rest is not None:
        return None
    first = [low - a - s for low, a, s in zip(box.low, tile.anchor, tile.points.box.low, strict=True)]
    extents = box.extents
    return Placed(
        tuple(slice(first[d], first[d] + extents[d]) for d in order),
        tuple(extents[d] for d in order),
        tuple(tile.view.strides[d] for d in order),
    )


def _first_byte(view: View, box: Box) -> int:
    return view.address + sum(x * s for x, s in zip(box.low, view.strides, strict=True))


def _addresses(view: View, coordinates: Sequence[Array]) -> Array:
    total = np.full(coordinates[0].shape, view.address, np.int64)
    for x, stride in zip(coordinates, view.strides, strict=True):
        total += x * stride
    return total


def _enumerate(frame: Frame, op: ir.Operation, tile: Tile, box: Box) -> tuple[list[Array], tuple[Array, ...]]:
    """The points of ``box`` that are in the tile and in the view, one by one: coordinates, and places in the tensor.

    Points come in the order of the tensor's elements, so that of points with one address the last one counts.
    """
    whole = tile.points.box
    mask = tile.points.mask(whole)
    held = np.ones(whole.extents, bool) if mask is None else mask
    relative = [index[held] + low for index, low in zip(np.indices(whole.extents), whole.low, strict=True)]
    count = int(held.sum())
    places = [np.broadcast_to(np.asarray(v), (count,)) for v in tile.order.function(relative, [])]
    places = [q - q.min() for q in places] if count else places
    if any((q >= n).any() for q, n in zip(places, tile.shape, strict=True)):
        reach = "x".join(str(int(q.max()) + 1) for q in places)
        raise _too_large(tile, reach)
    coordinates = [p + a for p, a in zip(relative, tile.anchor, strict=True)]
    kept = np.ones(count, bool)
    for x, low, high in zip(coordinates, box.low, box.high, strict=True):
        kept &= (x >= low) & (x < high)
    inside = tile.view.points.mask(box)
    if inside is not None:
        at = tuple(np.where(kept, x - low, 0) for x, low in zip(coordinates, box.low, strict=True))
        before = int(kept.sum())
        kept &= inside[at]
        lost = before - int(kept.sum())
        if lost:
            what = f"{lost} of the {count} points of the tile are no points of the view's coordinate_set"
            _outside(frame, op, tile, what, not kept.any())
    flat = np.ravel_multi_index(tuple(places), tile.shape) if places else np.zeros(count, np.int64)
    chosen = np.flatnonzero(kept)[np.argsort(flat[kept], kind="stable")]
    return [x[chosen] for x in coordinates], tuple(q[chosen] for q in places)
