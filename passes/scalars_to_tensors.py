"""Scalars that fill a tensor become element-wise operations that yield them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from spyrec.mlir import ir
from spyrec.passes.analysis import kernels, ops
from spyrec.passkit import Pass, PassContext

_FILLERS = ("arith.constant", "linalg.fill", "tensor.splat")


@dataclass
class ScalarsToTensors(Pass):
    """Make ``tensor.splat``, ``linalg.fill`` and tensors of one constant fusible.

    A tensor that holds one number needs no memory when whoever reads it can take the number itself. As a
    ``linalg.generic`` without inputs, one for each use, it is fused into its consumers by
    ``linalg-fuse-elementwise-ops``; what is not fused (a store of it) has become a compute op like any other.

    IR before::

        %c = arith.constant dense<2.0> : tensor<4x64xf16>
        %s = tensor.splat %x : tensor<4x64xf16>

    IR after::

        %k = arith.constant 2.0 : f16
        %d = tensor.empty() : tensor<4x64xf16>
        %c = linalg.generic {...} outs(%d : tensor<4x64xf16>) { ^bb0(%o: f16): linalg.yield %k : f16 }
        %e = tensor.empty() : tensor<4x64xf16>
        %s = linalg.generic {...} outs(%e : tensor<4x64xf16>) { ^bb0(%o: f16): linalg.yield %x : f16 }

    Leaves alone constants of several values, which ``legality`` refuses. Refuses nothing.
    """

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        for inner in [inner for inner in kernels.walk(op) if inner.name in _FILLERS]:
            scalar = _scalar(inner)
            if scalar is None:
                continue
            result = inner.results[0]
            for use in list(result.uses):
                user = use.owner.operation
                # MLIR says of a constant that it has folded that it is nowhere.
                where = user.location if isinstance(inner.location, ir.UnknownLoc) else inner.location
                with ir.InsertionPoint(user):
                    user.operands[use.operand_number] = ops.fill(scalar, ir.RankedTensorType(result.type), where)
                ctx.statistics["tensors filled"] += 1
            inner.erase()


def _scalar(op: ir.Operation) -> ir.Value | None:
    """The scalar that fills the result of ``op``, if it is such an op."""
    if op.name == "tensor.splat":
        return op.operands[0]
    if op.name == "linalg.fill" and len(op.results) == 1 and op.operands[0].type == ops.element(op.results[0]):
        return op.operands[0]
    if op.name == "arith.constant":
        value = op.attributes["value"]
        if isinstance(value, ir.DenseElementsAttr) and value.is_splat:
            with ir.InsertionPoint(op):
                return ops.constant(ops.element(op.results[0]), value.get_splat_value(), op.location)
    return None
