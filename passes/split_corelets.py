"""Large compute ops become two halves, one for each corelet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from spyrec.mlir import ir
from spyrec.passes.analysis import corelets, kernels, ops
from spyrec.passes.analysis.compute_costs import Cycles
from spyrec.passes.analysis.slices import CORELET, UNIT
from spyrec.passes.analysis.structured import Structured, picked, structured
from spyrec.passkit import Pass, PassContext, option


@dataclass
class SplitCorelets(Pass):
    """Share the work of a compute op among the corelets of a core, which have a unit of its kind each.

    The outermost loop that folds nothing is cut in pieces, and each operand that it walks with it. An op is cut where
    the cycles that this saves are more than another start-up and another pair of posts cost.

    IR before::

        linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
          ins(%x : memref<64x512xf16, "lx">) outs(%y : memref<64x512xf16, "lx">) attrs = {dataflow.unit = @sfu} {...}

    IR after::

        %x0 = memref.subview %x[0, 0] [32, 512] [1, 1] : ...
        %y0 = memref.subview %y[0, 0] [32, 512] [1, 1] : ...
        linalg.generic {...} ins(%x0 : ...) outs(%y0 : ...) attrs = {dataflow.corelet = 0 : i64, ...} {...}
        %x1 = memref.subview %x[32, 0] [32, 512] [1, 1] : ...
        %y1 = memref.subview %y[32, 0] [32, 512] [1, 1] : ...
        linalg.generic {...} ins(%x1 : ...) outs(%y1 : ...) attrs = {dataflow.corelet = 1 : i64, ...} {...}

    The innermost dimension of an operand is cut between sticks, but for one number per row. Leaves alone ops that name
    a corelet, and all of them where the device has one. Refuses nothing."""

    anchor: ClassVar[str] = "func.func"
    optional: ClassVar[bool] = True

    gain: int = option(0, "cycles that a cut has to save beyond what it costs")

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        device = ctx.device
        if device.corelets < 2:
            return
        for inner in kernels.steps(op):
            seen = structured(inner)
            if seen is None or inner.results or UNIT not in inner.attributes or CORELET in inner.attributes:
                continue
            unit = device.units[ir.FlatSymbolRefAttr(inner.attributes[UNIT]).value]
            if unit.level != "corelet":
                continue
            counts = seen.extents
            found = None if counts is None else corelets.Cuts(seen, device).outermost(counts)
            if counts is None or found is None:
                continue
            if corelets.saved(Cycles(seen, unit, device), counts, found, device) <= self.gain:
                continue
            _cut(seen, *found)
            ctx.statistics["ops cut"] += 1


def _cut(op: Structured, loop: int, pieces: list[tuple[int, int]]) -> None:
    location = op.op.location
    for corelet, (first, count) in enumerate(pieces):
        with ir.InsertionPoint(op.op):
            operands = [
                _part(value, map_, loop, first, count, location)
                for value, map_ in zip(op.operands, op.maps, strict=True)
            ]
        clone = op.op.clone(ip=ir.InsertionPoint(op.op))
        for number, operand in enumerate(operands):
            clone.operands[number] = operand
        clone.attributes[CORELET] = ops.i64(corelet)
    op.op.erase()


def _part(value: ir.Value, map_: ir.AffineMap, loop: int, first: int, count: int, location: ir.Location) -> ir.Value:
    """The part of an operand that iterations ``first`` to ``first + count`` of the loop walk over."""
    if not isinstance(value.type, ir.MemRefType) or loop not in picked(map_):
        return value
    shape = list(ir.MemRefType(value.type).shape)
    offsets = [0] * len(shape)
    for k, expression in enumerate(map_.results):
        if isinstance(expression, ir.AffineDimExpr) and expression.position == loop:
            offsets[k], shape[k] = first, count
    return ops.subview(value, offsets, shape, location)
