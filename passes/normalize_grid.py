"""One flat tile id instead of ids per dimension of the grid."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from spyrec.dialects import dataflow, ktdp
from spyrec.mlir import ir
from spyrec.passes.analysis import kernels, ops
from spyrec.passkit import Pass, PassContext


@dataclass
class NormalizeGrid(Pass):
    """Number the compute tiles along one dimension.

    The hardware knows cores by one number, and whoever proves something about a tile wants one variable. The first
    dimension of the grid varies fastest: flat = i0 + g0 * (i1 + g1 * ...). A kernel that takes one id on a grid of
    several dimensions takes the flat one.

    IR before::

        func.func @k(...) attributes {grid = [8, 4]} {
          %i, %j = ktdp.get_compute_tile_id : index, index

    IR after::

        func.func @k(...) attributes {grid = [32]} {
          %t = dataflow.tile_id
          %i = affine.apply affine_map<(d0) -> (d0 mod 8)>(%t)
          %j = affine.apply affine_map<(d0) -> (d0 floordiv 8)>(%t)

    A kernel without ``grid`` that asks for its id gets one tile per core of the device, and a warning; any other gets
    one tile. Refuses nothing: the gate of stage ``ktir`` has compared the grid with the ids and with the device."""

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        if not kernels.has_body(op):
            return
        ids = kernels.views(op, ktdp.GetComputeTileIdOp, bodies=True)
        extents = kernels.grid(op)
        if extents is None:
            asks = bool(ids) or bool(kernels.views(op, dataflow.TileIdOp, bodies=True))
            extents = (ctx.device.cores if asks else 1,)
            if asks:
                ctx.sink.warning(
                    ids[0] if ids else op,
                    "implicit-grid",
                    f"the kernel has no grid: it runs on all {extents[0]} cores of device '{ctx.device.name}'",
                    notes=[f"say so with attributes {{grid = [{extents[0]}]}}"],
                )
        op.attributes[kernels.GRID] = ir.ArrayAttr.get([ops.i64(math.prod(extents))])
        if not ids:
            return
        first = ids[0].location
        with ir.InsertionPoint.at_block_begin(op.regions[0].blocks[0]):
            tile = dataflow.TileIdOp.build(loc=first).result
            flat = [tile]
            per_dimension = [_coordinate(tile, extents, k, first) for k in range(len(extents))]
        for taken in ids:
            values = flat if len(taken.ids) == 1 else per_dimension
            for old, new in zip(taken.ids, values, strict=True):
                old.replace_all_uses_with(new)
            taken.operation.erase()


def _coordinate(tile: ir.Value, extents: tuple[int, ...], dim: int, location: ir.Location) -> ir.Value:
    """Coordinate ``dim`` of the tile with the flat id ``tile``."""
    if extents[dim] == 1:
        return ops.index_constant(0, location)
    inner, outer = math.prod(extents[:dim]), math.prod(extents[dim + 1 :])
    expression: ir.AffineExpr = ir.AffineExpr.get_dim(0)
    if inner != 1:
        expression = ir.AffineExpr.get_floor_div(expression, inner)
    if outer != 1:
        expression = ir.AffineExpr.get_mod(expression, extents[dim])
    if inner == outer == 1:
        return tile
    return ops.apply(ir.AffineMap.get(1, 0, [expression]), [tile], location)
