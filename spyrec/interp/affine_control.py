"""Meaning of the structured ops of the ``affine`` dialect, and of its changes between one index and several."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from spyrec.interp.affine import map_function
from spyrec.interp.faults import Fault
from spyrec.interp.machine import Frame, Run, Scope, meaning
from spyrec.interp.points import SetFunction
from spyrec.interp.requests import Flow
from spyrec.interp.scf import results_of
from spyrec.mlir import ir
from spyrec.ods.checks import DYNAMIC


@meaning("affine.for", flow=True)
def for_(op: ir.Operation, scope: Scope) -> Run:
    """From the greatest of the lower bounds to the least of the upper ones."""
    body = scope.region(op, 0)
    assert body is not None
    lower, upper = (ir.AffineMapAttr(op.attributes[f"{side}BoundMap"]).value for side in ("lower", "upper"))
    first, last = map_function(lower), map_function(upper)
    step = ir.IntegerAttr(op.attributes["step"]).value
    counts = list(ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"]))

    def run(frame: Frame, *operands: Any) -> Flow:
        low, high = operands[: counts[0]], operands[counts[0] : counts[0] + counts[1]]
        start = max(first(low[: lower.n_dims], low[lower.n_dims :]))
        counter = range(int(start), int(min(last(high[: upper.n_dims], high[upper.n_dims :]))), step)
        frame.tile.iterate(len(counter))
        values = operands[counts[0] + counts[1] :]
        for i in counter:
            values = yield from body.run(frame, (i, *values))
        return results_of(op, tuple(values))

    return run


@meaning("affine.if", flow=True)
def if_(op: ir.Operation, scope: Scope) -> Run:
    arms = scope.region(op, 0), scope.region(op, 1)
    condition = SetFunction.of(op.attributes["condition"], bounded=False)

    def run(frame: Frame, *operands: int) -> Flow:
        arm = arms[0] if condition.holds(operands[: condition.dims], operands[condition.dims :]) else arms[1]
        if arm is None:
            return ()
        values = yield from arm.run(frame)
        return results_of(op, values)

    return run


def _basis(static: Sequence[int], dynamic: Sequence[int], count: int) -> tuple[int | None, list[int]]:
    """The extent of the outermost index (None: it has none), and those of the others."""
    values = iter(dynamic)
    extents = [int(next(values)) if n == DYNAMIC else n for n in static]
    for k, extent in enumerate(extents):
        if extent < 1:
            raise Fault("wrong-size", f"extent {k} of the basis is {extent}", "static_basis")
    return (extents[0], extents[1:]) if len(extents) == count else (None, extents)


@meaning("affine.delinearize_index")
def delinearize_index(op: ir.Operation, scope: Scope) -> Run:
    static, count = list(ir.DenseI64ArrayAttr(op.attributes["static_basis"])), len(op.results)

    def run(frame: Frame, index: int, *dynamic: int) -> Any:
        outer, inner = _basis(static, dynamic, count)
        if outer is not None and not 0 <= index < outer * math.prod(inner):
            message = f"{int(index)} is no index of a basis of {outer * math.prod(inner)} points"
            raise Fault("index-out-of-range", message, "linear_index")
        rest, found = int(index), []
        for extent in reversed(inner):
            rest, place = divmod(rest, extent)
            found.append(place)
        found.append(rest)
        return found[0] if count == 1 else tuple(reversed(found))

    return run


@meaning("affine.linearize_index")
def linearize_index(op: ir.Operation, scope: Scope) -> Run:
    static = list(ir.DenseI64ArrayAttr(op.attributes["static_basis"]))
    count = ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])[0]

    def run(frame: Frame, *operands: int) -> int:
        _, inner = _basis(static, operands[count:], count)
        total = 0
        for index, extent in zip(operands[:count], [1, *inner], strict=True):
            total = total * extent + int(index)
        return total

    return run
