"""A product that was an op of its own stays rounded when it comes to feed a sum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from spyrec.dialects import dataflow
from spyrec.mlir import ir
from spyrec.passes.analysis import kernels
from spyrec.passes.analysis.folds import SUM, Fold, fold
from spyrec.passes.analysis.structured import structured
from spyrec.passkit import Pass, PassContext

_WRITTEN = ("linalg.generic", "linalg.reduce")
"""Ops whose bodies are the kernel's own; those of other named ops are theirs."""


@dataclass
class KeepRounding(Pass):
    """Mark, in bodies that add up floats, which operands are rounded, before upstream moves products there.

    In a sum of products the product is not rounded: that is decided by a ``mulf`` that directly feeds the sum. So it
    would change results when fusion, or a folded ``x * 1``, put a ``mulf`` there that was not there before. A
    ``dataflow.rounded`` in front of the sum's term, or of the factors of its product, keeps it away: nothing folds that
    op. ``drop-rounding`` removes it where nothing came of it.

    IR before::

        ^bb0(%a: f32, %o: f32):
          %s = arith.addf %o, %a : f32

    IR after::

        ^bb0(%a: f32, %o: f32):
          %r = dataflow.rounded %a : f32
          %s = arith.addf %o, %r : f32

    Leaves alone other combiners, operands that are marked already, and named ops until they are generic. Refuses
    nothing.
    """

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        for inner in kernels.steps(op):
            seen = structured(inner) if inner.name in _WRITTEN else None
            if seen is None or seen.is_parallel:
                continue
            for output in range(len(seen.outputs)):
                found = fold(seen, output)
                if found is not None and found.op.name == SUM:
                    ctx.statistics["operands marked"] += _mark(found)


def _mark(found: Fold) -> int:
    product = found.product
    uses = [(found.op, found.position)] if product is None else [(product, 0), (product, 1)]
    marked = 0
    for user, position in uses:
        value = user.operands[position]
        maker = kernels.defining(value)
        if maker is not None and isinstance(maker.opview, dataflow.RoundedOp):
            continue
        with ir.InsertionPoint(user):
            made = dataflow.RoundedOp.build(input=value, result=value.type, loc=user.location)
        user.operands[position] = made.result
        marked += 1
    return marked
