"""Constants that are overwritten are made where that happens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from spyrec.mlir import ir
from spyrec.passes.analysis import kernels
from spyrec.passes.analysis.structured import structured
from spyrec.passkit import Pass, PassContext


@dataclass
class CloneConstants(Pass):
    """Make the constant that an op accumulates into, or that a loop starts from, right before it and for it alone.

    Kernels fill one tensor with zeros and start many sums from it, in loops too. Bufferization would keep that tensor
    and copy it each time. A copy takes as long as a fill, and the original takes room in LX.

    IR before::

        %z = linalg.generic {...} outs(%e : tensor<4xf32>) { ... linalg.yield %c0 : f32 }
        scf.for ... {
          %s = linalg.generic {...} ins(%a : ...) outs(%z : tensor<4xf32>) {... arith.addf ...}

    IR after::

        scf.for ... {
          %z = linalg.generic {...} outs(%e : tensor<4xf32>) { ... linalg.yield %c0 : f32 }
          %s = linalg.generic {...} ins(%a : ...) outs(%z : tensor<4xf32>) {... arith.addf ...}

    Leaves alone constants that are only read, and what is made from tensors. Refuses nothing.
    """

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        for inner in list(kernels.walk(op)):
            for position in _taken_over(inner):
                ctx.statistics["constants cloned"] += _own(inner, position)


def _taken_over(op: ir.Operation) -> Sequence[int]:
    """The operands whose bytes become those of results."""
    seen = structured(op)
    if seen is not None:
        return [len(seen.inputs) + k for k in range(len(op.results)) if seen.reads_output(k)]
    if op.name == "tensor.insert_slice":
        return [1]
    first = {"scf.for": 3, "scf.yield": 0}.get(op.name)
    return [] if first is None else range(first, len(op.operands))


def _own(op: ir.Operation, position: int) -> int:
    maker = kernels.defining(op.operands[position])
    seen = structured(maker) if maker is not None else None
    if seen is None or seen.inputs or len(seen.op.results) != 1 or seen.reads_output(0):
        return 0
    if seen.op.block == op.block and sum(1 for _ in seen.op.results[0].uses) == 1:
        return 0
    op.operands[position] = seen.op.clone(ip=ir.InsertionPoint(op)).results[0]
    if not kernels.is_used(seen.op):
        seen.op.erase()
    return 1
