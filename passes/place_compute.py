"""Every compute op is given to the unit that runs it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from spyrec.mlir import ir
from spyrec.passes.analysis import kernels
from spyrec.passes.analysis.contractions import unit_for
from spyrec.passes.analysis.slices import UNIT
from spyrec.passes.analysis.structured import structured
from spyrec.passkit import Pass, PassContext


@dataclass
class PlaceCompute(Pass):
    """Name the unit of each ``linalg.generic`` on buffers: the matrix unit for sums of products, else the vector unit.

    The matrix unit takes sums of products of two operands, if it has their element types. It adds up in itself, wider
    than any element, starts from what the output holds, and rounds once to the output's type, as every contraction has
    to (``docs/numerics.md``): an output of f16 needs no wider buffer in LX.

    IR before::

        linalg.generic {indexing_maps = [...], iterator_types = [...]} ins(%a : memref<1x64xf16, "lx">) outs(...) {...}

    IR after::

        linalg.generic {...} ins(%a : memref<1x64xf16, "lx">) outs(...) attrs = {dataflow.unit = @sfu} {...}

    Leaves alone ops that name a unit already, and ops on tensors. Refuses nothing: ``legality`` has compared element
    types with the lanes of the unit."""

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        for inner in kernels.steps(op):
            seen = structured(inner)
            if seen is None or inner.results or UNIT in inner.attributes:
                continue
            unit = unit_for(seen, ctx.device)
            inner.attributes[UNIT] = ir.FlatSymbolRefAttr.get(unit.kind)
            ctx.statistics[f"ops for {unit.kind}"] += 1
