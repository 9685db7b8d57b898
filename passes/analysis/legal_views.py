"""What the resolution of views can do with views and access tiles, asked before anything is lowered."""

from __future__ import annotations

from collections.abc import Iterable

from spyrec import diag
from spyrec.dialects import ktdp
from spyrec.mlir import ir
from spyrec.ods.checks import DYNAMIC
from spyrec.passes.analysis import kernels, views
from spyrec.passes.analysis.boxes import NotABox, box, points
from spyrec.passes.analysis.structured import is_identity

OPS = (
    ktdp.GetComputeTileIdOp,
    ktdp.ConstructMemoryViewOp,
    ktdp.ConstructAccessTileOp,
    ktdp.LoadOp,
    ktdp.StoreOp,
)


class ViewChecks:
    """The checks of views, tiles, loads and stores; the types of tensors are not looked at."""

    def __init__(self, sink: diag.Sink) -> None:
        self.sink = sink

    def check(self, op: ir.OpView) -> None:
        """Report what cannot be compiled about one of :data:`OPS`."""
        match op:
            case ktdp.ConstructMemoryViewOp():
                self._view(op)
            case ktdp.ConstructAccessTileOp():
                self._tile(op)
            case ktdp.LoadOp() | ktdp.StoreOp():
                maker = kernels.defining(op.access_tile)
                if maker is None or not isinstance(maker.opview, ktdp.ConstructAccessTileOp):
                    self._error(
                        op,
                        "unsupported-op",
                        f"{op.operation.name} is not compiled yet: its tile is handed on by something else, and where"
                        " it lies is not known here",
                        "use ktdp.construct_access_tile at the access",
                    )

    def _view(self, op: ktdp.ConstructMemoryViewOp) -> None:
        for field, values in (("sizes", op.sizes), ("strides", op.strides)):
            if values:
                self._error(
                    op,
                    "unsupported-view",
                    f"a view whose {field} only the run knows is not compiled yet: its tiles cannot be proven inside",
                    f"give constant {field}; a larger view may stand for all",
                    field=field,
                )
        space = op.memory_space
        if not isinstance(space, ktdp.MemorySpaceAttr) or str(space.kind) != '"global"':
            self._error(
                op,
                "unsupported-view",
                f"a view in {space} is not compiled yet: LX is given to the compiler's own buffers alone",
                "use a view of device memory: #ktdp.memory_space<global>",
                field="memory_space",
            )
        self._box(op, op.coordinate_set, "coordinate_set")

    def _tile(self, op: ktdp.ConstructAccessTileOp) -> None:
        if views.view_of(op) is None:
            maker = kernels.defining(op.base)
            what = maker.name if maker is not None else "an argument of a block"
            self._error(
                op,
                "unsupported-view",
                f"a tile of the result of {what} is not compiled yet: where it lies is not known here",
                "make tiles of the result of ktdp.construct_memory_view",
                field="base",
            )
        order = op.access_tile_order.value
        if not is_identity(order):
            self._error(
                op,
                "unsupported-order",
                f"the order {order} is not compiled yet: a tile is loaded in the order of its view",
                "make a view with permuted sizes and strides, and use the identity",
                field="access_tile_order",
            )
        shape = ktdp.AccessTileType(op.result.type).shape
        if DYNAMIC in shape or op.symbol_operands:
            self._error(
                op,
                "dynamic-shape",
                "a tile whose extents only the run knows is not compiled yet: its buffer in LX has a fixed size",
                "use tiles of constant extents, and a smaller one for the rest",
                field="type(result)",
            )
            return
        points = self._box(op, op.access_tile_set, "access_tile_set")
        if points is not None and is_identity(order) and list(points) != shape:
            self._error(
                op,
                "unsupported-set",
                f"a set of {_by(points)} points in a tile of {_by(shape)} is not compiled yet: nothing fills the rest"
                " with 0",
                "make the tile as large as its set",
                field="access_tile_set",
            )

    def _box(self, op: ir.OpView, attribute: ir.Attribute, field: str) -> tuple[int, ...] | None:
        """The extents of a set that is a box; sets with symbols belong to dynamic shapes, which are refused as such."""
        try:
            return box(attribute).extents
        except NotABox as problem:
            if points(attribute).symbols == 0:
                self._error(
                    op,
                    "unsupported-set",
                    f"{field} is not compiled yet: a transfer moves a box, and {problem}",
                    "use a set in which every dimension has constant bounds of its own",
                    field=field,
                )
            return None

    def _error(self, op: ir.OpView, id: str, message: str, instead: str, field: str | None = None) -> None:
        self.sink.error(op, id, message, field=field, notes=[instead])


def _by(extents: Iterable[int]) -> str:
    return " x ".join(map(str, extents)) or "1"
