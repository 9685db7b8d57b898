"""What an op accumulates into, or a loop begins or goes on with, is filled for it alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from spyrec.mlir import ir
from spyrec.passes.analysis import kernels, ops
from spyrec.passes.analysis.structured import structured
from spyrec.passkit import Pass, PassContext


@dataclass
class UnshareInits(Pass):
    """Fill a tensor of its own for every accumulator.

    Kernels use one constant as the first value of a loop and as the init of a contraction in each of its iterations,
    and CSE merges equal fills. What accumulates in place would then have to copy first, out of a buffer that lives for
    the whole loop. A fill is cheaper than the copy. The same goes for a constant that slices are inserted into, and for
    one that a loop or a branch yields.

    IR before::

        %z = linalg.generic {...} outs(%e : tensor<4x4xf32>) {... linalg.yield %zero : f32}
        scf.for ... iter_args(%sum = %z) -> (tensor<4x4xf32>) {
          %p = linalg.generic {... "reduction"} ins(%a, %b : ...) outs(%z : tensor<4x4xf32>) {...}

    IR after::

        %z = linalg.generic {...} outs(%e : tensor<4x4xf32>) {... linalg.yield %zero : f32}
        scf.for ... iter_args(%sum = %z) -> (tensor<4x4xf32>) {
          %f = tensor.empty() : tensor<4x4xf32>
          %y = linalg.generic {...} outs(%f : tensor<4x4xf32>) {... linalg.yield %zero : f32}
          %p = linalg.generic {... "reduction"} ins(%a, %b : ...) outs(%y : tensor<4x4xf32>) {...}

    Leaves alone inits that are computed, and fills with one use. Refuses nothing.
    """

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        for inner in list(kernels.walk(op)):
            for number in _inits(inner):
                fill = _shared_fill(inner.operands[number], inner)
                if fill is not None:
                    with ir.InsertionPoint(inner):
                        made = ops.empty(ir.RankedTensorType(fill.results[0].type), fill.location)
                        copy = fill.clone()
                    copy.operands[0] = made
                    inner.operands[number] = copy.results[0]
                    ctx.statistics["fills copied"] += 1
                    if not kernels.is_used(fill):
                        fill.erase()


def _inits(op: ir.Operation) -> Iterator[int]:
    """Operands of ``op`` whose bytes something else will be put into."""
    first = {"scf.for": 3, "scf.yield": 0}.get(op.name)
    if first is not None:
        yield from range(first, len(op.operands))
        return
    if op.name == "tensor.insert_slice":
        yield 1
        return
    seen = structured(op)
    if seen is not None and op.results:
        yield from (len(seen.inputs) + k for k in range(len(seen.outputs)) if seen.reads_output(k))


def _shared_fill(value: ir.Value, user: ir.Operation) -> ir.Operation | None:
    """The op that fills ``value`` with one number, if others use it, too, or ``user`` does so several times."""
    maker = kernels.defining(value)
    if maker is None or maker.name != "linalg.generic" or len(maker.operands) != 1:
        return None
    empty = kernels.defining(maker.operands[0])
    seen = structured(maker)
    if empty is None or empty.name != "tensor.empty" or seen is None or seen.reads_output(0):
        return None
    return maker if maker.block != user.block or sum(1 for _ in value.uses) > 1 else None
