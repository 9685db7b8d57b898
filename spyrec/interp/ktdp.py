"""Meaning of the ``ktdp`` dialect: views of memory, tiles of them, loads and stores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from spyrec import numerics
from spyrec.dialects import ktdp
from spyrec.interp.affine import apply_map
from spyrec.interp.faults import Fault
from spyrec.interp.indirect import IndirectTile
from spyrec.interp.machine import Frame, Run, Scope, meaning
from spyrec.interp.memory import Memory
from spyrec.interp.points import Box, Points, SetFunction
from spyrec.interp.tiles import BoxPiece, Order, Tile, tensor_shape
from spyrec.interp.values import Address, Scaled, Tensor, defined, element_of
from spyrec.interp.views import Part, View, check_part, check_plain, problems
from spyrec.mlir import ir
from spyrec.numerics import Array
from spyrec.ods.checks import DYNAMIC

PARTS = "ktdp.construct_distributed_memory_view"

LAYOUTS = 256
"""Layouts of one op's views that are kept for who makes them again."""


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


@meaning("ktdp.runtime_arg_extract")
def runtime_arg_extract(op: ir.Operation, scope: Scope) -> Run:
    """The launch binds the value; the rest is part of the type."""
    extract = ktdp.RuntimeArgExtractOp(op)
    argument = ktdp.RuntimeArgType(extract.input.type)
    promise = {1: argument.granularity, 2: argument.upperbound}.get(extract.kind.value)

    def run(frame: Frame, value: Any) -> Any:
        return value if promise is None else promise.value

    return run


@meaning("ktdp.construct_memory_view")
def construct_memory_view(op: ir.Operation, scope: Scope) -> Run:
    view = ktdp.ConstructMemoryViewOp(op)
    element = element_of(view.result.type)
    size = numerics.sizeof(element)
    static_sizes, static_strides = list(view.static_sizes), list(view.static_strides)
    dynamic_sizes = len(view.sizes)
    coordinates = SetFunction.of(view.coordinate_set)
    in_scratchpad, owner = _space(view.memory_space)
    users = [use.owner.operation.name for use in view.result.uses]
    is_part, is_tiled = PARTS in users, not users or any(name != PARTS for name in users)

    made: dict[tuple[int, ...], tuple[tuple[int, ...], Points]] = {}

    def run(frame: Frame, offset: int, *dynamic: int) -> View:
        memory: Memory = frame.tile.device
        if in_scratchpad:
            memory = frame.tile.scratchpads(frame.tile.number if owner is None else owner)
        found = made.get(dynamic)
        if found is None:
            if len(made) >= LAYOUTS:
                made.clear()
            found = made[dynamic] = layout(dynamic)
        strides, points = found
        part = Part(op, memory, _byte_address(offset, size), (0,) * len(strides), strides, points)
        return View(op, element, points.box, (part,))

    def layout(dynamic: Sequence[int]) -> tuple[tuple[int, ...], Points]:
        """Strides in bytes and coordinates: the same for all tiles, iterations and launches with equal numbers."""
        sizes = _fill(static_sizes, dynamic[:dynamic_sizes])
        strides = _fill(static_strides, dynamic[dynamic_sizes:])
        for k, n in enumerate(sizes):
            if n < 0:
                raise Fault("wrong-size", f"size {k} of the view is {n}", f"sizes[{k}]")
        points = coordinates.points([int(v) for v in dynamic[:dynamic_sizes]])
        if is_tiled:
            check_plain(points, sizes)
        if is_part:
            check_part(points, sizes)
        return tuple(s * size for s in strides), points

    return run


@meaning(PARTS)
def construct_distributed_memory_view(op: ir.Operation, scope: Scope) -> Run:
    type_ = ir.MemRefType(op.results[0].type)
    element, shape = element_of(type_), list(type_.shape)
    seen: dict[tuple[Any, ...], tuple[Box, str | None, str | None]] = {}

    def run(frame: Frame, *views: View) -> View:
        parts = tuple(
            Part(p.op, p.memory, p.address, p.points.box.low, p.strides, p.points) for v in views for p in v.parts
        )
        key = tuple((p.points.box, p.points.symbols) for p in parts)
        if key not in seen:
            seen[key] = _bounds(parts, shape)
        bounds, overlap, hole = seen[key]
        if overlap:
            notes = ["a load takes the first part that holds a coordinate, a store there is an error"]
            frame.tile.report.warn(op, "overlapping-parts", overlap, notes)
        if hole:
            frame.tile.report.warn(op, "hole-in-view", hole, ["a load or store there is an error"])
        return View(op, element, bounds, parts)

    return run


def _bounds(parts: Sequence[Part], shape: Sequence[int]) -> tuple[Box, str | None, str | None]:
    """Coordinates of a distributed view, those of its type; and what there is to say about overlaps and holes."""
    boxes = [p.points.box for p in parts if not p.points.box.is_empty]
    reach = [max((b.high[d] for b in boxes), default=0) for d in range(len(shape))]
    bounds = Box((0,) * len(shape), tuple(r if n == DYNAMIC else n for r, n in zip(reach, shape, strict=True)))
    if any(p.points.symbols for p in parts):  # the reader has said it of what is constant
        return bounds, *problems(parts, bounds)
    return bounds, None, None


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
    points = SetFunction.of(tile.access_tile_set)
    order = Order(tile.access_tile_order.value)
    shape = ktdp.AccessTileType(tile.result.type).shape
    indices = len(tile.indices)
    fixed = tuple(_is_constant(r, list(tile.indices), subscripts.n_dims) for r in subscripts.results)

    def run(frame: Frame, base: Any, *operands: int) -> Tile:
        if not isinstance(base, View):
            raise Fault("unsupported-op", "a tile of a tensor has no meaning in this executor", "base")
        anchor = tuple([int(v) for v in anchor_of(operands[:indices])])
        held = points.points([int(v) for v in operands[indices:]] if indices < len(operands) else ())
        return Tile(op, base, anchor, held, order, tensor_shape(shape, held, order), fixed)

    return run


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
    def run(frame: Frame, tile: Tile | IndirectTile) -> Tensor:
        element = tile.view.element
        pieces = tile.pieces(frame, op, writing=False)
        if len(pieces) == 1 and isinstance(piece := pieces[0], BoxPiece) and piece.counts == tile.shape:
            return Tensor(piece.read(element, frame.tile.access(op)))
        result = np.zeros(tile.shape, numerics.dtype(element))
        for piece in pieces:
            result[piece.region] = piece.read(element, frame.tile.access(op))
        return Tensor(result)

    return run


@meaning("ktdp.store")
def store(op: ir.Operation, scope: Scope) -> Run:
    def run(frame: Frame, data: Tensor, tile: Tile | IndirectTile) -> None:
        if data.data.shape != tile.shape:
            shapes = [" x ".join(map(str, s)) or "rank 0" for s in (data.data.shape, tile.shape)]
            raise Fault("shape-mismatch", f"a tensor of {shapes[0]} is stored to a tile of {shapes[1]}")
        for piece in tile.pieces(frame, op, writing=True):
            piece.write(_part(data, piece.region), tile.view.element, frame.tile.access(op))

    return run


def _part(data: Tensor, region: Any) -> Array:
    """The elements of a tensor that are stored; raises when one of them was never written."""
    return defined(Tensor(data.data[region], None if data.holes is None else data.holes[region]), "the stored tensor")
