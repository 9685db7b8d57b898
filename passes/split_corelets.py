"""Large compute ops become two halves, one for each corelet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from spyrec import numerics
from spyrec.device.model import Device, Unit
from spyrec.mlir import ir
from spyrec.passes.analysis import compute_costs, kernels, ops
from spyrec.passes.analysis.layouts import extents, linear
from spyrec.passes.analysis.slices import CORELET, UNIT
from spyrec.passes.analysis.structured import Structured, structured
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

    The innermost dimension of an operand is cut between sticks. Leaves alone ops that name a corelet, and all of them
    where the device has one. Refuses nothing."""

    anchor: ClassVar[str] = "func.func"
    optional: ClassVar[bool] = True

    gain: int = option(0, "cycles that a cut has to save beyond what it costs")

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        device = ctx.device
        if device.corelets < 2:
            return
        for inner in list(kernels.walk(op)):
            seen = structured(inner)
            if seen is None or inner.results or UNIT not in inner.attributes or CORELET in inner.attributes:
                continue
            unit = device.units[ir.FlatSymbolRefAttr(inner.attributes[UNIT]).value]
            if unit.level != "corelet":
                continue
            found = next(_cuts(seen, device), None)
            if found is None or _saved(seen, unit, device, found) <= self.gain:
                continue
            _cut(seen, *found)
            ctx.statistics["ops cut"] += 1


Cut = tuple[int, list[tuple[int, int]]]
"""A loop, and the first iteration and the number of iterations of each piece."""


def _shapes(op: Structured) -> list[Sequence[int]]:
    return [
        ir.MemRefType(value.type).shape if isinstance(value.type, ir.MemRefType) else ()
        for value in [*op.inputs, *op.outputs]
    ]


def _cuts(op: Structured, device: Device) -> Iterator[Cut]:
    """The loops that can be cut, outermost first."""
    counts = extents(op.maps, _shapes(op))
    if counts is None:
        return
    kinds = [str(kind) for kind in ir.ArrayAttr(op.op.attributes["iterator_types"])]
    indexed = {
        ir.IntegerAttr(view.operation.attributes["dim"]).value
        for view in op.body.operations
        if view.operation.name == "linalg.index"
    }
    for loop, (count, kind) in enumerate(zip(counts, kinds, strict=True)):
        if "parallel" not in kind or loop in indexed or count < 2:
            continue
        if all(_walks(map_, loop) for map_ in op.output_maps) and all(_plain(map_, loop) for map_ in op.maps):
            step = max(_grain(op, loop, device), -(-count // device.corelets))
            step = -(-step // _grain(op, loop, device)) * _grain(op, loop, device)
            pieces = [(first, min(step, count - first)) for first in range(0, count, step)]
            if len(pieces) > 1:
                yield loop, pieces


def _walks(map_: ir.AffineMap, loop: int) -> bool:
    return any(isinstance(e, ir.AffineDimExpr) and e.position == loop for e in map_.results)


def _plain(map_: ir.AffineMap, loop: int) -> bool:
    """Whether the loop appears alone wherever it appears."""
    for expression in map_.results:
        found = linear(expression, map_.n_dims)
        if not isinstance(expression, ir.AffineDimExpr) and (found is None or found[0][loop]):
            return False
    return True


def _grain(op: Structured, loop: int, device: Device) -> int:
    """Iterations that stay together: a whole stick where the loop is the innermost dimension of an operand."""
    stick = device.memory("lx").alignment
    grain = 1
    for value, map_ in zip([*op.inputs, *op.outputs], op.maps, strict=True):
        if map_.results and isinstance(map_.results[-1], ir.AffineDimExpr) and map_.results[-1].position == loop:
            element = numerics.sizeof(str(ops.element(value)))
            grain = max(grain, -(-stick // element))
    return grain


def _saved(op: Structured, unit: Unit, device: Device, cut: Cut) -> int:
    """Cycles from the start of the op to its end that the cut saves, less what the second unit costs."""
    counts = extents(op.maps, _shapes(op))
    assert counts is not None
    loop, pieces = cut
    piece = [pieces[0][1] if k == loop else n for k, n in enumerate(counts)]
    whole, part = (compute_costs.cycles(op, extents_, unit, device) for extents_ in (counts, piece))
    return whole - part - device.timing.post_latency - 2 * device.timing.scalar_cycles


def _cut(op: Structured, loop: int, pieces: list[tuple[int, int]]) -> None:
    location = op.op.location
    for corelet, (first, count) in enumerate(pieces):
        with ir.InsertionPoint(op.op):
            operands = [
                _part(value, map_, loop, first, count, location)
                for value, map_ in zip([*op.inputs, *op.outputs], op.maps, strict=True)
            ]
        clone = op.op.clone(ip=ir.InsertionPoint(op.op))
        for number, operand in enumerate(operands):
            clone.operands[number] = operand
        clone.attributes[CORELET] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), corelet)
    op.op.erase()


def _part(value: ir.Value, map_: ir.AffineMap, loop: int, first: int, count: int, location: ir.Location) -> ir.Value:
    """The part of an operand that iterations ``first`` to ``first + count`` of the loop walk over."""
    if not isinstance(value.type, ir.MemRefType) or not _walks(map_, loop):
        return value
    shape = list(ir.MemRefType(value.type).shape)
    offsets = [0] * len(shape)
    for k, expression in enumerate(map_.results):
        if isinstance(expression, ir.AffineDimExpr) and expression.position == loop:
            offsets[k], shape[k] = first, count
    return ops.subview(value, offsets, shape, location)
