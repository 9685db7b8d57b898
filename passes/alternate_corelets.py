"""Corelets take the iterations of a loop in turns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from spyrec.device.model import Device
from spyrec.dialects import dataflow
from spyrec.mlir import arith, ir, scf
from spyrec.passes.analysis import buffers, corelets, kernels, ops, room
from spyrec.passes.analysis.index_values import IndexValues
from spyrec.passes.analysis.loop_costs import WORTH, Iteration, loop_costs
from spyrec.passes.analysis.slices import CORELET, UNIT
from spyrec.passes.analysis.tile_costs import MANY
from spyrec.passkit import UNCHANGED, Kept, Pass, PassContext, option


@dataclass
class AlternateCorelets(Pass):
    """Give the first iteration of a loop to the first corelet, the second to the second, and so on in turns.

    A row that is folded cannot be cut, so with every op cut by itself one corelet waits for the other again and again.
    With several instances of the buffers alive, each corelet can do whole iterations instead, and they never meet. The
    body is there once for each corelet, in the order of the iterations; the slots of a buffer are shared out among its
    copies. So without slots (``choose-buffer-depth``) there is nothing to take turns with.

    IR before::

        scf.for %i = %c0 to %c9 step %c1 {
          %x = dataflow.alloc {depth = 2 : i64, name = "x"} : ...
          dataflow.data_transfer from @device[%i ...] to %x {...} : ...
          linalg.generic {...} ins(%x : ...) outs(...) attrs = {dataflow.unit = @sfu} {...}
        }

    IR after, and the last iteration once more behind it::

        scf.for %k = %c0 to %c4 step %c1 {
          %i = affine.apply affine_map<(d0) -> (d0 * 2)>(%k)
          %x = dataflow.alloc {depth = 1 : i64, name = "x"} : ...
          dataflow.data_transfer from @device[%i ...] to %x {...} : ...
          linalg.generic {...} ins(%x : ...) outs(...) attrs = {dataflow.corelet = 0 : i64, dataflow.unit = @sfu} {...}
          %j = affine.apply affine_map<(d0) -> (d0 * 2 + 1)>(%k)
          %y = dataflow.alloc {depth = 1 : i64, name = "x_1"} : ...
          dataflow.data_transfer from @device[%j ...] to %y {...} : ...
          linalg.generic {...} ins(%y : ...) outs(...) attrs = {dataflow.corelet = 1 : i64, dataflow.unit = @sfu} {...}
        }

    Where only the run knows how many iterations there are, what is left over is done under a condition. Turns are taken
    where each copy of the body saves ``gain`` percent of the cycles that the loop takes with its ops cut; what
    iterations hand on to one another in LX counts as done in order. Leaves alone loops whose buffers have one slot, in
    which cores exchange something, with other loops or branches in them, with ops that name a corelet, with a step that
    only the run knows, with fewer iterations than corelets, and for whose last iterations LX has no room; and all of
    them where the device has one corelet. Refuses nothing."""

    anchor: ClassVar[str] = "func.func"
    optional: ClassVar[bool] = True

    gain: int = option(WORTH, "percent of the cycles of a loop that each further copy of its body has to save")

    def run(self, op: ir.Operation, ctx: PassContext) -> Kept:
        if ctx.device.corelets < 2 or not kernels.has_body(op):
            return UNCHANGED
        values, iterations = IndexValues(op, implicit_tiles=ctx.device.cores), loop_costs(op, ctx)
        names = _Names(op)
        # All is asked before anything changes: values know the ops that there were.
        found = [
            (_Turns(inner, ctx.device.corelets, values, names), costs)
            for inner in kernels.steps(op)
            if inner.name == "scf.for" and _can(inner, ctx.device)
            if (costs := iterations.of(inner)) is not None
        ]
        made = 0
        left = room.room(op, ctx.device)
        for turns, costs in found:
            if turns.trips is not None and turns.trips < turns.count:
                continue
            growth = turns.growth(ctx.device)
            fits = all(bytes_ <= max(0, left[space]) for space, bytes_ in growth.items())
            if fits and self._gains(turns, costs):
                turns.make()
                left.subtract(growth)
                made += 1
        if not made:
            return UNCHANGED
        ctx.statistics["loops done in turns"] += made
        return None

    def _gains(self, turns: _Turns, costs: Iteration) -> bool:
        count = turns.count
        rounds, rest = divmod(MANY if turns.trips is None else turns.trips, count)
        as_it_is = max(costs.cut, costs.moving)
        before = (rounds * count + rest) * as_it_is
        after = rounds * count * max(costs.turn, costs.moving) + rest * as_it_is
        return after * 100 < before * (100 - self.gain * turns.copies)


class _Names:
    """Names of the buffers of a function; those of copies are new."""

    def __init__(self, function: ir.Operation) -> None:
        self._count = Counter(b.name_.value for b in buffers.allocations(function) if b.name_ is not None)
        self._taken = dict.fromkeys(self._count, 0)

    def free(self, block: ir.Block) -> None:
        """``block`` goes: what only its buffers are called may be used again."""
        views = [view for view in block.operations if isinstance(view, dataflow.AllocOp)]
        names = [view.name_.value for view in views if view.name_ is not None]
        self._count.subtract(names)
        for name in names:
            if not self._count[name]:
                self._taken.pop(name, None)

    def unique(self, name: str) -> str:
        """A new name, ``name`` if it is free."""
        return buffers.unique(name, self._taken)


def _can(loop: ir.Operation, device: Device) -> bool:
    """Whether the iterations of a loop can be given to different corelets."""
    body = loop.regions[0].blocks[0]
    if not isinstance(body.arguments[0].type, ir.IndexType) or _step(loop) is None:
        return False
    computes = any(UNIT in view.operation.attributes for view in body.operations)
    rotates = any(isinstance(view, dataflow.AllocOp) and room.depth(view) > 1 for view in body.operations)
    return computes and rotates and corelets.are_free(body, device)


def _step(loop: ir.Operation) -> int | None:
    """The step of a loop where it is a constant above 0."""
    maker = kernels.defining(loop.operands[2])
    if maker is None or maker.name != "arith.constant":
        return None
    step = int(ir.IntegerAttr(maker.attributes["value"]).value)
    return step if step > 0 else None


class _Turns:
    """One loop, its iterations in turns of ``count``."""

    def __init__(self, loop: ir.Operation, count: int, values: IndexValues, names: _Names) -> None:
        self.loop = loop
        self.count = count
        self.body = loop.regions[0].blocks[0]
        self.location = kernels.unnamed(loop.location)
        self.low, self.high, _, *self.inits = loop.operands
        self.step = _step(loop) or 1
        span = values.interval(values.form(self.high) - values.form(self.low))
        self.may_be_negative = span.low < 0
        self.trips = max(0, -(-span.low // self.step)) if span.low == span.high else None
        """How many iterations there are, if that is the same in every launch."""
        self.names = names

    @property
    def rest(self) -> int:
        """How many iterations may be left over, each of which needs a copy of the body."""
        return self.count - 1 if self.trips is None else self.trips % self.count

    @property
    def copies(self) -> int:
        """How often the body is there once more."""
        return self.count - 1 + self.rest

    def growth(self, device: Device) -> Counter[str]:
        """Bytes of each memory that turns take beyond what the loop has."""
        found: Counter[str] = Counter()
        for view in self.body.operations:
            if isinstance(view, dataflow.AllocOp):
                more = self._shared(view) * self.count + self.rest - room.depth(view)
                found[buffers.memory_of(view.result)] += room.slot(view, device) * more
        return found

    def _shared(self, buffer: dataflow.AllocOp) -> int:
        """The slots of a buffer that each corelet gets."""
        return max(1, room.depth(buffer) // self.count)

    def make(self) -> None:
        """Put the turns in the place of the loop."""
        self.names.free(self.body)
        with ir.InsertionPoint(self.loop):
            rounds = self._rounds()
            if self.trips is not None and self.trips // self.count == 1:
                # No loop: what lives in one lives during all of it, and could share no bytes.
                values = self._round(ops.index_constant(0, self.location), self.inits)
            else:
                values = self._loop(rounds)
            for number in range(self.rest):
                values = self._left_over(rounds, number, values)
            for result, value in zip(self.loop.results, values, strict=True):
                result.replace_all_uses_with(value)
        self.loop.erase()

    def _loop(self, rounds: ir.Value) -> list[ir.Value]:
        """All rounds; gives what the last one hands on."""
        zero, one = (ops.index_constant(value, self.location) for value in (0, 1))
        with self.location:  # of the counter, for which the builder asks
            made = scf.ForOp(zero, rounds, one, self.inits, loc=self.loop.location)
        for new, old in zip(list(made.body.arguments)[1:], list(self.body.arguments)[1:], strict=True):
            ir.BlockArgument(new).set_location(old.location)
        with ir.InsertionPoint(made.body):
            counter, *values = made.body.arguments
            scf.YieldOp(self._round(counter, values), loc=self.location)
        return list(made.results)

    def _round(self, round_: ir.Value, values: Sequence[ir.Value]) -> list[ir.Value]:
        """An iteration for each corelet."""
        handed = list(values)
        for corelet in range(self.count):
            handed = self._copy(self._counter(round_, corelet), handed, corelet)
        return handed

    def _rounds(self) -> ir.Value:
        """How often all corelets have their turn."""
        if self.trips is not None:
            return ops.index_constant(self.trips // self.count, self.location)
        low, high = (ir.AffineExpr.get_dim(k) for k in (0, 1))
        trips = ir.AffineExpr.get_ceil_div(high - low, self.step)
        map_ = ir.AffineMap.get(2, 0, [ir.AffineExpr.get_floor_div(trips, self.count)])
        with ir.InsertionPoint(self._outermost()):
            rounds = ops.apply(map_, [self.low, self.high], self.location)
            if not self.may_be_negative:
                return rounds
            return ops.largest(rounds, ops.index_constant(0, self.location), self.location)

    def _outermost(self) -> ir.Operation:
        """The loop, or the outermost op around it in which its bounds do not change: buffers in loops have slots only
        where the number of iterations is computed outside.
        """
        found = self.loop
        for op in kernels.around(self.loop, kernels.function_of(self.loop)):
            if kernels.is_inside(self.low, op) or kernels.is_inside(self.high, op):
                break
            found = op
        return found

    def _counter(self, round_: ir.Value, number: int) -> ir.Value:
        """What the loop counted to when ``round_`` rounds and ``number`` iterations had been done."""
        done, low = ir.AffineExpr.get_dim(0), ir.AffineExpr.get_dim(1)
        map_ = ir.AffineMap.get(2, 0, [low + done * (self.count * self.step) + number * self.step])
        return ops.apply(map_, [round_, self.low], self.body.arguments[0].location)

    def _left_over(self, rounds: ir.Value, number: int, values: list[ir.Value]) -> list[ir.Value]:
        """Iteration ``number`` after all rounds, if there is one."""
        counter = self._counter(rounds, number)
        if self.trips is not None:
            return self._copy(counter, values, None)
        there = ops.compare(arith.CmpIPredicate.slt, counter, self.high, self.location)
        with self.location:
            branch = scf.IfOp(there, [value.type for value in values], has_else=bool(values))
        with ir.InsertionPoint(branch.then_block):
            scf.YieldOp(self._copy(counter, values, None), loc=self.location)
        if values:
            with ir.InsertionPoint(branch.else_block):
                scf.YieldOp(values, loc=self.location)
        return list(branch.results)

    def _copy(self, counter: ir.Value, values: list[ir.Value], corelet: int | None) -> list[ir.Value]:
        """The body once more, for one corelet or for all; gives what it hands on."""
        made, handed = ops.cloned(self.body, [counter, *values])
        for op in made:
            view = op.opview
            if isinstance(view, dataflow.AllocOp):
                if view.name_ is not None:
                    op.attributes["name"] = ir.StringAttr.get(self.names.unique(view.name_.value))
                op.attributes["depth"] = ops.i64(1 if corelet is None else self._shared(view))
            elif UNIT in op.attributes and corelet is not None:
                op.attributes[CORELET] = ops.i64(corelet)
        return handed
