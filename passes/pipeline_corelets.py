"""Corelets do the first and the second half of each iteration of a loop, one iteration apart."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from spyrec.device import cost
from spyrec.dialects import dataflow
from spyrec.mlir import ir
from spyrec.passes.analysis import buffers, corelets, kernels, ops, room
from spyrec.passes.analysis.index_values import IndexValues
from spyrec.passes.analysis.loop_costs import Compute, Iteration, loop_costs
from spyrec.passes.analysis.slices import CORELET, UNIT
from spyrec.passes.analysis.tile_costs import SLOTS, trips_of
from spyrec.passkit import Pass, PassContext, option

_WORTH = 15
"""In percent of the cycles of a loop. Halves wait for one another more often than formulas know."""

_LONGEST = 64
"""Ops of a body at most: each way to cut it is looked at."""


@dataclass
class PipelineCorelets(Pass):
    """Give the first ops of a loop's body to the first corelet, and the others to the second.

    What an iteration hands on in LX to the next one keeps corelets from taking iterations in turns, and a row that is
    folded cannot be cut. But most of what goes from op to op lies in buffers that have several slots, so the first
    corelet can be at the next iteration while the second is at the end of this one. The maximum of an online softmax is
    known for the next block before the sum of this one is done.

    What only the first half changes and the second half reads, outside of the loop, is copied for it into a buffer with
    slots. The cut is where both corelets have as much to do.

    IR before::

        scf.for ... {
          %t = dataflow.alloc {depth = 2 : i64, name = "t"} : ...
          linalg.generic {...} ins(%x : ...) outs(%t, %top : ...) attrs = {dataflow.unit = @sfu} {...}
          linalg.generic {...} ins(%t, %top : ...) outs(%sum : ...) attrs = {dataflow.unit = @sfu} {...}

    IR after::

        scf.for ... {
          %t = dataflow.alloc {depth = 2 : i64, name = "t"} : ...
          linalg.generic {...} ins(%x : ...) outs(%t, %top : ...) attrs = {dataflow.corelet = 0 : i64, ...} {...}
          %k = dataflow.alloc {depth = 2 : i64, name = "top_kept"} : ...
          linalg.generic {...} ins(%top : ...) outs(%k : ...) attrs = {dataflow.corelet = 0 : i64, ...} {...}
          linalg.generic {...} ins(%t, %k : ...) outs(%sum : ...) attrs = {dataflow.corelet = 1 : i64, ...} {...}

    It is done where it saves ``gain`` percent of the cycles that the loop takes with its ops cut. Leaves alone loops in
    which the second half changes what the first one needs, whose buffers have one slot where both halves use them, that
    load what would be copied, in which cores exchange something, with other loops or branches in them, with ops that
    name a corelet or with more than 64 of them, and with one or two iterations; and all of them where the device has
    one corelet or LX no room for the copies. Refuses nothing."""

    anchor: ClassVar[str] = "func.func"
    optional: ClassVar[bool] = True

    gain: int = option(_WORTH, "percent of the cycles of a loop that it has to save")

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        if ctx.device.corelets < 2 or not kernels.has_body(op):
            return
        values, iterations = IndexValues(op, implicit_tiles=ctx.device.cores), loop_costs(op, ctx)
        loops = [inner for inner in kernels.steps(op) if inner.name == "scf.for" and trips_of(inner, values) > SLOTS]
        left = room.room(op, ctx.device)
        for loop in loops:
            costs = iterations.of(loop) if corelets.are_free(loop.regions[0].blocks[0], ctx.device) else None
            halves = None if costs is None else min(_halves(costs), key=lambda halves: halves.pace, default=None)
            if costs is None or halves is None or halves.growth > left[dataflow.LX]:
                continue
            if halves.pace * 100 < max(costs.cut, costs.moving) * (100 - self.gain):
                halves.make(op)
                left[dataflow.LX] -= halves.growth
                ctx.statistics["loops in two halves"] += 1


@dataclass(frozen=True)
class _Halves:
    """The compute ops of a loop in two halves, and what is ``copied`` from the first one to the second."""

    costs: Iteration
    first: Sequence[Compute]
    second: Sequence[Compute]
    copied: Sequence[ir.Value]

    @property
    def pace(self) -> float:
        """Cycles from one iteration to the next."""
        device = self.costs.device
        vector = device.unit("vector")
        copies = [cost.stream_cycles(device, vector, _elements(buffer), ()) for buffer in self.copied]
        first = self.costs.one_after_another(self.first) + sum(copies)
        return max(self.costs.moving, first, self.costs.one_after_another(self.second))

    @property
    def growth(self) -> int:
        """Bytes of LX that copies take."""
        device = self.costs.device
        return SLOTS * sum(room.slot(dataflow.AllocOp(_maker(buffer)), device) for buffer in self.copied)

    def make(self, function: ir.Operation) -> None:
        """Give the halves to the corelets."""
        taken = {buffer.name_.value: 0 for buffer in buffers.allocations(function) if buffer.name_ is not None}
        for corelet, half in enumerate((self.first, self.second)):
            for compute in half:
                compute.op.op.attributes[CORELET] = ops.i64(corelet)
        vector = ir.FlatSymbolRefAttr.get(self.costs.device.unit("vector").kind)
        for buffer in self.copied:
            last = next(
                c.op.op for c in reversed(self.first) if any(self.costs.root(v) == buffer for v in c.op.outputs)
            )
            with ir.InsertionPoint.after(last):
                name = dataflow.AllocOp(_maker(buffer)).name_
                unique = buffers.unique(f"{'buffer' if name is None else name.value}_kept", taken)
                alloc = dataflow.AllocOp.build(result=buffer.type, name=unique, depth=SLOTS, loc=last.location)
                copy = ops.copy(buffer, alloc.result, last.location)
            copy.attributes[UNIT], copy.attributes[CORELET] = vector, ops.i64(0)
            for compute in self.second:
                for number, value in enumerate(compute.op.op.operands):
                    if value == buffer:
                        compute.op.op.operands[number] = alloc.result


def _halves(costs: Iteration) -> Iterator[_Halves]:
    """All ways to cut the body in which the second half leaves alone what the first one needs."""
    for place in range(1, len(costs.computes) if len(costs.computes) <= _LONGEST else 0):
        first, second = costs.computes[:place], costs.computes[place:]
        copied = _copied(costs, first, second)
        if copied is not None:
            yield _Halves(costs, first, second, copied)


def _copied(costs: Iteration, first: Sequence[Compute], second: Sequence[Compute]) -> list[ir.Value] | None:
    """What the second half needs copies of; ``None`` when the halves cannot be iterations apart."""
    block = first[0].op.op.block
    touched = {costs.root(value) for value in _buffers(first)}
    written, changed = ({costs.root(v) for compute in half for v in compute.op.outputs} for half in (first, second))
    loaded = {costs.root(move.view.dest) for move in costs.moves if move.view.dest is not None}
    if None in touched | loaded:
        return None
    copied: dict[ir.Value, None] = {}
    for value in _buffers(second):
        root = costs.root(value)
        if root is None:
            return None
        if root not in touched:
            continue
        if _maker(root).block == block:
            if room.depth(dataflow.AllocOp(_maker(root))) < SLOTS:
                return None
        elif root in changed:
            return None
        elif root in written:
            # A copy is of what the last op of the first half left, and not of what is loaded behind it.
            if value != root or root in loaded:
                return None
            copied[root] = None
    return list(copied)


def _buffers(computes: Sequence[Compute]) -> list[ir.Value]:
    return [v for compute in computes for v in compute.op.operands if isinstance(v.type, ir.MemRefType)]


def _maker(buffer: ir.Value) -> ir.Operation:
    maker = kernels.defining(buffer)
    assert maker is not None
    return maker


def _elements(buffer: ir.Value) -> int:
    return math.prod(ir.MemRefType(buffer.type).shape)
