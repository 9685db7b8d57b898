"""Slots that nobody can be ahead in are taken back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from spyrec.dialects import dataflow
from spyrec.mlir import ir
from spyrec.passes.analysis import buffers, ops, room
from spyrec.passes.analysis.slices import UNIT, unit_of
from spyrec.passkit import Pass, PassContext


@dataclass
class TrimSlots(Pass):
    """Give a buffer one slot if one unit alone computes with it.

    Slots let units run ahead of one another. A unit does one thing after the other, so what it writes and reads by
    itself has one instance at a time, and more slots cost LX, and instructions that find out which one it is. Which
    corelet does what is settled only after depths have been chosen.

    IR before::

        %t = dataflow.alloc {depth = 2 : i64, name = "t"} : memref<1x64xf32, "lx">
        linalg.generic {...} ins(%x : ...) outs(%t : ...) attrs = {dataflow.unit = @sfu} {...}
        linalg.generic {...} ins(%t : ...) outs(%y : ...) attrs = {dataflow.unit = @sfu} {...}

    IR after::

        %t = dataflow.alloc {depth = 1 : i64, name = "t"} : memref<1x64xf32, "lx">
        ...

    Leaves alone buffers that anything but compute ops uses: transfers of one unit are in flight together. Refuses
    nothing."""

    anchor: ClassVar[str] = "func.func"
    optional: ClassVar[bool] = True

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        for buffer in buffers.allocations(op):
            if room.depth(buffer) > 1 and len({*_units(buffer.result)}) == 1:
                buffer.operation.attributes["depth"] = ops.i64(1)
                ctx.statistics["buffers trimmed"] += 1


def _units(shown: ir.Value) -> Iterator[str]:
    """The units that compute with what is shown of a buffer; two of them where something else uses it."""
    for use in shown.uses:
        user = use.owner.operation
        if user.name in dataflow.VIEWS:
            yield from _units(user.results[0])
        elif UNIT in user.attributes and (unit := unit_of(user)) is not None:
            yield unit
        else:
            yield from ("", user.name)
