"""What an op accumulates into, or a loop begins or goes on with, is filled for it alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar

from spyrec.mlir import ir
from spyrec.passes.analysis import kernels, ops
from spyrec.passes.analysis.structured import structured
from spyrec.passkit import Pass, PassContext


@dataclass
class UnshareInits(Pass):
    """Give every accumulator a fill of its own, and every op an empty tensor of its own.

    Kernels use one constant as the first value of a loop and as the init of a contraction in each of its iterations,
    and CSE merges equal fills. What accumulates in place would then have to copy first, out of a buffer that lives for
    the whole loop. A fill is cheaper than the copy. The same goes for a constant that slices are inserted into, and for
    one that a loop or a branch yields. A tensor of which slices alone are written is made anew in the same way: a copy
    would read what nobody has written. An empty tensor that several ops name would tie together what has nothing to do
    with each other: groups that are cut into tiles, and buffers.

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

    Leaves alone inits that are computed, and fills and empty tensors with one use. Refuses nothing.
    """

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        todo = kernels.steps(op)
        for inner in todo:
            for number in _inits(inner):
                init = _shared_init(inner.operands[number], inner)
                if init is not None:
                    with ir.InsertionPoint(inner):
                        copy = init.clone().operation
                    inner.operands[number] = copy.results[0]
                    ctx.statistics["fills copied"] += 1
                    if copy.name == "tensor.insert_slice":
                        todo.append(copy)
                    if not kernels.is_used(init):
                        init.erase()
        # Fills that have been copied share their empty tensors.
        for inner in kernels.steps(op):
            for number, value in enumerate(inner.operands):
                if _is_shared_empty(value, inner):
                    with ir.InsertionPoint(inner):
                        inner.operands[number] = ops.empty(ir.RankedTensorType(value.type), value.location)
                    ctx.statistics["empty tensors copied"] += 1


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


def _shared_init(value: ir.Value, user: ir.Operation) -> ir.Operation | None:
    """The op that fills ``value`` with one number, or writes a slice of what is not written otherwise, if others use
    it, too, or ``user`` does so several times.
    """
    maker = kernels.defining(value)
    if maker is not None and maker.name == "tensor.insert_slice":
        return maker if _is_partial(maker) and _is_shared(maker, user) else None
    if maker is None or maker.name != "linalg.generic" or len(maker.operands) != 1:
        return None
    empty = kernels.defining(maker.operands[0])
    seen = structured(maker)
    if empty is None or empty.name != "tensor.empty" or seen is None or seen.reads_output(0):
        return None
    return maker if _is_shared(maker, user) else None


def _is_partial(op: ir.Operation | None) -> bool:
    """Whether slices are all that is written of what ``op`` makes."""
    while op is not None and op.name == "tensor.insert_slice":
        op = kernels.defining(op.operands[1])
    return op is not None and op.name == "tensor.empty"


def _is_shared_empty(value: ir.Value, user: ir.Operation) -> bool:
    """Whether ``value`` is an empty tensor that others use, too, or ``user`` does so several times."""
    maker = kernels.defining(value)
    return maker is not None and maker.name == "tensor.empty" and _is_shared(maker, user)


def _is_shared(maker: ir.Operation, user: ir.Operation) -> bool:
    return maker.block != user.block or len(list(islice(maker.results[0].uses, 2))) > 1
