"""Views, access tiles, loads and stores become reads and writes of boxes of memory, clipped where they stick out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from spyrec.dialects import ktdp
from spyrec.mlir import ir
from spyrec.passes.analysis import access_tiles, kernels, scalars, signature
from spyrec.passes.analysis.access_tiles import NotATile
from spyrec.passes.analysis.index_values import IndexValues
from spyrec.passes.analysis.steps import Steps
from spyrec.passes.analysis.tile_moves import Mover
from spyrec.passes.analysis.view_parts import Views
from spyrec.passkit import Pass, PassContext


@dataclass
class ResolveViews(Pass):
    """Say of every load and store which bytes of memory it moves.

    A view is an address with sizes and strides, a tile a box of coordinates in it; together they are an offset and
    strides. The offset is computed in elements from the tile id, loop counters and numbers, apart from the argument
    that holds the address, which counts bytes. What the kernel asks of a launch goes into the function's attribute
    ``dataflow.signature``.

    IR before::

        %v = ktdp.construct_memory_view %x, sizes: [96, 64], strides: [64, 1] {...} : memref<96x64xf16>
        scf.for %i = %c0 to %c3 step %c1 {
          %r = affine.apply affine_map<(d0, d1) -> (d0 * 3 + d1)>(%t, %i)
          %a = ktdp.construct_access_tile %v[%r, 0] {...} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
          %b = ktdp.load %a : <1x64xindex> -> tensor<1x64xf16>

    IR after::

        scf.for %i = %c0 to %c3 step %c1 {
          %o = affine.apply affine_map<(d0, d1) -> (d0 * 192 + d1 * 64)>(%t, %i)
          %b = dataflow.read @device[%o from %x] strides [64, 1] : tensor<1x64xf16>

    A tile that is not proven to be inside its view, by intervals of tile ids, counters and i32 arithmetic and by the
    conditions of enclosing loops and ifs, is clipped: bounds that are computed from where it lies leave out what sticks
    out (a remark, ``unproven-bounds``, or a warning: ``clipped-tile`` where it sticks out for certain, ``outside-tile``
    where it may start past the end and no condition is around it). What cannot
    be said by bounds, of triangles and other sets that are no boxes, becomes a ``set``. Of a view in several parts each
    part is a read or write of its own: reads go into one another, so that the first part that holds a point has it. A
    coordinate that is looked up becomes a list of indices, which is read first.

    Refuses tiles that are outside of their view for certain or start below 0 (``out-of-view``), or have points in none
    or several of the parts of their view, where that is certain; addresses that scale an argument, add two of them or
    lie outside of their memory (``scaled-address``, ``bad-address``, ``lx-overflow``); sets without bounds
    (``unsupported-set``); coordinates that are looked up in a view whose parts divide that dimension, or divided by
    what their variables do not run in step with, and stores that meet themselves (``unsupported-view``); accesses that
    span more memory than one transfer reaches (``span-limit``)."""

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        if not kernels.has_body(op):
            return
        accesses = kernels.views(op, ktdp.LoadOp, ktdp.StoreOp, bodies=True)
        if signature.ATTRIBUTE in op.attributes and not accesses:
            return
        resolver = _Resolver(op, ctx)
        for access in accesses:
            resolver.access(access)
        if ctx.sink.has_errors:
            return
        entries = resolver.views.entries()
        for kind in _MAKERS:
            for inner in kernels.walk(op):
                if inner.name in kind and not kernels.is_used(inner):
                    inner.erase()
        scalars.erase_dead(op)
        resolver.views.check_addresses()
        signature.write(op, entries)


_MAKERS = (
    (ktdp.ConstructAccessTileOp.NAME, ktdp.ConstructIndirectAccessTileOp.NAME),
    (ktdp.ConstructDistributedMemoryViewOp.NAME,),
    (ktdp.ConstructMemoryViewOp.NAME,),
)
"""What makes tiles, then what makes the views that they are of."""


class _Resolver:
    """Resolves the accesses of one function."""

    def __init__(self, function: ir.Operation, ctx: PassContext) -> None:
        self.ctx = ctx
        self.values = IndexValues(function, implicit_tiles=ctx.device.cores)
        self.views = Views(function, self.values, ctx.device, ctx.sink)

    def access(self, op: ktdp.LoadOp | ktdp.StoreOp) -> None:
        """Replace one load or store; its tile and view stay for others that use them."""
        maker = access_tiles.maker_of(op)
        view = None if maker is None else self.views.view(maker.base)
        if maker is None or view is None:
            return
        try:
            tile = access_tiles.read(maker, Steps(self.values, op.operation, ()))
            mover = Mover(self.views, op, tile, self.ctx.sink)
            if isinstance(op, ktdp.LoadOp):
                op.result.replace_all_uses_with(mover.load(view, tile.box, ir.RankedTensorType(op.result.type)))
            else:
                mover.store(view, tile.box, op.data_tile)
        except NotATile as problem:
            self.ctx.sink.error(maker, problem.id, problem.message, field=problem.field, notes=[problem.instead])
            return
        op.operation.erase()
