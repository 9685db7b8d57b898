"""Which dimension of a group of ops becomes a loop, and how much of it is done at a time."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from spyrec.errors import UsageError
from spyrec.mlir import ir
from spyrec.passes.analysis import kernels, tile_costs
from spyrec.passes.analysis.axes import Axis, segments
from spyrec.passes.analysis.index_values import IndexValues
from spyrec.passes.analysis.tile_costs import Costs
from spyrec.passes.analysis.tiling import TILES, Plan, Segment, is_access
from spyrec.passkit import Pass, PassContext, option

_GAIN = 0.95
"""A group that fits is cut when the estimate is less than this part of what it takes as it stands."""

_MANY = 1 << 10
"""Iterations that a loop is taken to have when the launch decides."""

_ENOUGH = 4
"""Iterations of the loops around a group with which its units overlap as they are."""

Choice = tuple[tuple[Axis, int], ...]
"""Axes with the extents of their tiles, outermost loop first."""


@dataclass
class ChooseTileSizes(Pass):
    """Mark what is to be done in tiles: so that it fits into LX, and so that transfers overlap with compute.

    A group is what hangs together through tensors: reads, the ops on what they give, writes. As it stands it loads
    everything, computes everything, stores everything, one after the other. In tiles the units work on different ones
    at the same time; but each costs start-up, and a group in a loop overlaps already. The device's numbers decide: of
    all extents for which the buffers, with two slots each, fit into LX, the one with the least cycles by the formulas
    of the device model is taken. Dimensions that nothing folds come first, for then no sum is rounded on the way.

    IR before::

        %s = linalg.generic {...} ins(%a : tensor<4096x1024xf32>) outs(%e : tensor<4096x1024xf32>) {...}

    IR after::

        %s = linalg.generic {dataflow.tiles = [array<i64: 0, 16>], ...} ins(%a : ...) outs(%e : ...) {...}

    tile-and-fuse makes the loop. With ``when=fit`` only what is too large for LX is cut; ``size`` is the extent of
    every tile, whatever it costs. Leaves alone a group with a mark, and one that cannot be cut or for which nothing
    fits: address assignment says then what is too large. Refuses nothing but a negative ``size``.
    """

    anchor: ClassVar[str] = "func.func"

    optional: ClassVar[bool] = True

    when: Literal["auto", "fit", "never"] = option("auto", "what is cut: what gains by it, what must be, nothing")
    size: int = option(0, "extent of a tile, for each group the same; 0: chosen")

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        if self.size < 0:
            raise UsageError(f"pass '{self.NAME}': size must be at least 0, but is {self.size}")
        if self.when == "never" or not kernels.has_body(op):
            return
        values = IndexValues(op, implicit_tiles=ctx.device.cores)
        blocks = [block for inner in [op, *_loops(op)] for region in inner.regions for block in region.blocks]
        # Marks come last: the hash of an operation, by which analyses remember it, changes with its attributes.
        marks: list[tuple[ir.Operation, ir.Attribute]] = []
        cut: set[ir.Operation] = set()
        for block in blocks:
            for operations in segments(block):
                segment = Segment(operations, values)
                for group in _groups(segment):
                    if any(TILES in member.attributes for member in group):
                        continue
                    chooser = _Chooser(self, op, segment, group, ctx, cut)
                    if (mark := chooser.mark()) is not None:
                        marks.append((chooser.root, mark))
                        cut.update(group)
        for root, mark in marks:
            root.attributes[TILES] = mark
            ctx.statistics["groups to be cut"] += 1


def _loops(function: ir.Operation) -> Iterator[ir.Operation]:
    return (op for op in kernels.walk(function) if op.name.startswith("scf."))


def _groups(segment: Segment) -> list[list[ir.Operation]]:
    """The ops of a segment that hang together through tensors, those groups that touch memory."""
    group_of: dict[ir.Operation, list[ir.Operation]] = {}
    for op in segment.operations:
        joined = [op]
        for other in {id(group_of[maker]): group_of[maker] for maker in segment.producers(op)}.values():
            joined += other
        for member in joined:
            group_of[member] = joined
    groups = {id(group): group for group in group_of.values()}
    order = {op: position for position, op in enumerate(segment.operations)}
    return [sorted(group, key=lambda op: order[op]) for group in groups.values() if any(map(is_access, group))]


class _Chooser:
    """The choice for one group."""

    def __init__(
        self,
        options: ChooseTileSizes,
        function: ir.Operation,
        segment: Segment,
        group: Sequence[ir.Operation],
        ctx: PassContext,
        cut: set[ir.Operation],
    ) -> None:
        self.options = options
        self.function = function
        self.segment = segment
        self.group = group
        # What is in groups that are cut has gone when this group's loop begins.
        self.elsewhere = {*group, *cut}
        device = ctx.device
        self.trips = self._trips()
        self.costs = Costs(group, segment.axes, device, kernels.tiles(function), self.trips)
        lx = device.memory("lx")
        self.room = lx.size - self._taken(lx.alignment)
        # What runs over most points is where all axes are that matter; of equals the last linalg op.
        points = {op: math.prod(axis.extent for axis in segment.axes.space(op)) for op in group}
        self._known: dict[tuple[Axis, ...], list[Plan] | None] = {}
        self.root = max(reversed(group), key=lambda op: (points[op], op.name == "linalg.generic"))

    def mark(self) -> ir.Attribute | None:
        """The mark for the root of the group; ``None`` when the group stays as it is."""
        choice = self._fixed() if self.options.size else self._best()
        if not choice:
            return None
        space = self.segment.axes.space(self.root)
        pairs = [ir.DenseI64ArrayAttr.get([space.index(axis), size]) for axis, size in choice]
        return ir.ArrayAttr.get(pairs)

    def _fixed(self) -> Choice:
        for axis in self._axes():
            if self.options.size < axis.extent and self._plans((axis,)) is not None:
                return ((axis, self.options.size),)
        return ()

    def _best(self) -> Choice:
        """The best choice; nothing when the group is best left as it is."""
        whole = self.costs.estimate({})
        fits = whole.single <= self.room
        overlaps = self.trips >= _ENOUGH and whole.slots <= self.room
        if fits and (self.options.when == "fit" or overlaps):
            return ()
        parallel = [axis for axis in self._axes() if not axis.reduced_by]
        folded = [axis for axis in self._axes() if axis.reduced_by]
        candidates = [((axis, size),) for axis in parallel for size in _sizes(axis)]
        limit = whole.within(self.room) * _GAIN
        if (found := self._cheapest(candidates, limit)) or fits:
            return found
        # No single axis makes it fit; where sums are carried is the last resort.
        pairs: list[Choice] = [
            ((a, m), (b, n)) for a, b in itertools.permutations(parallel, 2) for m in _powers(a) for n in _powers(b)
        ]
        if found := self._cheapest(pairs, math.inf):
            return found
        ends = [((axis, size),) for axis in folded for size in _powers(axis)]
        if found := self._cheapest(ends, math.inf):
            return found
        starts = [((axis, size),) for axis in parallel for size in _powers(axis)]
        return self._cheapest([a + b for a in [*starts, *pairs] for b in ends], math.inf)

    def _cheapest(self, candidates: Sequence[Choice], limit: float) -> Choice:
        """The choice with the least cycles, less than ``limit``, that fits."""
        best: float = limit
        found: Choice = ()
        for choice in candidates:
            plans = self._plans(tuple(axis for axis, _ in choice))
            if plans is None:
                continue
            # Whole tensors that are put together from tiles, and copied: only where nothing else fits.
            whole = sum(tile_costs.bytes_of(value, 1) for phase in plans[0].phases for value in phase.escaping)
            if whole and limit < math.inf:
                continue
            again = Counter(op for phase in plans[-1].phases for op in phase.body)
            cycles = self.costs.estimate(dict(choice), again).within(self.room - whole)
            if cycles < best:
                best, found = cycles, choice
        return found

    def _plans(self, axes: tuple[Axis, ...]) -> list[Plan] | None:
        """How each axis is cut, one inside the other; ``None`` when that is not right. A tile touches less than the
        whole, so what is right for the whole is right inside the other's loop.
        """
        if axes not in self._known:
            plans = [self.segment.plan(axis, axes[position + 1 :]) for position, axis in enumerate(axes)]
            right = [plan for plan in plans if plan is not None]
            self._known[axes] = right if len(right) == len(plans) else None
        return self._known[axes]

    def _axes(self) -> list[Axis]:
        return [axis for axis in self.segment.axes.space(self.root) if not axis.whole and axis.extent > 1]

    def _trips(self) -> int:
        """How often the loops around the group run it."""
        total = 1
        for op in kernels.around(self.group[0], self.function):
            if op.name == "scf.for":
                values = self.segment.values
                low, high = (values.form(operand) for operand in list(op.operands)[:2])
                trips = high - low
                total *= max(0, trips.constant) if trips.is_constant else min(_MANY, values.interval(trips).high)
            elif op.name == "scf.while":
                total *= _MANY
        return max(1, total)

    def _taken(self, alignment: int) -> int:
        """Bytes of LX that others need while the group is at work."""
        first = self.group[0]
        around = list(kernels.around(first, self.function))
        taken = 0
        for op in kernels.walk(self.function):
            if op in self.elsewhere or op.name == "tensor.empty" or not op.results:
                continue
            above = kernels.parent(op)
            bytes_ = sum(tile_costs.bytes_of(result, alignment) for result in op.results)
            if above in around:
                # A buffer in a loop is alive as long as the loop is.
                taken += tile_costs.SLOTS * bytes_
            elif above == self.function and self._is_across(op, around[-1] if around else first):
                taken += bytes_
        return taken

    def _is_across(self, op: ir.Operation, at: ir.Operation) -> bool:
        """Whether a result of ``op``, of the function's own block, is used at ``at`` or behind it."""
        if op == at or not op.is_before_in_block(at):
            return False
        for result in op.results:
            for use in result.uses:
                user = use.owner.operation
                outermost = next((o for o in [*kernels.around(user, self.function)][-1:]), user)
                if outermost == at or at.is_before_in_block(outermost):
                    return True
        return False


def _sizes(axis: Axis) -> list[int]:
    """Extents of tiles that are worth a look: powers of two, and those that leave no small rest; largest first."""
    found = set(_powers(axis))
    found |= {-(-axis.extent // -(-axis.extent // size)) for size in found}
    return sorted((size for size in found if size < axis.extent), reverse=True)


def _powers(axis: Axis) -> list[int]:
    return [1 << bits for bits in range((axis.extent - 1).bit_length() - 1, -1, -1)]
