"""Takes out channels that others imply."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from spyrec.dialects.dataflow import PostOp, WaitOp
from spyrec.mlir import ir
from spyrec.passes.analysis import kernels
from spyrec.passes.analysis.ordering import needed
from spyrec.passes.analysis.schedule import Schedule, schedule_of
from spyrec.passes.analysis.skeleton import Channel, blocks
from spyrec.passkit import UNCHANGED, Kept, Pass, PassContext


@dataclass
class PruneSynchronization(Pass):
    """Remove channels whose order the other channels bring about already.

    A unit is in order with itself, in a loop also with its earlier iterations, and orders follow from one another: a
    path of channels over at most as many iterations as a hazard spans makes the hazard's own channel superfluous.
    What stays is irredundant: without any one of the channels there are iteration counts for which two accesses race.

    IR before::

        scf.for ... {
          dataflow.wait @x_free {unit = @load}
          dataflow.data_transfer ... to %a {unit = @load, ...} : ...
          dataflow.post @x_full {unit = @load}
          dataflow.wait @x_full {unit = @sfu}
          dataflow.wait @y_over {unit = @sfu}
          ...

    IR after::

        scf.for ... {
          dataflow.wait @x_free {unit = @load}
          dataflow.data_transfer ... to %a {unit = @load, ...} : ...
          dataflow.post @x_full {unit = @load}
          dataflow.wait @x_full {unit = @sfu}
          ...

    Only channels that ``insert-synchronization`` could have made are weighed: one post right after an op, one wait
    right before one in the same block. A block that orders some bytes in another way keeps all its channels. Refuses
    what is no schedule, and buffers without an address (``no-address``).
    """

    anchor: ClassVar[str] = "func.func"
    optional: ClassVar[bool] = True

    def run(self, op: ir.Operation, ctx: PassContext) -> Kept:
        if not kernels.has_body(op):
            return UNCHANGED
        schedule = schedule_of(op, ctx.analyses, ctx.sink, placed=True)
        if schedule is None or not schedule.channels:
            return UNCHANGED
        program = schedule.program
        kept = needed(program)
        weighed: list[Channel] = [channel for block in blocks(program.body) for channel in block.channels]
        gone = {channel.ref for channel in weighed if channel not in kept}
        for view in kernels.views(op, PostOp, WaitOp):
            if view.channel.value in gone:
                view.operation.erase()
        for name in gone:
            schedule.channels[name].erase()
        schedule.remove_channels(gone)
        ctx.statistics["channels removed"] += len(gone)
        return (Schedule,)
