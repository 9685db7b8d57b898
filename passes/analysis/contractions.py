"""Sums of products: what a matrix unit does."""

from __future__ import annotations

from spyrec.device.model import Device, Unit
from spyrec.mlir import ir
from spyrec.passes.analysis import kernels, ops
from spyrec.passes.analysis.folds import fold
from spyrec.passes.analysis.structured import Structured

WIDER = ("arith.extf", "arith.extsi")
"""What a matrix unit does to its operands on the way."""


def factors(op: Structured) -> tuple[int, int] | None:
    """The numbers of the inputs whose product an op adds to its output, wider numbers allowed in between."""
    total = fold(op, 0) if len(op.outputs) == 1 else None
    if total is None or total.product is None:
        return None
    found: list[int] = []
    for value in total.product.operands:
        maker = kernels.defining(value)
        origin = maker.operands[0] if maker is not None and maker.name in WIDER else value
        if origin.owner != op.body:
            return None
        found.append(ir.BlockArgument(origin).arg_number)
    return (found[0], found[1]) if sorted(found) == [0, 1] else None


def unit_for(op: Structured, device: Device) -> Unit:
    """The unit that runs an op: the matrix unit if it has one that can, else the vector unit."""
    matrix = (unit for unit in device.units.values() if unit.role == "matrix")
    return next((unit for unit in matrix if _suits(op, unit)), device.unit("vector"))


def _suits(op: Structured, unit: Unit) -> bool:
    """Whether a matrix unit can run the op: it sums up products of two operands whose types the unit takes.

    The unit rounds once, to the type of the output, whatever that is: wider accumulators need no buffer.
    """
    if op.op.name != "linalg.generic" or len(op.inputs) != 2 or op.is_parallel:
        return False
    if not all(map_.is_projected_permutation for map_ in op.maps) or factors(op) is None:
        return False
    return all(str(ops.element(value)) in unit.lanes for value in op.inputs)
