"""The gate of stage ``ktir``: what is wrong with the kernel, whoever compiles it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from spyrec.dialects import ktdp
from spyrec.mlir import ir
from spyrec.passes.analysis import kernels, views
from spyrec.passes.analysis.boxes import Box, NotABox, box
from spyrec.passes.analysis.index_values import IndexValues
from spyrec.passes.analysis.structured import structured
from spyrec.passkit import Pass, PassContext


@dataclass
class VerifyKtir(Pass):
    """Refuse kernels that are wrong in a way that no single op shows.

    Verifiers of ops see one op and its types. This gate sees the kernel: its grid against the device, anchors that are
    outside their view in every execution, values that nobody wrote.

    Refused, for example (the view has 96 rows)::

        scf.for %r = %c96 to %c99 step %c1 {
          %t = ktdp.construct_access_tile %v[%r, 0] {access_tile_order = #same, access_tile_set = #row}
                 : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>

    It changes nothing: the IR after is the IR before. What is valid but cannot be compiled yet is the business of
    ``legality``."""

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        if not kernels.has_body(op):
            return
        self._signature(op, ctx)
        if not self._grid(op, ctx):
            return
        values = IndexValues(op, implicit_tiles=ctx.device.cores)
        for inner in kernels.walk(op):
            match inner.opview:
                case ktdp.GetComputeTileIdOp() as ids:
                    self._ids(op, ids, ctx)
                case ktdp.ConstructAccessTileOp() as tile:
                    self._tile(tile, values, ctx)
            self._undefined(inner, ctx)

    def _signature(self, function: ir.Operation, ctx: PassContext) -> None:
        if kernels.GRID not in function.attributes:
            return  # it may be a helper, which is called
        if kernels.is_private(function):
            ctx.sink.error(
                function,
                "private-kernel",
                f"kernel '{kernels.name(function)}' is private: nobody could launch it",
                notes=["leave out the word before its name, or its grid if it is a function that kernels call"],
            )
        results = kernels.result_types(function)
        if results:
            ctx.sink.error(
                function,
                "kernel-results",
                f"a kernel returns nothing, but this one returns {', '.join(map(str, results))}",
                notes=["results leave a kernel through ktdp.store"],
            )

    def _grid(self, function: ir.Operation, ctx: PassContext) -> bool:
        if kernels.GRID not in function.attributes:
            return True
        attribute = function.attributes[kernels.GRID]
        extents = kernels.grid(function)
        if not extents:
            ctx.sink.error(
                function,
                "bad-grid",
                f"grid must list at least one integer, such as [32], but is {attribute}",
                field="grid",
            )
            return False
        for position, extent in enumerate(extents):
            if extent < 1:
                ctx.sink.error(
                    function, "bad-grid", f"grid[{position}] is {extent}; a kernel runs at least one tile", field="grid"
                )
        if min(extents) < 1:
            return False
        tiles, cores = math.prod(extents), ctx.device.cores
        if tiles > cores:
            ctx.sink.error(
                function,
                "grid-too-large",
                f"the grid has {tiles} tiles, but device '{ctx.device.name}' has {cores} cores",
                field="grid",
                notes=["let each tile loop over its share of the work"],
                resource=("cores", tiles, cores),
            )
            return False
        return True

    def _ids(self, function: ir.Operation, op: ktdp.GetComputeTileIdOp, ctx: PassContext) -> None:
        if kernels.grid(function) is None and len(op.ids) > 1:
            ctx.sink.error(
                op,
                "grid-mismatch",
                f"{len(op.ids)} ids are taken, but the kernel has no grid",
                field="ids",
                notes=["give the function a grid, such as attributes {grid = [8, 4]}, or take one id"],
            )

    def _tile(self, op: ktdp.ConstructAccessTileOp, values: IndexValues, ctx: PassContext) -> None:
        """Refuse a tile that is wholly outside its view in every execution, or whose constant start is below 0."""
        view = views.view_of(op)
        points, inside = _box(op.access_tile_set), _box(view.coordinate_set) if view is not None else None
        if points is None or inside is None or points.is_empty or inside.is_empty or values.unreachable(op.operation):
            return
        anchors = views.anchors(op, values)
        for dim, anchor in enumerate(anchors):
            if anchor is None:
                continue
            start = values.interval(anchor.plus(points.low[dim]), at=op.operation)
            extent = points.extents[dim]
            below, above = start.high + extent - 1 < inside.low[dim], start.low > inside.high[dim]
            if below or above or (anchor.is_constant and start.low < 0):
                what = "starts" if start.low < 0 and not below else "is wholly outside"
                ctx.sink.error(
                    op,
                    "out-of-view",
                    f"the tile {what} at {start} in dimension {dim}, but the view runs from {inside.low[dim]} to"
                    f" {inside.high[dim]} there",
                    field=f"indices[{dim}]",
                    notes=[(view, "the view is made here")],
                )
                return

    def _undefined(self, op: ir.Operation, ctx: PassContext) -> None:
        if op.name not in ("tensor.empty", "bufferization.alloc_tensor") or op.operands:
            return
        for use in op.results[0].uses:
            user = use.owner.operation
            field = _reads(user, use.operand_number)
            if field is not None:
                ctx.sink.error(
                    user,
                    "undefined-value",
                    f"{user.name} reads a tensor that nobody has written",
                    field=field or None,
                    notes=[(op, "the tensor is made here, without contents")],
                )


def _reads(user: ir.Operation, operand: int) -> str | None:
    """The name of the field through which ``user`` reads the elements of its operand; ``None`` when it reads none of
    them.
    """
    if isinstance(user.opview, ktdp.StoreOp):
        return "data_tile"
    if user.name.startswith(("arith.", "math.")):
        return ""
    linalg = structured(user)
    if linalg is None:
        return None
    if operand < len(linalg.inputs):
        return ""
    # A reduction into an empty tensor starts from the identity of its combiner.
    reads = linalg.is_parallel and linalg.reads_output(operand - len(linalg.inputs))
    return "" if reads else None


def _box(attribute: ir.Attribute) -> Box | None:
    try:
        return box(attribute)
    except NotABox:
        return None
