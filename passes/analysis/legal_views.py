"""What the resolution of views can do with views and access tiles, asked before anything is lowered."""

from __future__ import annotations

from spyrec import diag
from spyrec.dialects import ktdp
from spyrec.mlir import ir
from spyrec.ods.checks import DYNAMIC
from spyrec.passes.analysis import kernels
from spyrec.passes.analysis.access_tiles import Maker, maker_of

OPS = (
    ktdp.GetComputeTileIdOp,
    ktdp.ConstructMemoryViewOp,
    ktdp.ConstructDistributedMemoryViewOp,
    ktdp.ConstructAccessTileOp,
    ktdp.ConstructIndirectAccessTileOp,
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
            case ktdp.ConstructDistributedMemoryViewOp():
                for k, part in enumerate(op.memrefs):
                    self._view(op, part, f"memrefs[{k}]")
            case ktdp.ConstructAccessTileOp():
                self._view(op, op.base, "base")
                self._tile(op)
            case ktdp.ConstructIndirectAccessTileOp():
                self._view(op, op.base, "base")
                for k, view in enumerate(op.indirect_memrefs):
                    self._view(op, view, f"indirect_memrefs[{k}]")
                self._tile(op)
            case ktdp.LoadOp() | ktdp.StoreOp():
                if maker_of(op) is None:
                    self._error(
                        op,
                        "unsupported-op",
                        f"{op.operation.name} is not compiled: its tile is handed on by something else, and where it"
                        " lies is not known here",
                        "use ktdp.construct_access_tile at the access",
                    )

    def _view(self, op: ir.OpView, view: ir.Value, field: str) -> None:
        maker = kernels.defining(view)
        if maker is not None and isinstance(
            maker.opview, ktdp.ConstructMemoryViewOp | ktdp.ConstructDistributedMemoryViewOp
        ):
            return
        what = maker.name if maker is not None else "an argument of a block"
        self._error(
            op,
            "unsupported-view",
            f"a tile of the result of {what} is not compiled: where it lies is not known here",
            "make tiles of the result of ktdp.construct_memory_view",
            field,
        )

    def _tile(self, op: Maker) -> None:
        if DYNAMIC in ktdp.AccessTileType(op.result.type).shape:
            self._error(
                op,
                "dynamic-shape",
                "a tile whose extents only the run knows is not compiled: its buffer in LX has a fixed size",
                "use a tile of the largest extents; its set may say, with symbols, how many of its points there are",
                "type(result)",
            )

    def _error(self, op: ir.OpView, id: str, message: str, instead: str, field: str | None = None) -> None:
        self.sink.error(op, id, message, field=field, notes=[instead])
