"""Places every buffer in its memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from spyrec.device.model import Memory
from spyrec.mlir import ir
from spyrec.passes.analysis import kernels
from spyrec.passes.analysis.liveness import Lifetime, of_allocations
from spyrec.passes.analysis.packing import Packing, Request, apart, beside, fullest, shared
from spyrec.passes.analysis.schedule import Allocation, Schedule, schedule_of
from spyrec.passkit import UNCHANGED, Kept, Pass, PassContext, option


@dataclass
class AssignAddresses(Pass):
    """Give each buffer an address in its memory and the distance of its slots.

    Each memory is filled for itself, a stage that cores share in equal parts: addresses count from the part of a core.
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
    Addresses that are there already are given anew. Leaves alone buffers in memories that the device does not have.
    Refuses buffers that do not fit (``lx-overflow``, ``stage-overflow``), with the buffers that are alive when most
    bytes are.
    """

    anchor: ClassVar[str] = "func.func"

    share: Literal["auto", "always", "never"] = option("auto", "whether buffers may share bytes; auto: when they must")

    def run(self, op: ir.Operation, ctx: PassContext) -> Kept:
        if not kernels.has_body(op):
            return UNCHANGED
        schedule = schedule_of(op, ctx.analyses, ctx.sink)
        if schedule is None:
            return UNCHANGED
        memories: dict[str, list[_Placed]] = {}
        for allocation, life in zip(schedule.allocations, of_allocations(schedule), strict=True):
            memory = ctx.device.buffered(allocation.place.memory)
            if memory is not None:
                memories.setdefault(memory.kind, []).append(_Placed(allocation, memory, life))
        for kind, found in memories.items():
            self._pack(op, ctx, ctx.device.memories[kind], found, schedule)
        return (Schedule,)

    def _pack(
        self,
        function: ir.Operation,
        ctx: PassContext,
        memory: Memory,
        found: Sequence[_Placed],
        schedule: Schedule,
    ) -> None:
        """Place the buffers of one memory."""
        room = ctx.device.share(memory)
        kept = schedule.kept(memory)
        requests = [placed.request for placed in found]
        packing = apart(requests, kept)
        if self.share == "always" or (self.share == "auto" and packing.total > room):
            packing = beside(shared(requests, room), kept)
        if packing.total > room:
            self._overflow(function, ctx, memory, found, packing, kept)
            return
        for placed, address in zip(found, packing.addresses, strict=True):
            if placed.allocation.place.depth != placed.allocation.requested_depth:
                ctx.statistics["depths reduced to 1"] += 1
            placed.allocation.put_at(address, placed.slot)
        ctx.statistics[f"bytes of {_spoken(memory)}"] += packing.total

    def _overflow(
        self,
        function: ir.Operation,
        ctx: PassContext,
        memory: Memory,
        found: Sequence[_Placed],
        packing: Packing,
        kept: tuple[int, int],
    ) -> None:
        room, requests = ctx.device.share(memory), [placed.request for placed in found]
        together = range(len(found)) if self.share == "never" else fullest(requests)
        live = sum(requests[k].size for k in together)
        alive = "together" if self.share == "never" else "when most of them are alive"
        has = f"has {room}" if room == memory.size else f"has {room} for each core"
        message = (
            f"the buffers of '{kernels.name(function)}' need {packing.total} bytes of {_spoken(memory)}, and device "
            f"'{ctx.device.name}' {has}"
        )
        if live + kept[1] - kept[0] <= room:
            message += f" ({live} bytes are alive at once; no placement was found that leaves no gaps)"
        notes: list[str | tuple[ir.Operation, str]] = [f"{alive} they take {live} bytes:"]
        for k in sorted(together, key=lambda k: (-requests[k].size, k)):
            place = found[k].allocation.place
            slots = f" ({place.depth} slots of {found[k].slot})" if place.depth > 1 else ""
            notes.append((found[k].allocation.op, f"'{place.name}' takes {requests[k].size} bytes{slots}"))
        if kept[1]:
            notes.append(f"bytes {kept[0]} to {kept[1]} are the kernel's: views of LX lie there")
        if memory.role == "stage":
            notes.append("bytes rest there on their way between device memory and LX, which no unit links")
        notes.append("smaller tiles, fewer of them at once, or a smaller buffer depth would fit")
        largest = max(together, key=lambda k: (requests[k].size, -k))
        id_ = "lx-overflow" if memory.role == "lx" else "stage-overflow"
        resource = (memory.space, packing.total, room)
        ctx.sink.error(found[largest].allocation.op, id_, message, notes=notes, resource=resource)


@dataclass(frozen=True)
class _Placed:
    """A buffer, the memory that it lies in, and when."""

    allocation: Allocation
    memory: Memory
    life: Lifetime

    @property
    def slot(self) -> int:
        """Bytes from one slot to the next: the size, rounded up to the alignment; never 0, so that slots differ."""
        return self.memory.aligned(max(1, self.allocation.place.size))

    @property
    def request(self) -> Request:
        """What it asks for."""
        return Request(self.slot * self.allocation.place.depth, self.life)


def _spoken(memory: Memory) -> str:
    return "LX" if memory.role == "lx" else f"'{memory.kind}'"
