"""Each compute op writes a tensor of its own, in LX."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from spyrec.dialects import dataflow
from spyrec.mlir import ir
from spyrec.passes.analysis import kernels, ops
from spyrec.passes.analysis.structured import structured
from spyrec.passkit import Pass, PassContext

_ALLOC = "bufferization.alloc_tensor"


@dataclass
class PlaceOutputs(Pass):
    """Give every output whose old value is not read a fresh tensor, right before its op.

    The ``outs`` operand of such an op is only a shape: kernels use one ``tensor.empty`` for many ops, CSE merges equal
    ones, and upstream lowerings name an input there. Bufferized as it stands it would tie together buffers that have
    nothing to do with each other, or keep one buffer outside of its loop, where no two iterations can overlap. The
    fresh tensor says where it will live.

    IR before::

        %e = tensor.empty() : tensor<4x64xf16>
        scf.for ... {
          %s = linalg.generic {...} ins(%a : ...) outs(%e : tensor<4x64xf16>) {...}

    IR after::

        scf.for ... {
          %f = bufferization.alloc_tensor() {memory_space = "lx"} : tensor<4x64xf16>
          %s = linalg.generic {...} ins(%a : ...) outs(%f : tensor<4x64xf16>) {...}

    Leaves alone outputs that the body reads, and ops on memrefs. Refuses nothing.
    """

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        for inner in kernels.walk(op):
            seen = structured(inner)
            if seen is None or not inner.results:
                continue
            for position, output in enumerate(seen.outputs):
                if seen.reads_output(position) or _is_fresh(output):
                    continue
                with ir.InsertionPoint(inner):
                    fresh = ops.alloc_tensor(output.type, dataflow.LX, inner.location)
                inner.operands[len(seen.inputs) + position] = fresh
                ctx.statistics["tensors made"] += 1
        for inner in reversed(list(kernels.walk(op))):
            if inner.name in ("tensor.empty", _ALLOC) and not kernels.is_used(inner):
                inner.erase()


def _is_fresh(value: ir.Value) -> bool:
    maker = kernels.defining(value)
    if maker is None or maker.name != _ALLOC:
        return False
    return sum(1 for _ in value.uses) == 1 and "memory_space" in maker.attributes
