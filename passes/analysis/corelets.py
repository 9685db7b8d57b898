"""Where work can be shared among the corelets of a core, and what it saves to cut a compute op."""

from __future__ import annotations

from collections.abc import Sequence

from spyrec import numerics
from spyrec.device.model import Device
from spyrec.dialects import dataflow
from spyrec.mlir import ir
from spyrec.passes.analysis import ops
from spyrec.passes.analysis.compute_costs import Cycles
from spyrec.passes.analysis.layouts import linear
from spyrec.passes.analysis.slices import CORELET, UNIT
from spyrec.passes.analysis.structured import Structured, picked

Cut = tuple[int, list[tuple[int, int]]]
"""A loop, and the first iteration and the number of iterations of each piece."""


class Cuts:
    """The loops of ``op`` that can be cut, whatever their extents."""

    def __init__(self, op: Structured, device: Device) -> None:
        self._device = device
        kept = op.reduced | op.indexed
        self._loops = [
            (loop, _grain(op, loop, device))
            for loop in range(op.loops)
            if loop not in kept
            and all(loop in picked(map_) for map_ in op.output_maps)
            and all(_plain(map_, loop) for map_ in op.maps)
        ]
        """Each with how many of its iterations stay together."""

    def outermost(self, counts: Sequence[int]) -> Cut | None:
        """The outermost one that gives more than one piece when the loops have the extents ``counts``."""
        for loop, grain in self._loops:
            count = counts[loop]
            step = -(-max(grain, -(-count // self._device.corelets)) // grain) * grain
            if step < count:
                return loop, [(first, min(step, count - first)) for first in range(0, count, step)]
        return None


def _plain(map_: ir.AffineMap, loop: int) -> bool:
    """Whether the loop appears alone wherever it appears."""
    for expression in map_.results:
        if isinstance(expression, ir.AffineDimExpr):
            continue
        found = linear(expression, map_.n_dims)
        if found is None or found[0][loop]:
            return False
    return True


def _grain(op: Structured, loop: int, device: Device) -> int:
    """Iterations that stay together: a whole stick where the loop walks along the innermost dimension of an operand. A
    number per row is no such walk, as long as rows are what the stream walks along.
    """
    stick = device.memory("lx").alignment
    grain = 1
    for value, map_ in zip(op.operands, op.maps, strict=True):
        results = list(map_.results)
        if not results or not isinstance(results[-1], ir.AffineDimExpr) or results[-1].position != loop:
            continue
        if len(results) == 1 and loop != op.loops - 1:
            continue
        element = numerics.sizeof(str(ops.element(value)))
        grain = max(grain, -(-stick // element))
    return grain


def saved(cycles: Cycles, counts: Sequence[int], cut: Cut, device: Device) -> int:
    """Cycles from the start of an op to its end that the cut saves, less what the second unit costs."""
    return cycles(counts) - cycles(first_piece(counts, cut)) - meeting(device)


def first_piece(counts: Sequence[int], cut: Cut) -> list[int]:
    """The extents of an op's loops in the first piece, which is the largest."""
    loop, pieces = cut
    return [pieces[0][1] if k == loop else n for k, n in enumerate(counts)]


def meeting(device: Device) -> int:
    """Cycles until one corelet knows that another is done."""
    return device.timing.post_latency + 2 * device.timing.scalar_cycles


def are_free(block: ir.Block, device: Device) -> bool:
    """Whether each compute op right inside of ``block`` can be given to any corelet: it names none, all have a unit of
    its kind, and nothing in between is exchanged with another core.
    """
    for view in block.operations:
        attributes = view.operation.attributes
        if UNIT in attributes:
            unit = device.units.get(ir.FlatSymbolRefAttr(attributes[UNIT]).value)
            if CORELET in attributes or unit is None or unit.level != "corelet":
                return False
        elif isinstance(view, dataflow.DataTransferOp) and not (view.get_from is None and view.put_to is None):
            return False
    return True
