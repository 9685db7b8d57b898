"""How long a compute op takes on a unit, by the device's closed forms (:mod:`spyrec.device.cost`)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from spyrec import numerics
from spyrec.device import cost
from spyrec.device.model import Device, Unit
from spyrec.mlir import ir
from spyrec.passes.analysis import ops
from spyrec.passes.analysis.structured import Structured, picked


class Cycles:
    """Cycles of an op alone on ``unit``, as a function of the extents of its loops."""

    def __init__(self, op: Structured, unit: Unit, device: Device) -> None:
        self._unit, self._device = unit, device
        self._element = str(ops.element(op.inputs[0])) if op.inputs else ""
        self._parts = parts(op) if unit.role == "matrix" else ()
        self._operations = operations(op.body, unit)

    def __call__(self, counts: Sequence[int]) -> int:
        if self._parts:
            batch, rows, columns, depth = (math.prod(counts[k] for k in part) for part in self._parts)
            return cost.contract_cycles(self._device, self._unit, (batch, rows, columns, depth), self._element)
        return cost.stream_cycles(self._device, self._unit, math.prod(counts), self._operations)


def operations(body: ir.Block, unit: Unit) -> list[tuple[bool, str]]:
    """Of each op of a body that takes lanes: whether it is slow, and the type whose lanes it takes."""
    found = []
    for view in body.operations:
        op = view.operation
        scalar = numerics.SCALAR_OPS.get(op.name)
        if scalar is None or not op.operands:
            continue
        names = [str(value.type) for value in [*op.operands, *op.results]]
        widest = min((name for name in names if name in unit.lanes), key=lambda name: unit.lanes[name], default=None)
        if widest is not None:
            found.append((scalar.slow, widest))
    return found


def parts(op: Structured) -> tuple[tuple[int, ...], ...]:
    """The loops of a sum of products of two operands, as batch, rows, columns and depth."""
    left, right, out = map(picked, op.maps)
    loops = range(op.loops)
    return (
        tuple(k for k in loops if k in left & right & out),
        tuple(k for k in loops if k in left - right and k in out),
        tuple(k for k in loops if k in right - left and k in out),
        tuple(k for k in loops if k not in out),
    )
