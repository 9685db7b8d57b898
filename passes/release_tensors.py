"""The marks that kept fusion away go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from spyrec.dialects import dataflow
from spyrec.mlir import ir
from spyrec.passes.analysis import kernels
from spyrec.passkit import Pass, PassContext


@dataclass
class ReleaseTensors(Pass):
    """Remove each ``dataflow.kept``, which has done its work once ops have been fused.

    IR before::

        %k = dataflow.kept %e : tensor<16xf32>
        %s = linalg.generic {...} ins(%k, %a : tensor<16xf32>, tensor<16x64xf32>) ...

    IR after::

        %s = linalg.generic {...} ins(%e, %a : tensor<16xf32>, tensor<16x64xf32>) ...

    Refuses nothing.
    """

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        for inner in (view.operation for view in kernels.views(op, dataflow.KeptOp)):
            inner.results[0].replace_all_uses_with(inner.operands[0])
            inner.erase()
            ctx.statistics["marks removed"] += 1
