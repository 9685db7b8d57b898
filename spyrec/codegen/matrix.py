"""Matrix units: ``dataflow.contract`` to ``contract``."""

from __future__ import annotations

from spyrec.codegen.attributes import integers
from spyrec.codegen.nests import simplified
from spyrec.codegen.refusals import Refused
from spyrec.codegen.unit import UnitCode
from spyrec.dialects.dataflow import ContractOp
from spyrec.isa.objects import Contract, LxOperand
from spyrec.isa.table import ELEMENT_TYPES
from spyrec.mlir import ir


class Matrix(UnitCode):
    """A unit that sums up products over LX."""

    def work(self, op: ir.Operation) -> None:
        """Emit a contraction. Raises :class:`Refused`."""
        if op.name != "dataflow.contract":
            super().work(op)
            return
        view = ContractOp(op)
        if 0 in view.counts:
            return
        sides = ("lhs", "rhs", "acc")
        counts, strides = simplified(tuple(view.counts), [integers(getattr(view, f"{side}_strides")) for side in sides])
        lhs, rhs, acc = (self._operand(view, side, s) for side, s in zip(sides, strides, strict=True))
        self.builder.emit(
            Contract(counts=counts, lhs=lhs, rhs=rhs, acc=acc, start=view.start.value, keep=int(view.keep is not None))
        )

    def _operand(self, view: ContractOp, side: str, strides: tuple[int, ...]) -> LxOperand:
        type_ = str(getattr(view, f"{side}_type").value)
        if type_ not in ELEMENT_TYPES:
            raise Refused(view, "unsupported-type", f"elements of type {type_} have no encoding")
        base, offset = self.builder.split(self.integer(getattr(view, side), view))
        buffer = self.buffer(view, getattr(view, f"{side}_buffer").value)
        return LxOperand(base, offset, type_, strides, buffer, 0)
