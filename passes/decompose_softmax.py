"""``linalg.softmax`` becomes the ops that it stands for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from spyrec.mlir import arith, ir, math
from spyrec.numerics.reductions import identity
from spyrec.passes.analysis import kernels, ops
from spyrec.passkit import Pass, PassContext


@dataclass
class DecomposeSoftmax(Pass):
    """Compute a softmax as maximum, difference, exponential, sum and quotient, each rounded to the element type.

    It is not a structured op, so nothing generalises it. The steps are those of ``docs/semantics.md``.

    IR before::

        %s = linalg.softmax dimension(1) ins(%x : tensor<4x64xf32>) outs(%e : tensor<4x64xf32>) -> tensor<4x64xf32>

    IR after::

        %m = linalg.generic {... ["parallel", "reduction"]} ins(%x : ...) outs(%low : tensor<4xf32>) {... maximumf ...}
        %g = linalg.generic {...} ins(%x, %m : ...) outs(%e0 : tensor<4x64xf32>) {... subf ... math.exp ...}
        %t = linalg.generic {... ["parallel", "reduction"]} ins(%g : ...) outs(%zero : tensor<4xf32>) {... addf ...}
        %s = linalg.generic {...} ins(%g, %t : ...) outs(%e1 : tensor<4x64xf32>) {... divf ...}

    Refuses nothing.
    """

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        for inner in [inner for inner in kernels.steps(op) if inner.name == "linalg.softmax"]:
            with ir.InsertionPoint(inner):
                new = _decomposed(inner)
            inner.results[0].replace_all_uses_with(new)
            inner.erase()
            ctx.statistics["ops decomposed"] += 1


def _decomposed(op: ir.Operation) -> ir.Value:
    source, where = op.operands[0], op.location
    type_ = ir.RankedTensorType(source.type)
    axis = ir.IntegerAttr(op.attributes["dimension"]).value
    all_ = ir.AffineMap.get_identity(type_.rank)
    kept = [d for d in range(type_.rank) if d != axis]
    rows = ir.AffineMap.get(type_.rank, 0, [ir.AffineExpr.get_dim(d) for d in kept])
    with where:
        row = ir.RankedTensorType.get([type_.shape[d] for d in kept], type_.element_type)

    def folded(values: ir.Value, combiner: Any) -> ir.Value:
        start = ops.splat(row, identity(combiner.OPERATION_NAME, str(type_.element_type)).item(), where)
        return ops.generic(
            [values], [start], [all_, rows], where, lambda a: [combiner(a[1], a[0], loc=where).result], reduced=[axis]
        ).results[0]

    most = folded(source, arith.MaximumFOp)
    grown = ops.generic(
        [source, most],
        [ops.empty(type_, where)],
        [all_, rows, all_],
        where,
        lambda a: [math.ExpOp(arith.SubFOp(a[0], a[1], loc=where).result, loc=where).result],
    ).results[0]
    total = folded(grown, arith.AddFOp)
    return ops.generic(
        [grown, total],
        [ops.empty(type_, where)],
        [all_, rows, all_],
        where,
        lambda a: [arith.DivFOp(a[0], a[1], loc=where).result],
    ).results[0]
