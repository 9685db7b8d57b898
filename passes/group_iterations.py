"""Loops that do little in each iteration do several at once."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from spyrec.dialects import dataflow
from spyrec.errors import UsageError
from spyrec.mlir import ir, scf
from spyrec.passes.analysis import kernels, ops, tile_costs
from spyrec.passes.analysis.axes import Axes, is_tensor_loop, is_tensor_op
from spyrec.passes.analysis.beside import Beside
from spyrec.passes.analysis.index_values import IndexValues
from spyrec.passes.analysis.iterations import Iterations
from spyrec.passes.analysis.linear import Linear
from spyrec.passes.analysis.staging import Memories, Room
from spyrec.passes.analysis.tile_costs import Costs, Estimate
from spyrec.passes.analysis.together import Together, again
from spyrec.passkit import Pass, PassContext, option

GROUPED = "dataflow.grouped"
"""The attribute of a loop that says how many iterations of the kernel one of its own is."""

_GAIN = 0.9
"""Iterations are grouped when the estimate is less than this part of what they take as they stand."""

_NEAR = 1.02
"""The smallest group is taken whose estimate is at most this many times the best one: it leaves the most of LX."""

_ENOUGH = 8
"""Groups with which little is on its way before the first one and behind the last one."""

_OVERLAPS = 1.4
_FAIR = 1.35
"""Where units that take turns are this many times slower than such that overlap, enough groups are left for it if that
is at most this many times slower than the best size.
"""

_LARGEST = 1 << 16
"""The largest group that is worth a look: what a transfer takes to start is nothing beside so many iterations, and
sizes that divide the number of iterations are searched one by one.
"""

_UNKNOWN = 64
"""Iterations that a loop is taken to have when the launch decides."""


@dataclass
class GroupIterations(Pass):
    """Do several iterations of a loop at once, where one of them is little work.

    A kernel that is written row by row loads, computes and stores 64 numbers at a time: each transfer and each stream
    pays its start-up, each unit waits for the post of the one before, and one row cannot be shared by two corelets.
    Here a loop whose iterations have nothing to do with one another is made one of groups: a tensor that differs from
    iteration to iteration gets a dimension in front, along which a read or a write goes in the step that its offset
    takes, and an op one more parallel loop. What is the same in all iterations stays as it is, and is done once.

    IR before::

        scf.for %i = %c0 to %c32 step %c1 {
          %o = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
          %a = dataflow.read @device[%o from %x] strides [1] : tensor<64xf16>
          %e = tensor.empty() : tensor<64xf16>
          %s = linalg.generic {indexing_maps = [#id, #id], ...} ins(%a : ...) outs(%e : tensor<64xf16>) {...}
          dataflow.write %s, @device[%o from %z] strides [1] : tensor<64xf16>
        }

    IR after::

        scf.for %g = %c0 to %c4 step %c1 {
          %i = affine.apply affine_map<(d0) -> (d0 * 8)>(%g)
          %o = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
          %a = dataflow.read @device[%o from %x] strides [64, 1] : tensor<8x64xf16>
          %e = tensor.empty() : tensor<8x64xf16>
          %s = linalg.generic {indexing_maps = [#id, #id], ...} ins(%a : ...) outs(%e : tensor<8x64xf16>) {...}
          dataflow.write %s, @device[%o from %z] strides [64, 1] : tensor<8x64xf16>
        } {dataflow.grouped = 8 : i64}

    Results keep their bits: each element is computed, and each row folded, as before. How many iterations are a group
    is what takes the least cycles by the formulas of the device model, with as many slots as LX has room for. Those
    that are left over are a smaller group behind the loop; where the launch decides how many there are, a loop of
    single ones.

    Inner loops come first. A loop inside that carries tensors and only reads and computes (the blocks of a long row)
    is one op of an iteration. ``size`` is the number of iterations of each group, whatever it costs.

    Leaves alone loops that carry values; with conditions, with other loops, or with exchanges inside; with offsets that
    do not grow by a constant from one iteration to the next, with sets of points and clips inside of a row that move;
    and those in which an iteration may touch what another one writes, or reads what is going to be overwritten: groups
    are never larger than the distance of such two. Refuses nothing but a negative ``size``.
    """

    anchor: ClassVar[str] = "func.func"

    optional: ClassVar[bool] = True

    size: int = option(0, "iterations of a group, for each loop the same; 0: chosen")

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        if self.size < 0:
            raise UsageError(f"pass '{self.NAME}': size must be at least 0, but is {self.size}")
        if not kernels.has_body(op):
            return
        loops = [inner for inner in kernels.steps(op) if _may_group(inner)]
        beside = Beside(op, Memories(ctx.device)) if loops else None
        for loop in reversed(loops):
            assert beside is not None
            values = IndexValues(op, implicit_tiles=ctx.device.cores)
            found = _Loop(loop, values)
            most = found.most(ctx)
            if most < 2:
                continue
            size = min(self.size, most) if self.size else _Chooser(found, beside).best(most)
            if size > 1:
                beside.remove(kernels.steps(loop))
                beside.add(found.group(size))
                ctx.statistics["loops grouped"] += 1


def _may_group(op: ir.Operation) -> bool:
    return op.name == "scf.for" and not op.results and GROUPED not in op.attributes


class _Loop:
    """A loop whose iterations may be grouped."""

    def __init__(self, loop: ir.Operation, values: IndexValues) -> None:
        self.loop = loop
        self.values = values
        self.iterations = Iterations(loop, values)
        self.trips = values.form(loop.operands[1])
        """The number of iterations, or a number below 0."""
        bounds = [values.form(operand) for operand in list(loop.operands)[:3]]
        self.counts_from_0 = bounds[0] == Linear.of(0) and bounds[2] == Linear.of(1)

    def most(self, ctx: PassContext) -> int:
        """How many iterations may be a group."""
        most = self.values.interval(self.trips).high
        if most < 2 or not self.counts_from_0 or not self.iterations.regular:
            return 0
        limit = self.iterations.most(ctx.device.limits.access_span)
        return most if limit is None else min(limit, most)

    def group(self, size: int) -> list[ir.Operation]:
        """Make it a loop of groups of ``size`` iterations, with what is left over behind it; returns what stands where
        the loop was.
        """
        where = self.loop.location
        with ir.InsertionPoint(self.loop):
            if self.trips.is_constant:
                groups, left = divmod(self.trips.constant, size)
                one = groups == 1
                made = self._straight(0, size) if one else [self._loop(ops.index_constant(groups, where), size)]
                if left:
                    made += self._straight(groups * size, left)
                self.loop.erase()
                return made
        # Computed where the number of iterations is, so that it changes no more often.
        with _behind(self.loop.operands[1]):
            d = ir.AffineExpr.get_dim(0)
            trips = self.loop.operands[1]
            if self.values.interval(self.trips).low < 0:
                trips = ops.largest(trips, ops.index_constant(0, where), where)
            count, rest = (
                ops.apply(ir.AffineMap.get(1, 0, [expression]), [trips], where)
                for expression in (ir.AffineExpr.get_floor_div(d, size), ir.AffineExpr.get_mod(d, size))
            )
        with ir.InsertionPoint(self.loop):
            made = [self._loop(count, size)]
        self._single(count, size, rest)
        return made

    def _straight(self, first: int, size: int) -> list[ir.Operation]:
        """``size`` iterations without a loop."""
        return self._together(ops.index_constant(first, self.loop.location), size)

    def _loop(self, count: ir.Value, size: int) -> ir.Operation:
        where = self.loop.location
        zero, _, one = list(self.loop.operands)
        with where:  # the argument of the body gets it
            new: ir.Operation = scf.ForOp(zero, count, one).operation
        body = new.regions[0].blocks[0]
        with ir.InsertionPoint(body):
            step = ir.AffineMap.get(1, 0, [ir.AffineExpr.get_dim(0) * size])
            self._together(ops.apply(step, [body.arguments[0]], where), size)
            scf.YieldOp([], loc=where)
        new.attributes[GROUPED] = ops.i64(size)
        return new

    def _together(self, first: ir.Value, size: int) -> list[ir.Operation]:
        if size > 1:
            return Together(self.iterations, first, size).build()
        made: dict[ir.Value, ir.Value] = {self.iterations.counter: first}
        return [again(op, made) for op in self.iterations.body]

    def _single(self, count: ir.Value, size: int, rest: ir.Value) -> None:
        """The loop goes on where groups end."""
        left = self.values.interval(self.values.remainder(self.trips, size))
        if self.values.interval(self.trips).low >= 0 and left.high == 0:
            self.loop.erase()
            return
        where = self.loop.location
        counter = self.iterations.counter
        self.loop.operands[1] = rest
        self.loop.attributes[GROUPED] = ops.i64(1)
        with ir.InsertionPoint.at_block_begin(self.loop.regions[0].blocks[0]):
            dims = [ir.AffineExpr.get_dim(k) for k in range(2)]
            shifted = ops.apply(ir.AffineMap.get(2, 0, [dims[0] * size + dims[1]]), [count, counter], where)
        maker = kernels.defining(shifted)
        assert maker is not None
        counter.replace_all_uses_except(shifted, maker)


def _behind(value: ir.Value) -> ir.InsertionPoint:
    """Right behind where ``value`` is made."""
    maker = kernels.defining(value)
    if maker is None:
        return ir.InsertionPoint.at_block_begin(ir.BlockArgument(value).owner)
    return ir.InsertionPoint.after(maker)


class _Chooser:
    """How many iterations of a loop are a group."""

    def __init__(self, loop: _Loop, beside: Beside) -> None:
        self.loop = loop
        self.beside = beside
        self.function = beside.function
        self.memories = beside.memories
        trips = loop.trips
        self.count = trips.constant if trips.is_constant else min(_UNKNOWN, loop.values.interval(trips).high)
        around = kernels.around(loop.loop, self.function)
        self.outer = max(1, math.prod(tile_costs.trips_of(op, loop.values) for op in around))

    def best(self, most: int) -> int:
        """The size of a group; 1 when iterations are best left as they are."""
        iterations = self.loop.iterations
        members = [op for op in iterations.body if _counts(op) and not self._stays(op)]
        room = self.beside.left(members)
        single = self._costs(members, Axes(members), self.count).estimate({}).within(room)
        found = self._grouped([size for size in _sizes(self.count) if size <= most], room)
        cycles = {size: estimate.within(room) for size, estimate in found.items()}
        if not self.loop.trips.is_constant:
            # Half a group is left over.
            cycles = {size: n + (size - 1) / 2 * single / self.count for size, n in cycles.items()}
        best = min(cycles.values(), default=math.inf)
        if not best < single * _GAIN:
            return 1
        fair = [
            size
            for size, n in cycles.items()
            if n <= best * _FAIR
            and self.outer * self.count >= _ENOUGH * size
            and found[size].serial >= _OVERLAPS * found[size].cycles
        ]
        if fair:
            return min(fair, key=cycles.__getitem__)
        near = [size for size, n in cycles.items() if n <= best * _NEAR]
        return min(near, key=lambda size: (self.count % size != 0, size))

    def _grouped(self, sizes: list[int], room: Room) -> dict[int, Estimate]:
        """Estimates for groups of ``sizes``, in ascending order, as far as there is room: what all iterations would be
        at once, in tiles.
        """
        iterations = self.loop.iterations
        where = self.loop.loop.location
        with ir.InsertionPoint(self.loop.loop):
            first = ops.index_constant(0, where)
            with where:  # a place for all that is made, to go with it
                scratch: ir.Operation = scf.ForOp(first, first, first).operation
        with ir.InsertionPoint(scratch.regions[0].blocks[0]):
            together = Together(iterations, first, self.count)
            made = together.build()
        same = {kernels.defining(together.made[op.results[0]]) for op in iterations.body if self._stays(op)}
        members = [op for op in made if _counts(op) and op not in same]
        axes = Axes(members, together.moved)
        costs = self._costs(members, axes, 1)
        axis = axes.dims(together.moved[0])[0]
        found: dict[int, Estimate] = {}
        for size in sizes:
            found[size] = costs.estimate({axis: size})
            if math.isinf(found[size].within(room)):
                break  # nor is there for larger ones
        scratch.erase()
        start = kernels.defining(first)
        assert start is not None
        start.erase()
        return found

    def _costs(self, members: list[ir.Operation], axes: Axes, trips: int) -> Costs:
        values = IndexValues(self.function, implicit_tiles=self.memories.device.cores)
        return Costs(members, axes, self.memories, kernels.tiles(self.function), self.outer * trips, values)

    def _stays(self, op: ir.Operation) -> bool:
        """Whether ``op`` reads what is the same in all iterations: hoist-reads takes it out."""
        return isinstance(op.opview, dataflow.ReadOp) and not self.loop.iterations.changes(op)


def _counts(op: ir.Operation) -> bool:
    return is_tensor_op(op) or is_tensor_loop(op)


def _sizes(count: int) -> Iterator[int]:
    """Sizes of groups that are worth a look: powers of two, and what is near to one and leaves less over."""
    found = {1 << bits for bits in range(1, min(count, _LARGEST).bit_length())}
    if count <= _LARGEST:
        found.add(count)
    smaller = [n for n in range(1, min(math.isqrt(count), _LARGEST) + 1) if count % n == 0]
    divisors = [*smaller, *(count // n for n in reversed(smaller))]
    for size in list(found):
        found.add(-(-count // -(-count // size)))
        found.add(divisors[bisect_right(divisors, size) - 1])
    return iter(sorted(size for size in found if 1 < size <= count))
