"""Load and store units: ``dataflow.transfer`` to ``xfer``."""

from __future__ import annotations

from spyrec.codegen.attributes import integers
from spyrec.codegen.nests import simplified
from spyrec.codegen.refusals import Refused
from spyrec.codegen.unit import UnitCode
from spyrec.isa.objects import Dim, End, Xfer
from spyrec.isa.table import ELEMENT_BYTES
from spyrec.mlir import ir


class Mover(UnitCode):
    """A unit that moves boxes of bytes between memories."""

    def work(self, op: ir.Operation) -> None:
        """Emit a transfer. Raises :class:`Refused`."""
        if op.name != "dataflow.transfer":
            super().work(op)
            return
        element_bytes = ir.IntegerAttr(op.attributes["element_bytes"]).value
        if element_bytes not in ELEMENT_BYTES.values():
            raise Refused(op, "unsupported-type", f"elements of {element_bytes} bytes; 1, 2, 4 and 8 can be moved")
        counts = integers(op.attributes["counts"])
        if 0 in counts:
            return
        strides = [integers(op.attributes[f"{side}_strides"]) for side in ("source", "dest")]
        counts, (source_strides, dest_strides) = simplified(counts, strides)
        self.builder.emit(
            Xfer(
                element_bytes=element_bytes,
                source=self._end(op, "source"),
                dest=self._end(op, "dest"),
                dims=tuple(map(Dim, counts, source_strides, dest_strides)),
            )
        )

    def _end(self, op: ir.Operation, side: str) -> End:
        """One side of the transfer: base and offset added up, the constant part kept in the instruction."""
        view = op.opview
        address = self.integer(getattr(view, side), op)
        base = getattr(view, f"{side}_base")
        if base is not None:
            address = self.builder.alu("add", self.integer(base, op), address)
        space = ir.FlatSymbolRefAttr(op.attributes[f"{side}_space"]).value
        name = f"{side}_buffer"
        buffer = None
        if name in op.attributes:
            buffer = self.buffer(op, ir.FlatSymbolRefAttr(op.attributes[name]).value)
        return End(space, *self.builder.split(address), buffer)
