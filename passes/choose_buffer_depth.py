"""How many instances of a buffer may be alive at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from spyrec.device.model import Memory
from spyrec.dialects import dataflow
from spyrec.errors import UsageError
from spyrec.mlir import ir
from spyrec.passes.analysis import buffers, kernels, ops
from spyrec.passes.analysis.index_values import IndexValues
from spyrec.passes.analysis.liveness import Lifetime, of_allocations
from spyrec.passes.analysis.loop_costs import LoopCosts, loop_costs
from spyrec.passes.analysis.packing import Request, apart, beside, shared
from spyrec.passes.analysis.schedule import schedule_of
from spyrec.passes.analysis.tile_costs import SLOTS, trips_of
from spyrec.passkit import Kept, Pass, PassContext, option

_MOST = 4
"""Slots of a buffer at most. More are seldom of use, and the static check runs loops for as many iterations."""


@dataclass
class ChooseBufferDepth(Pass):
    """Let units run ahead of one another: buffers in loops get ``depth`` slots, or as many as it takes.

    With two slots the load unit fills one while the vector unit works on the other. The program means the same at any
    depth. A buffer outside of loops has one instance, and one slot.

    Two slots are too few where an iteration is short: a slot comes back only when its transfer has started and ended,
    its bytes have been worked on, and all units have been told. A buffer that transfers fill or empty gets as many
    slots, up to four, as iterations begin in that time by the formulas of the device model; the others get two.

    IR before::

        scf.for ... {
          %b = dataflow.alloc {name = "x"} : memref<1x64xf16, "lx">

    IR after::

        scf.for ... {
          %b = dataflow.alloc {depth = 2 : i64, name = "x"} : memref<1x64xf16, "lx">

    Each memory is looked at for itself, LX and stages. When all buffers together would not fit into it, each of the
    function's loops takes two slots, or one, so that they do if loops that follow one another share bytes; what is left
    over then goes to single buffers, first to those that transfers fill, since memory is what units wait for, then to
    those that transfers empty; and then to third and further slots in the same order. When they do not fit with one
    slot each, all have one, and address assignment has the last word. One slot is also taken in an ``scf.if``, and in a
    loop whose number of iterations is computed in another loop: the slot of an instance would not be an affine function
    of counters. Leaves alone a buffer that has a depth. Refuses nothing but a ``depth`` below 0."""

    anchor: ClassVar[str] = "func.func"
    optional: ClassVar[bool] = True

    depth: int = option(0, "slots of a buffer in a loop; 0: chosen")

    def run(self, op: ir.Operation, ctx: PassContext) -> Kept:
        if self.depth < 0:
            raise UsageError(f"pass '{self.NAME}': depth must be at least 0, but is {self.depth}")
        found = [_Choice(buffer, _rotates(buffer.operation, op)) for buffer in buffers.allocations(op)]
        wanted = _Wanted(self.depth, op, ctx)
        memories: dict[str, list[_Choice]] = {}
        for choice in found:
            if choice.open:
                choice.wanted = choice.depth = wanted(choice.buffer) if choice.rotates else 1
            memories.setdefault(buffers.memory_of(choice.buffer.result), []).append(choice)
        crowded = [
            memory
            for space, inside in memories.items()
            if (memory := ctx.device.buffered(space)) is not None
            and (buffers.names_bytes(op, space) or sum(c.bytes(memory) for c in inside) > ctx.device.share(memory))
        ]
        if crowded:
            # What cannot be read as a schedule is for address assignment to report.
            schedule = schedule_of(op, ctx.analyses)
            if schedule is not None:
                for choice, life in zip(found, of_allocations(schedule), strict=True):
                    choice.life = life
            for memory in crowded:
                kept = (0, 0) if schedule is None else schedule.kept(memory)
                self._share(op, memories[memory.space], memory, ctx.device.share(memory), kept)
        for choice in found:
            if choice.open:
                choice.buffer.operation.attributes["depth"] = ops.i64(choice.depth)
        return (LoopCosts,)

    def _share(
        self, function: ir.Operation, found: Sequence[_Choice], memory: Memory, room: int, kept: tuple[int, int]
    ) -> None:
        """Depths with which the buffers of one memory fit, those of loops that follow one another in the same bytes."""
        loops: dict[ir.Operation, list[_Choice]] = {}
        for choice in found:
            if choice.open and choice.rotates:
                *_, outermost = kernels.around(choice.buffer.operation, function)
                loops.setdefault(outermost, []).append(choice)
                choice.depth = 1

        def fits() -> bool:
            requests = [Request(choice.bytes(memory), choice.life) for choice in found]
            return min(apart(requests, kept).total, beside(shared(requests, room), kept).total) <= room

        def largest(members: Sequence[_Choice], most: int) -> None:
            """As many slots for all of them, up to ``most``, as everything fits with."""
            had = [choice.depth for choice in members]
            for depth in range(most, 0, -1):
                for choice, before in zip(members, had, strict=True):
                    choice.depth = max(before, min(depth, choice.wanted))
                if fits():
                    break

        # The second slot is worth more than all that come after it.
        for most in (SLOTS, max(choice.wanted for choice in found)):
            for members in loops.values():
                largest(members, most)
            for members in loops.values():
                for choice in sorted(members, key=lambda choice: choice.waits):
                    largest([choice], most)


class _Wanted:
    """How many slots a buffer in a loop is to have: ``fixed`` ones, or as many as keep units from waiting for one."""

    def __init__(self, fixed: int, function: ir.Operation, ctx: PassContext) -> None:
        self.fixed = fixed
        self.device = ctx.device
        self._values = IndexValues(function, implicit_tiles=ctx.device.cores)
        self._costs = loop_costs(function, ctx)

    def __call__(self, buffer: dataflow.AllocOp) -> int:
        if self.fixed:
            return self.fixed
        loop = kernels.owner(buffer.operation.block)
        if not list(_transfers(buffer.result)):
            return SLOTS
        costs = self._costs.of(loop)
        if costs is None or (slots := costs.slots(buffer.result)) <= SLOTS:
            return SLOTS
        # Corelets that take turns have the same number each.
        slots = min(_MOST, -(-slots // self.device.corelets) * self.device.corelets)
        return slots if slots <= trips_of(loop, self._values) else SLOTS


_ALWAYS = Lifetime(0, 0)


@dataclass
class _Choice:
    """A buffer, whether it may have several slots, how many it gets, and when it holds something."""

    buffer: dataflow.AllocOp
    rotates: bool
    depth: int = 1
    wanted: int = 1
    life: Lifetime = _ALWAYS

    @property
    def open(self) -> bool:
        """Whether nobody has said yet how many slots it has."""
        return self.buffer.depth is None

    @property
    def waits(self) -> int:
        """Its place among those that want more slots: filled by transfers, emptied by them, neither."""
        transfers = list(_transfers(self.buffer.result))
        return 0 if any(transfers) else 1 if transfers else 2

    def bytes(self, memory: Memory) -> int:
        """What it takes of its memory."""
        slot = memory.aligned(buffers.size(self.buffer.result.type))
        return slot * (self.depth if self.buffer.depth is None else self.buffer.depth.value)


def _transfers(shown: ir.Value) -> Iterator[bool]:
    """For each transfer of a buffer or of a view of it whether it fills it."""
    for use in shown.uses:
        user = use.owner.opview
        if isinstance(user, dataflow.DataTransferOp):
            yield user.dest is not None and user.dest == shown
        elif use.owner.name in dataflow.VIEWS:
            yield from _transfers(use.owner.results[0])


def _rotates(buffer: ir.Operation, function: ir.Operation) -> bool:
    """Whether each iteration of a loop around ``buffer`` may have a slot of its own, by its number."""
    around = list(kernels.around(buffer, function))
    loops = [op for op in around if op.name == "scf.for"]
    # Iterations are counted over all loops around: none may be skipped, or have another number of iterations each time.
    if not loops or around[: len(loops)] != loops:
        return False
    return all(
        _is_constant(inner.operands[1]) or not kernels.is_inside(inner.operands[1], outer)
        for level, inner in enumerate(loops)
        for outer in loops[level + 1 :]
    )


def _is_constant(value: ir.Value) -> bool:
    maker = kernels.defining(value)
    return maker is not None and maker.name == "arith.constant"
