"""Meaning of the ``linalg`` dialect, on tensors and on buffers: every op that has indexing maps and a body."""

from __future__ import annotations

from typing import Any

import numpy as np

from spyrec import numerics
from spyrec.interp.lanes import Body
from spyrec.interp.machine import Frame, Run, Scope, meaning
from spyrec.interp.structured import Structured
from spyrec.interp.values import Buffer, Tensor, defined, element_of
from spyrec.mlir import ir, linalg
from spyrec.numerics import Array, reductions

#: Ops of linalg that are no loop nests over their operands. `softmax` has a meaning below, the others have none.
OTHERS = frozenset(
    f"linalg.{name}"
    for name in (
        "index",
        "yield",
        "softmax",
        "pack",
        "unpack",
        "winograd_filter_transform",
        "winograd_input_transform",
        "winograd_output_transform",
    )
)

#: Every op of upstream's dialect that has indexing maps and a body: generic, and the named ones that generalise to it.
NAMES = tuple(sorted({str(c.OPERATION_NAME) for c in vars(linalg).values() if hasattr(c, "OPERATION_NAME")} - OTHERS))


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


@meaning("linalg.softmax")
def softmax(op: ir.Operation, scope: Scope) -> Run:
    """Along one dimension: the greatest element is subtracted, then exp, sum and quotient, each rounded."""
    axis, element = ir.IntegerAttr(op.attributes["dimension"]).value, element_of(op.operands[0].type)

    def run(frame: Frame, source: Tensor, output: Tensor) -> Tensor:
        def apply(name: str, *operands: Array) -> Array:
            return numerics.apply(name, *operands, result_type=element)

        def fold(name: str, values: Array) -> Array:
            return np.expand_dims(reductions.reduce(name, values, (axis,), None, element), axis)

        values = defined(source)
        if not values.size:
            return source
        grown = apply("math.exp", apply("arith.subf", values, fold("arith.maximumf", values)))
        return Tensor(apply("arith.divf", grown, fold("arith.addf", grown)))

    return run
