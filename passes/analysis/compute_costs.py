"""How long a compute op takes on a unit, by the device's closed forms (:mod:`spyrec.device.cost`)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from spyrec import numerics
from spyrec.device import cost
from spyrec.device.model import Device, Unit
from spyrec.mlir import ir
from spyrec.passes.analysis import ops
from spyrec.passes.analysis.structured import Structured


def cycles(op: Structured, counts: Sequence[int], unit: Unit, device: Device) -> int:
    """Cycles of the op with these extents of its loops, alone on ``unit``."""
    if unit.role == "matrix":
        batch, rows, columns, depth = (math.prod(counts[k] for k in part) for part in parts(op))
        element = str(ops.element(op.inputs[0]))
        return cost.contract_cycles(device, unit, (batch, rows, columns, depth), element)
    return cost.stream_cycles(device, unit, math.prod(counts), operations(op.body, unit))


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
    left, right, out = ({e.position for e in map_.results if isinstance(e, ir.AffineDimExpr)} for map_ in op.maps)
    loops = range(op.loops)
    return (
        tuple(k for k in loops if k in left & right & out),
        tuple(k for k in loops if k in left - right and k in out),
        tuple(k for k in loops if k in right - left and k in out),
        tuple(k for k in loops if k not in out),
    )
