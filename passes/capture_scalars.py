"""Scalar inputs of compute ops are used from inside the body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from spyrec.mlir import ir
from spyrec.passes.analysis import generics, kernels
from spyrec.passkit import Pass, PassContext


@dataclass
class CaptureScalars(Pass):
    """Leave tensors as the only inputs of ``linalg.generic``.

    Generalising ``linalg.fill`` and its like leaves scalars among the inputs, which walk through no memory. One form is
    enough: what is the same in every lane is a value from outside, used in the body.

    IR before::

        %r = linalg.generic {indexing_maps = [#same, #none, #same], ...}
            ins(%a, %s : tensor<4x64xf16>, f16) outs(%e : tensor<4x64xf16>) {
        ^bb0(%x: f16, %y: f16, %o: f16):
          %z = arith.mulf %x, %y : f16

    IR after::

        %r = linalg.generic {indexing_maps = [#same, #same], ...}
            ins(%a : tensor<4x64xf16>) outs(%e : tensor<4x64xf16>) {
        ^bb0(%x: f16, %o: f16):
          %z = arith.mulf %x, %s : f16

    Leaves alone tensors of rank 0, which are memory. Refuses nothing.
    """

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        for inner in [inner for inner in kernels.steps(op) if inner.name == "linalg.generic"]:
            if not all(map(_is_shaped, inner.operands)):
                _capture(inner)
                ctx.statistics["ops rewritten"] += 1


def _is_shaped(value: ir.Value) -> bool:
    return isinstance(value.type, ir.RankedTensorType | ir.MemRefType)


def _capture(op: ir.Operation) -> None:
    block = op.regions[0].blocks[0]
    operands = list(op.operands)
    inputs = ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])[0]
    kept = [position for position, value in enumerate(operands) if _is_shaped(value) or position >= inputs]
    maps = list(ir.ArrayAttr(op.attributes["indexing_maps"]))
    new = generics.rebuilt(
        op,
        [operands[position] for position in kept if position < inputs],
        operands[inputs:],
        [maps[position] for position in kept],
    )
    for position in reversed([p for p in range(len(operands)) if p not in kept]):
        block.arguments[position].replace_all_uses_with(operands[position])
        block.erase_argument(position)
    block.append_to(new.regions[0])
    generics.replace(op, new)
