"""The scalar ops of a function: those outside of the bodies of linalg ops, whose values are lanes."""

from __future__ import annotations

from collections.abc import Iterator

from spyrec.mlir import ir
from spyrec.passes.analysis import kernels, support


def outside_bodies(function: ir.Operation) -> Iterator[ir.Operation]:
    """All ops of the function that are not in the body of a linalg op, in the order of the text."""
    for region in function.regions:
        for block in region.blocks:
            for view in list(block.operations):
                op = view.operation
                control = op.name in support.CONTROL_OPS
                yield op
                if control:
                    yield from outside_bodies(op)


def erase_dead(function: ir.Operation) -> int:
    """Erase scalar ops whose results nobody uses; returns how many there were."""
    erased = 0
    for op in reversed(list(outside_bodies(function))):
        if op.name in support.SCALAR_OPS and not kernels.is_used(op):
            op.erase()
            erased += 1
    return erased
