"""Sums of products: what a matrix unit does."""

from __future__ import annotations

from spyrec.device.model import Unit
from spyrec.mlir import ir
from spyrec.passes.analysis import ops
from spyrec.passes.analysis.structured import Structured

_WIDER = ("arith.extf", "arith.extsi")


def factors(op: ir.Operation) -> tuple[int, int] | None:
    """The numbers of the operands whose product an op adds to its output, wider numbers allowed in between."""
    block = op.regions[0].blocks[0]
    *inner, terminator = [view.operation for view in block.operations]
    makers: dict[ir.Value, ir.Operation] = {result: made for made in inner for result in made.results}
    total = makers.get(terminator.operands[0]) if len(terminator.operands) == 1 else None
    if total is None or total.name not in ("arith.addf", "arith.addi"):
        return None
    terms = [v for v in total.operands if v != block.arguments[len(block.arguments) - 1]]
    product = makers.get(terms[0]) if len(terms) == 1 else None
    if product is None or product.name not in ("arith.mulf", "arith.muli"):
        return None
    found: list[int] = []
    for value in product.operands:
        source = makers.get(value)
        origin = source.operands[0] if source is not None and source.name in _WIDER else value
        if not isinstance(origin.owner, ir.Block):
            return None
        found.append(ir.BlockArgument(origin).arg_number)
    return (found[0], found[1]) if sorted(found) == [0, 1] else None


def suits(op: Structured, unit: Unit) -> bool:
    """Whether a matrix unit can run the op: it sums up products of two operands whose types the unit takes.

    The unit rounds once, to the type of the output, whatever that is: wider accumulators need no buffer."""
    if op.op.name != "linalg.generic" or len(op.inputs) != 2 or len(op.outputs) != 1 or op.is_parallel:
        return False
    if not all(map_.is_projected_permutation for map_ in op.maps) or factors(op.op) is None:
        return False
    return all(str(ops.element(value)) in unit.lanes for value in op.inputs)
