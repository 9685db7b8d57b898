"""Every compute op is given to the unit that runs it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from spyrec.mlir import ir
from spyrec.passes.analysis import kernels
from spyrec.passes.analysis.structured import structured
from spyrec.passkit import Pass, PassContext

UNIT = "dataflow.unit"


@dataclass
class PlaceCompute(Pass):
    """Name the unit of each ``linalg.generic`` on buffers: the device's vector unit.

    IR before::

        linalg.generic {indexing_maps = [...], iterator_types = [...]} ins(%a : memref<1x64xf16, "lx">) outs(...) {...}

    IR after::

        linalg.generic {...} ins(%a : memref<1x64xf16, "lx">) outs(...) attrs = {dataflow.unit = @sfu} {...}

    Leaves alone ops that name a unit already, and ops on tensors. Refuses nothing: ``legality`` has compared element
    types with the lanes of the unit."""

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        for inner in kernels.walk(op):
            if structured(inner) is None or inner.results or UNIT in inner.attributes:
                continue
            inner.attributes[UNIT] = ir.FlatSymbolRefAttr.get(ctx.device.unit("vector").kind)
