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
from spyrec.passes.analysis import buffers, kernels, tile_costs
from spyrec.passes.analysis.axes import Axis
from spyrec.passes.analysis.beside import Beside
from spyrec.passes.analysis.index_values import IndexValues
from spyrec.passes.analysis.staging import Memories, fits
from spyrec.passes.analysis.tensor_boxes import accesses_of
from spyrec.passes.analysis.tile_costs import Costs
from spyrec.passes.analysis.tiling import TILES, Group, Plan, groups_of
from spyrec.passkit import Pass, PassContext, option

_GAIN = 0.95
"""A group that fits is cut when the estimate is less than this part of what it takes as it stands."""

_NEAR = 0.99
"""A larger tile is taken when its estimate is less than this part of a smaller one's, which leaves more of LX."""

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
    all extents for which the buffers, with two slots each, fit into LX and into the stages on the way to it, the one
    with the least cycles by the formulas of the device model is taken. Dimensions that nothing folds come first, for
    then no sum is rounded on the way.

    IR before::

        %s = linalg.generic {...} ins(%a : tensor<4096x1024xf32>) outs(%e : tensor<4096x1024xf32>) {...}

    IR after::

        %s = linalg.generic {dataflow.tiles = [array<i64: 0, 16>], ...} ins(%a : ...) outs(%e : ...) {...}

    A loop that carries tensors and only reads and computes is an op of its group: where that does not fit, it is done
    once per tile of what it carries (rows of attention, blocks of a product), and not cut inside.

    tile-and-fuse makes the loop. With ``when=fit`` only what is too large is cut; ``size`` is the extent of
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
        marks: list[tuple[ir.Operation, ir.Attribute]] = []
        cut: set[ir.Operation] = set()
        beside = Beside(op, Memories(ctx.device))
        for outer in [op, *_loops(op)]:
            if any(loop in cut or TILES in loop.attributes for loop in (outer, *kernels.around(outer, op))):
                continue  # its ops are cut with it
            # What is around a loop is cut with the loop, or else on its own.
            for group in _groups(outer, values):
                members = group.operations
                if any(map(_is_marked, members)) or not cut.isdisjoint(members):
                    continue
                chooser = _Chooser(self, op, group, ctx, beside)
                if (mark := chooser.mark()) is not None:
                    marks.append((chooser.root, mark))
                    cut.update(members)
                    beside.remove(inner for member in members for inner in (member, *kernels.steps(member)))
        for root, mark in marks:
            root.attributes[TILES] = mark
            ctx.statistics["groups to be cut"] += 1


def _loops(function: ir.Operation) -> Iterator[ir.Operation]:
    return (op for op in kernels.steps(function) if op.name.startswith("scf."))


def _groups(outer: ir.Operation, values: IndexValues) -> Iterator[Group]:
    """The groups right inside of ``outer`` that touch memory."""
    for block in (block for region in outer.regions for block in region.blocks):
        yield from (group for group in groups_of(block, values) if any(map(accesses_of, group.operations)))


def _is_marked(op: ir.Operation) -> bool:
    """Whether ``op`` has a mark, or one in it."""
    return any(TILES in inner.attributes for inner in (op, *kernels.steps(op)))


@dataclass(frozen=True)
class _Cut:
    """A way to cut some axes, whatever the extents. ``whole``: bytes of whole tensors that are put together from tiles,
    and copied: only where nothing else fits. ``again``: how many loops over the same tiles an op is in.
    """

    whole: int
    again: Counter[ir.Operation]

    @staticmethod
    def of(plans: Sequence[Plan]) -> _Cut:
        whole = sum(buffers.size_of_value(value) for phase in plans[0].phases for value in phase.escaping)
        return _Cut(whole, Counter(op for phase in plans[-1].phases for op in phase.body))


class _Chooser:
    """The choice for one group."""

    def __init__(
        self,
        options: ChooseTileSizes,
        function: ir.Operation,
        group: Group,
        ctx: PassContext,
        beside: Beside,
    ) -> None:
        self.options = options
        self.function = function
        self.group = group
        self.trips = self._trips()
        members, axes = group.operations, group.axes
        self.costs = Costs(members, axes, beside.memories, kernels.tiles(function), self.trips, group.values)
        self.room = beside.left(members)
        # What runs over most points is where all axes are that matter; of equals the last linalg op. A loop says where
        # it is cut itself.
        points = {op: math.prod(axis.extent for axis in axes.space(op)) for op in members}
        self._known: dict[tuple[Axis, ...], _Cut | None] = {}
        self.root = max(reversed(group.loops or members), key=lambda op: (points[op], op.name == "linalg.generic"))

    def mark(self) -> ir.Attribute | None:
        """The mark for the root of the group; ``None`` when the group stays as it is."""
        choice = self._fixed() if self.options.size else self._best()
        if not choice:
            return None
        space = self.group.axes.space(self.root)
        pairs = [ir.DenseI64ArrayAttr.get([space.index(axis), size]) for axis, size in choice]
        return ir.ArrayAttr.get(pairs)

    def _fixed(self) -> Choice:
        for axis in self._axes():
            if self.options.size < axis.extent and self._cut((axis,)) is not None:
                return ((axis, self.options.size),)
        return ()

    def _best(self) -> Choice:
        """The best choice; nothing when the group is best left as it is."""
        single, slots = self.costs.uncut()
        fits_whole = fits(single, self.room)
        # A loop over tensors overlaps in itself.
        overlaps = bool(self.group.loops) or (self.trips >= _ENOUGH and fits(slots, self.room))
        if fits_whole and (self.options.when == "fit" or overlaps):
            return ()
        parallel = [axis for axis in self._axes() if not axis.reduced_by]
        folded = [axis for axis in self._axes() if axis.reduced_by]
        candidates = [((axis, size),) for axis in parallel for size in _sizes(axis)]
        limit = self.costs.estimate({}).within(self.room) * _GAIN
        if (found := self._cheapest(candidates, limit)) or fits_whole:
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
            cut = self._cut(tuple(axis for axis, _ in choice))
            if cut is None or (cut.whole and limit < math.inf):
                continue
            room = self.room[0] - cut.whole, *self.room[1:]
            cycles = self.costs.estimate(dict(choice), cut.again).within(room)
            if cycles < best * (_NEAR if found else 1):
                best, found = cycles, choice
        return found

    def _cut(self, axes: tuple[Axis, ...]) -> _Cut | None:
        """How each axis is cut, one inside the other; ``None`` when that is not right. A tile touches less than the
        whole, so what is right for the whole is right inside the other's loop.
        """
        if axes not in self._known:
            plans = [self.group.plan(axis, axes[position + 1 :]) for position, axis in enumerate(axes)]
            right = [plan for plan in plans if plan is not None]
            self._known[axes] = _Cut.of(right) if len(right) == len(plans) else None
        return self._known[axes]

    def _axes(self) -> list[Axis]:
        return [axis for axis in self.group.axes.space(self.root) if not axis.whole and axis.extent > 1]

    def _trips(self) -> int:
        """How often the loops around the group run it."""
        around = kernels.around(self.group.operations[0], self.function)
        return max(1, math.prod(tile_costs.trips_of(op, self.group.values) for op in around))


def _sizes(axis: Axis) -> list[int]:
    """Extents of tiles that are worth a look: powers of two, and those that leave no small rest; smallest first."""
    found = set(_powers(axis))
    found |= {-(-axis.extent // -(-axis.extent // size)) for size in found}
    return sorted(size for size in found if size < axis.extent)


def _powers(axis: Axis) -> list[int]:
    return [1 << bits for bits in range((axis.extent - 1).bit_length())]
