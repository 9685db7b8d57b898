"""Places every buffer in LX."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from spyrec.device.model import Memory
from spyrec.mlir import ir
from spyrec.passes.analysis import kernels, ops
from spyrec.passes.analysis.liveness import of_allocations
from spyrec.passes.analysis.packing import Packing, Request, apart, beside, fullest, shared
from spyrec.passes.analysis.schedule import Allocation, read
from spyrec.passkit import Pass, PassContext, option


@dataclass
class AssignAddresses(Pass):
    """Give each buffer an address in LX and the distance of its slots.

    Buffers get bytes of their own as long as that fits: then no unit ever waits for bytes to become free. Otherwise
    buffers that are never alive together share bytes. A buffer that is allocated in a loop is alive during the whole
    loop, since units run ahead of one another. Addresses and slots are aligned as the device asks.

    IR before::

        scf.for ... {
          %a = dataflow.alloc {depth = 2 : i64, name = "x"} : memref<1x65xf16, "lx">
          %b = dataflow.alloc {depth = 2 : i64, name = "y"} : memref<1x65xf16, "lx">

    IR after::

        scf.for ... {
          %a = dataflow.alloc {address = 0 : i64, depth = 2 : i64, name = "x", slot_bytes = 256 : i64} : ...
          %b = dataflow.alloc {address = 512 : i64, depth = 2 : i64, name = "y", slot_bytes = 256 : i64} : ...

    A depth that no program could make use of becomes 1: outside of loops, under a condition inside a loop, and in a
    loop whose number of iterations changes from one execution to the next. Bytes of LX that transfers name by address
    stay free, and a buffer that other cores reach shares none of its bytes. Option ``share`` forces or forbids sharing.
    Addresses that are there already are given anew. Refuses buffers that do not fit (``lx-overflow``), with the
    buffers that are alive when most bytes are.
    """

    anchor: ClassVar[str] = "func.func"

    share: Literal["auto", "always", "never"] = option("auto", "whether buffers may share bytes; auto: when they must")

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        if not kernels.has_body(op):
            return
        schedule = read(op, ctx.sink, placed=False)
        if schedule is None or not schedule.allocations:
            return
        lx = ctx.device.memory("lx")
        found = schedule.allocations
        lives = of_allocations(schedule)
        requests = [Request(_slot(a, lx) * a.place.depth, life) for a, life in zip(found, lives, strict=True)]
        kept = schedule.kept(lx.alignment)
        packing = apart(requests, kept)
        if self.share == "always" or (self.share == "auto" and packing.total > lx.size):
            packing = beside(shared(requests, lx.size), kept)
        if packing.total > lx.size:
            self._overflow(op, ctx, found, requests, packing, kept)
            return
        for allocation, address in zip(found, packing.addresses, strict=True):
            attributes = allocation.op.attributes
            attributes["address"] = ops.i64(address)
            attributes["slot_bytes"] = ops.i64(_slot(allocation, lx))
            if allocation.place.depth != allocation.requested_depth:
                attributes["depth"] = ops.i64(allocation.place.depth)
                ctx.statistics["depths reduced to 1"] += 1
        ctx.statistics["bytes of LX"] += packing.total

    def _overflow(
        self,
        function: ir.Operation,
        ctx: PassContext,
        found: Sequence[Allocation],
        requests: Sequence[Request],
        packing: Packing,
        kept: tuple[int, int],
    ) -> None:
        lx = ctx.device.memory("lx")
        together = range(len(found)) if self.share == "never" else fullest(requests)
        live = sum(requests[k].size for k in together)
        alive = "together" if self.share == "never" else "when most of them are alive"
        message = (
            f"the buffers of '{kernels.name(function)}' need {packing.total} bytes of LX, and device "
            f"'{ctx.device.name}' has {lx.size}"
        )
        if live + kept[1] - kept[0] <= lx.size:
            message += f" ({live} bytes are alive at once; no placement was found that leaves no gaps)"
        notes: list[str | tuple[ir.Operation, str]] = [f"{alive} they take {live} bytes:"]
        for k in sorted(together, key=lambda k: (-requests[k].size, k)):
            place = found[k].place
            slots = f" ({place.depth} slots of {_slot(found[k], lx)})" if place.depth > 1 else ""
            notes.append((found[k].op, f"'{place.name}' takes {requests[k].size} bytes{slots}"))
        if kept[1]:
            notes.append(f"bytes {kept[0]} to {kept[1]} are the kernel's: views of LX lie there")
        notes.append("smaller tiles, fewer of them at once, or a smaller buffer depth would fit")
        largest = max(together, key=lambda k: (requests[k].size, -k))
        ctx.sink.error(found[largest].op, "lx-overflow", message, notes=notes, resource=("lx", packing.total, lx.size))


def _slot(allocation: Allocation, lx: Memory) -> int:
    """Bytes from one slot to the next: the size, rounded up to the alignment; never 0, so that slots differ."""
    return lx.aligned(max(1, allocation.place.size))
