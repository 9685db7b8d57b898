"""How long one iteration of a loop at stage schedule takes in each unit, by the formulas of the simulator.

Units run ahead of one another, so a loop is as fast as what is busiest: the load unit, the store unit, device memory
with the transfers of all cores, or the compute units of a core.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from spyrec.device import cost, routes
from spyrec.device.model import Device
from spyrec.dialects import dataflow
from spyrec.mlir import ir
from spyrec.ods.checks import DYNAMIC
from spyrec.passes.analysis import corelets, kernels
from spyrec.passes.analysis.accesses import element_bytes
from spyrec.passes.analysis.buffer_views import view_of
from spyrec.passes.analysis.compute_costs import Cycles
from spyrec.passes.analysis.layouts import dense_strides
from spyrec.passes.analysis.merging import Merging
from spyrec.passes.analysis.slices import UNIT
from spyrec.passes.analysis.structured import Structured, structured
from spyrec.passkit import PassContext

WORTH = 8
"""Turns are worth their code where each copy of a loop's body saves so many of 100 cycles."""

_AROUND_TRANSFER = 10
"""Scalar instructions of a unit around one transfer: its channels, its addresses, its issue."""

_AROUND_COMPUTE = 3
"""Scalar instructions of a unit around one of several streams in a row."""


@dataclass(frozen=True)
class Compute:
    """A compute op: cycles on one corelet, and on all of them where it is cut; whether it is ``merged`` into one before
    it on the same corelet (``merge-streams``).
    """

    op: Structured
    whole: int
    cut: int
    merged: bool = False

    @property
    def is_cut(self) -> bool:
        return self.cut < self.whole


@dataclass(frozen=True)
class Move:
    """A transfer: cycles that it keeps its unit from others, until it is done, and bytes of device memory."""

    view: dataflow.DataTransferOp
    busy: float
    whole: int
    moved: int


class LoopCosts:
    """What :func:`iteration` gives for loops of one function, each found when it is first asked for."""

    def __init__(self, function: ir.Operation, device: Device) -> None:
        self._device, self._tiles = device, kernels.tiles(function)
        self._found: dict[ir.Operation, Iteration | None] = {}

    def of(self, loop: ir.Operation) -> Iteration | None:
        """One iteration of ``loop``."""
        if loop not in self._found:
            self._found[loop] = iteration(loop, self._device, self._tiles)
        return self._found[loop]


def loop_costs(function: ir.Operation, ctx: PassContext) -> LoopCosts:
    """Those of ``function`` that still hold, or new ones. They do not depend on depths of buffers."""
    found = ctx.analyses.find(function, LoopCosts)
    if found is None:
        ctx.analyses.add(function, found := LoopCosts(function, ctx.device))
    return found


def iteration(loop: ir.Operation, device: Device, tiles: int) -> Iteration | None:
    """One iteration of ``loop``, an ``scf.for``; ``None`` when not all that units do stands in its own block, when one
    meets another core there, or when the device does not have what ops name.
    """
    for view in loop.regions[0].blocks[0].operations:
        op = view.operation
        is_control = op.name.startswith("scf.") and op.name != "scf.yield"
        if is_control or isinstance(view, dataflow.PostOp | dataflow.WaitOp):
            return None
        if UNIT in op.attributes and ir.FlatSymbolRefAttr(op.attributes[UNIT]).value not in device.units:
            return None
        if isinstance(view, dataflow.DataTransferOp) and not set(itertools.pairwise(_route(view))) <= {
            (link.source, link.target) for link in device.links
        }:
            return None
    return Iteration(loop, device, tiles)


class Iteration:
    """What :func:`iteration` gives."""

    def __init__(self, loop: ir.Operation, device: Device, tiles: int) -> None:
        self.device = device
        self.computes: list[Compute] = []
        self.moves: list[Move] = []
        self._known_roots: dict[ir.Value, ir.Value | None] = {}
        merging = Merging({kind for kind, unit in device.units.items() if unit.role == "vector"})
        for view in loop.regions[0].blocks[0].operations:
            if isinstance(view, dataflow.DataTransferOp):
                self.moves.append(self._move(view))
            elif (found := self._compute(view.operation)) is not None:
                merged = merging.pair(view.operation) is not None
                self.computes.append(replace(found, merged=merged))
            merging.add(view.operation)
        busy: Counter[str] = Counter()
        for move in self.moves:
            busy[move.view.unit.value] += math.ceil(move.busy)
        shared = sum(move.moved for move in self.moves) * tiles / device.timing.device_bandwidth
        self.moving = max(shared, *busy.values(), 0)
        """Cycles in which what moves data is busy."""

    @cached_property
    def whole(self) -> float:
        """Cycles of all compute ops, one after the other on one corelet."""
        return self.one_after_another(self.computes)

    def one_after_another(self, computes: Sequence[Compute]) -> float:
        """Cycles of some ops that follow one another in the text, on one corelet."""
        merged = sum(compute.merged for compute in computes[1:])
        return sum(compute.whole for compute in computes) - merged * _start(self.device)

    @cached_property
    def cut(self) -> float:
        """Cycles of the compute ops where each is cut that gains by it; the corelets meet where one is cut and the
        next is not.
        """
        meetings = sum(a.is_cut != b.is_cut for a, b in zip(self.computes, self._rotated, strict=True))
        together = zip(self.computes, self.computes[1:], strict=False)
        merged = sum(b.merged and a.is_cut == b.is_cut for a, b in together)
        cycles = sum(compute.cut for compute in self.computes) - merged * _start(self.device)
        return cycles + meetings * corelets.meeting(self.device)

    @cached_property
    def ordered(self) -> float:
        """Cycles in which an iteration on another corelet has to wait: from the first op that touches what iterations
        hand on in LX to the last, and until the other knows.
        """
        carried = set(self._carried())
        touching = [k for k, touched in enumerate(self._computed) if carried & touched]
        if not touching:
            return 0
        chain = self.computes[touching[0] : touching[-1] + 1]
        return sum(compute.whole for compute in chain) + corelets.meeting(self.device)

    @property
    def turn(self) -> float:
        """Cycles from one iteration to the next of the compute ops where corelets take iterations in turns."""
        return max(self.whole / self.device.corelets, self.ordered)

    def slots(self, buffer: ir.Value) -> int:
        """With how many slots of ``buffer`` nobody waits for one: a slot is filled, worked on and emptied, and whoever
        is next has to know, while iterations follow one another as fast as they can.
        """
        in_turns = self.turn * 100 < self.cut * (100 - WORTH)
        pace = max(self.moving, self.turn if in_turns else self.cut, 1)
        stops: list[float] = [
            move.whole for move, touched in zip(self.moves, self._moved, strict=True) if buffer in touched
        ]
        touching = [k for k, touched in enumerate(self._computed) if buffer in touched]
        if touching:
            span = self.computes[touching[0] : touching[-1] + 1]
            stops.append(sum(compute.whole if in_turns else compute.cut for compute in span))
        return math.ceil(sum(stop + corelets.meeting(self.device) for stop in stops) / pace)

    @cached_property
    def _computed(self) -> list[frozenset[ir.Value]]:
        """The buffers that each compute op touches."""
        return [frozenset(self._roots(compute.op.operands)) for compute in self.computes]

    @cached_property
    def _moved(self) -> list[frozenset[ir.Value]]:
        """The buffers that each transfer touches."""
        return [frozenset(self._roots(move.view.operation.operands)) for move in self.moves]

    def root(self, value: ir.Value) -> ir.Value | None:
        """The buffer that an operand in LX is, or shows a part of; ``None`` where that is not known."""
        if value not in self._known_roots:
            view = view_of(value)
            self._known_roots[value] = None if view is None else view.root
        return self._known_roots[value]

    def _roots(self, operands: Iterable[ir.Value]) -> Iterator[ir.Value]:
        """The buffers that operands are, or show parts of."""
        roots = (self.root(value) for value in operands if isinstance(value.type, ir.MemRefType))
        yield from (root for root in roots if root is not None)

    @property
    def _rotated(self) -> Sequence[Compute]:
        return [*self.computes[1:], *self.computes[:1]]

    def _carried(self) -> Iterator[ir.Value]:
        """The buffers outside of the loop that its computes write."""
        for compute in self.computes:
            block = compute.op.op.block
            for root in self._roots(compute.op.outputs):
                maker = kernels.defining(root)
                if maker is not None and maker.block != block:
                    yield root

    def _compute(self, op: ir.Operation) -> Compute | None:
        seen = structured(op)
        if seen is None or UNIT not in op.attributes:
            return None
        unit = self.device.units[ir.FlatSymbolRefAttr(op.attributes[UNIT]).value]
        counts = seen.extents
        if counts is None:
            return Compute(seen, 0, 0)
        cycles = Cycles(seen, unit, self.device)
        around = _AROUND_COMPUTE * self.device.timing.scalar_cycles
        whole = cycles(counts) + around
        found = corelets.Cuts(seen, self.device).outermost(counts) if unit.level == "corelet" else None
        if found is None or corelets.saved(cycles, counts, found, self.device) <= 0:
            return Compute(seen, whole, whole)
        return Compute(seen, whole, cycles(corelets.first_piece(counts, found)) + around)

    def _move(self, view: dataflow.DataTransferOp) -> Move:
        timing = self.device.timing
        route = _route(view)
        bytes_ = transferred(view, self.device)
        whole = cost.transfer_cycles(self.device, route, bytes_)
        slowest = min(link.bandwidth for link in routes.links(self.device, route))
        engine = routes.engine(self.device, route)
        outstanding = 1 if engine is None else self.device.units[engine].max_outstanding
        busy = max(bytes_ / slowest, whole / outstanding, _AROUND_TRANSFER * timing.scalar_cycles)
        far = self.device.memory("device").kind in (route[0], route[-1])
        return Move(view, busy, whole, bytes_ if far else 0)


def transferred(view: dataflow.DataTransferOp, device: Device) -> int:
    """Bytes that move along the route of a transfer; a stride that only the run knows is taken to be a whole grain."""
    buffer = view.source if view.source is not None else view.dest
    assert buffer is not None
    memref = ir.MemRefType(buffer.type)
    element = element_bytes(memref.element_type)
    grain = cost.grain(routes.links(device, _route(view)), device.memory("device").alignment)
    strides = view.source_strides if view.source is None else view.dest_strides
    given = [grain if s == DYNAMIC else s * element for s in strides or ()]
    return cost.moved_bytes(0, memref.shape, given or dense_strides(memref.shape, element), element, grain)


def _start(device: Device) -> int:
    """Cycles that one stream less saves."""
    return device.timing.stream_startup + _AROUND_COMPUTE * device.timing.scalar_cycles


def _route(view: dataflow.DataTransferOp) -> tuple[str, ...]:
    return tuple(ir.StringAttr(kind).value for kind in view.route)
