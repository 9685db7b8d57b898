"""Meaning of the ``linalg`` dialect, on tensors and on buffers: every op that has indexing maps and a body."""

from __future__ import annotations

from typing import Any

from spyrec.interp.lanes import Body
from spyrec.interp.machine import Frame, Run, Scope, meaning
from spyrec.interp.structured import Structured
from spyrec.interp.values import Buffer
from spyrec.mlir import ir, linalg

#: Ops of linalg that are loop nests over their operands: named element-wise ones, contractions, data movement, generic.
NAMES = tuple(
    f"linalg.{name}"
    for name in [
        "generic",
        "map",
        "reduce",
        "broadcast",
        "transpose",
        "fill",
        "copy",
        "elementwise",
        "add",
        "sub",
        "mul",
        "div",
        "div_unsigned",
        "max",
        "min",
        "negf",
        "abs",
        "ceil",
        "floor",
        "exp",
        "log",
        "sqrt",
        "rsqrt",
        "square",
        "reciprocal",
        "round",
        "tanh",
        "erf",
        "powf",
        "select",
        "matmul",
        "batch_matmul",
        "batch_reduce_matmul",
        "matvec",
        "vecmat",
        "batch_matvec",
        "batch_vecmat",
        "dot",
        "mmt4d",
        "contract",
        "quantized_matmul",
        "conv_1d",
        "conv_2d",
        "pooling_nhwc_sum",
        "pooling_nhwc_max",
    ]
)


@meaning(*NAMES)
def structured(op: ir.Operation, scope: Scope) -> Run:
    maps = [ir.AffineMapAttr(m).value if isinstance(m, ir.Attribute) else m for m in linalg.get_indexing_maps(op)]
    inputs = input_count(op)
    prepared = Structured(op, scope, maps, inputs, Body(op.regions[0].blocks[0], scope))

    def run(frame: Frame, *operands: Any) -> Any:
        results = prepared.run(frame, operands[: len(maps)])
        for target, result in zip(operands[inputs:], results, strict=False):
            if isinstance(target, Buffer):
                target.data[...] = result.data
                target.holes[...] = False if result.holes is None else result.holes
        if not op.results:
            return None
        return results[0] if len(op.results) == 1 else tuple(results)

    return run


def input_count(op: ir.Operation) -> int:
    """How many operands come before the outputs."""
    if "operandSegmentSizes" in op.attributes:
        return int(ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])[0])
    return len(op.operands) // 2 if op.name == "linalg.reduce" else len(op.operands) - 1
