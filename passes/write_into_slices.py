"""What becomes a piece of a tensor is computed there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from spyrec.mlir import ir
from spyrec.passes.analysis import kernels, ops
from spyrec.passes.analysis.structured import Structured, structured
from spyrec.passkit import Pass, PassContext

_LISTS = ("offsets", "sizes", "strides")


@dataclass
class WriteIntoSlices(Pass):
    """Let an op whose result is only inserted into a larger tensor write to that piece of it.

    The halves of a rotary embedding, the blocks of a result: each would get a buffer of its own, and be copied. When
    the op stands next to its insertion and writes to a fresh tensor, it can write to the piece right away. It moves
    down to its insertion when the larger tensor is known only there.

    IR before::

        %f = bufferization.alloc_tensor() {memory_space = "lx"} : tensor<4x32xf16>
        %s = linalg.generic {...} ins(%a : ...) outs(%f : tensor<4x32xf16>) {...}
        %r = tensor.insert_slice %s into %w[0, 32] [4, 32] [1, 1] : tensor<4x32xf16> into tensor<4x64xf16>

    IR after::

        %p = tensor.extract_slice %w[0, 32] [4, 32] [1, 1] : tensor<4x64xf16> to tensor<4x32xf16>
        %s = linalg.generic {...} ins(%a : ...) outs(%p : tensor<4x32xf16>) {...}
        %r = tensor.insert_slice %s into %w[0, 32] [4, 32] [1, 1] : tensor<4x32xf16> into tensor<4x64xf16>

    Leaves alone results that have other uses, or are inserted in another block, and what accumulates. Refuses nothing.
    """

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        for inner in kernels.steps(op):
            seen = structured(inner)
            insert = _insertion(seen) if seen is not None else None
            if seen is not None and insert is not None:
                _write_there(seen, insert)
                ctx.statistics["ops that write into a larger tensor"] += 1


def _insertion(op: Structured) -> ir.Operation | None:
    """The ``tensor.insert_slice`` in the op's block that alone uses its only result, made in a fresh tensor."""
    if len(op.op.results) != 1 or op.reads_output(0) or not ops.is_fresh(op.outputs[0]):
        return None
    uses = list(op.op.results[0].uses)
    user = uses[0].owner.operation if len(uses) == 1 else None
    if user is None or user.name != "tensor.insert_slice" or user.block != op.op.block or uses[0].operand_number:
        return None
    return user


def _write_there(op: Structured, insert: ir.Operation) -> None:
    whole = ir.Value(insert.operands[1])
    maker = kernels.defining(whole)
    if maker is not None and ops.is_fresh(whole) and maker.block == op.op.block:
        maker.move_before(op.op)
    makers = [kernels.defining(value) for value in list(insert.operands)[1:]]
    here = [maker for maker in makers if maker is not None and maker.block == op.op.block]
    if not all(maker.is_before_in_block(op.op) for maker in here):
        op.op.move_before(insert)
    fresh = kernels.defining(op.outputs[0])
    segments = list(ir.DenseI32ArrayAttr(insert.attributes["operandSegmentSizes"]))[1:]
    with ir.InsertionPoint(op.op):
        piece = ir.Operation.create(
            "tensor.extract_slice",
            results=[op.outputs[0].type],
            operands=list(insert.operands)[1:],
            attributes={
                **{f"static_{name}": insert.attributes[f"static_{name}"] for name in _LISTS},
                "operandSegmentSizes": ir.DenseI32ArrayAttr.get(segments),
            },
            loc=insert.location,
        )
    op.op.operands[len(op.inputs)] = piece.results[0]
    assert fresh is not None
    fresh.erase()
