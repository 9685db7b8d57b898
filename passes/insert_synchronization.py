"""Orders units by channels wherever they touch the same bytes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from spyrec.dialects.dataflow import ChannelOp, PostOp, WaitOp
from spyrec.mlir import ir
from spyrec.passes.analysis import kernels
from spyrec.passes.analysis.channels import Wanted, wanted
from spyrec.passes.analysis.schedule import Schedule, schedule_of
from spyrec.passes.analysis.skeleton import Block, Channel
from spyrec.passkit import UNCHANGED, Kept, Pass, PassContext


@dataclass
class InsertSynchronization(Pass):
    """Put a channel between any two units whose order at some bytes matters.

    Two accesses to bytes that overlap, on different units and one of them a write, are a hazard. Within one execution
    of the innermost block around both, the first unit posts after its op and the second waits before its own. When a
    loop carries the hazard over ``d`` iterations, the channel starts with ``d`` credits: wait ``k`` is met by post
    ``k - d``, counted over all executions of the loop, so any number of iterations and entering the loop again are
    covered alike. A buffer of depth ``d`` is touched again ``d`` iterations later; boxes of device memory whose
    addresses are affine are compared exactly, and what cannot be proven apart meets in the next iteration.

    IR before::

        scf.for ... {
          %a = dataflow.alloc {address = 0 : i64, depth = 2 : i64, name = "x", slot_bytes = 128 : i64} : ...
          dataflow.data_transfer ... to %a {unit = @load, ...} : ...
          linalg.generic {...} ins(%a : ...) outs(...) attrs = {dataflow.unit = @sfu} {...}

    IR after::

        dataflow.channel @x_full from @load to @sfu {init = 0 : i64}
        dataflow.channel @x_free from @sfu to @load {init = 2 : i64}
        scf.for ... {
          %a = dataflow.alloc ...
          dataflow.wait @x_free {unit = @load}
          dataflow.data_transfer ... to %a {unit = @load, ...} : ...
          dataflow.post @x_full {unit = @load}
          dataflow.wait @x_full {unit = @sfu}
          linalg.generic {...} ins(%a : ...) outs(...) attrs = {dataflow.unit = @sfu} {...}
          dataflow.post @x_free {unit = @sfu}

    Before a post to another core, all that comes before it in the text is done to what cores share: to buffers that
    other cores read or write, and to device memory that one of them writes. After a wait for one, all begins that comes
    after it.

    Many of the channels are implied by others; ``prune-synchronization`` finds them. Leaves alone a function that has
    channels within a core. Refuses buffers without an address (``no-address``) and what is no schedule.
    """

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> Kept:
        if not kernels.has_body(op):
            return UNCHANGED
        schedule = schedule_of(op, ctx.analyses, ctx.sink, placed=True)
        if schedule is None or any("peers" not in channel.attributes for channel in schedule.channels.values()):
            return UNCHANGED
        found = wanted(schedule.program)
        _Inserter(schedule).insert(found)
        ctx.statistics["channels"] += len(found)
        return (Schedule,)


class _Inserter:
    """Declares channels at the top of the function, and adds their posts and waits."""

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        self.units = schedule.program.units
        self.top = next(iter(schedule.function.regions[0].blocks[0].operations)).operation
        # Buffers become symbols as well.
        self.taken = {allocation.place.name for allocation in schedule.allocations} | set(schedule.channels)
        self.numbers: Counter[str] = Counter()
        self.last: dict[ir.Operation, ir.Operation] = {}

    def insert(self, found: Iterable[Wanted]) -> None:
        """All of ``found``, in their order."""
        made: list[tuple[ir.Operation, Block, Channel]] = []
        for channel in found:
            source, target = self.units[channel.source], self.units[channel.target]
            name = self._name(channel, source, target)
            items = channel.block.items
            at_end = channel.wait == len(items)
            before: ir.Operation = kernels.terminator(channel.block.ref) if at_end else items[channel.wait].ref
            after: ir.Operation = items[channel.post - 1].ref
            with ir.InsertionPoint(self.top):
                op = ChannelOp.build(
                    sym_name=name, from_unit=source, to_unit=target, init=channel.credits, loc=before.location
                )
            with ir.InsertionPoint.after(self.last.get(after, after)):
                post = PostOp.build(channel=name, unit=source, loc=after.location)
                self.last[after] = post.operation
            with ir.InsertionPoint(before):
                WaitOp.build(channel=name, unit=target, loc=before.location)
            ends = (channel.source, channel.target, channel.credits, channel.post, channel.wait)
            made.append((op.operation, channel.block, Channel(*ends, name)))
        self.schedule.add_channels(made)

    def _name(self, channel: Wanted, source: str, target: str) -> str:
        """What the channel waits for, with the units or a number where that alone is not unique."""
        stem = channel.stem
        for name in (stem, f"{stem}_{target}", f"{stem}_{source}_{target}"):
            if name not in self.taken:
                self.taken.add(name)
                return name
        while True:
            self.numbers[name] += 1
            numbered = f"{name}_{self.numbers[name]}"
            if numbered not in self.taken:
                self.taken.add(numbered)
                return numbered
