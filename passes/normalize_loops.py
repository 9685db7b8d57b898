"""Loops that count 0, 1, 2, ... in ``index``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from spyrec.mlir import ir
from spyrec.passes.analysis import kernels, ops
from spyrec.passes.analysis.index_values import IndexValues
from spyrec.passes.analysis.linear import Interval, Linear
from spyrec.passkit import Pass, PassContext


@dataclass
class NormalizeLoops(Pass):
    """Give every ``scf.for`` the lower bound 0, the step 1 and a counter of type ``index``.

    A hardware loop counts up from 0. And the number of iterations of ``for %i = %t * 3 to %t * 3 + 3`` is 3 on every
    tile, which is seen only once the lower bound has been taken off: bounds of tiles, slots of buffers and trip counts
    are read off the counter.

    IR before::

        scf.for %i = %first to %last step %c4 : i32 {
          use(%i)
        }

    IR after (``%last - %first`` is known to be 16)::

        scf.for %k = %c0 to %c4 step %c1 {
          %j = affine.apply affine_map<(d0)[s0] -> (d0 * 4 + s0)>(%k)[%first]
          %i = arith.index_cast %j : index to i32
          use(%i)
        }

    A step that only the run knows divides the span of the loop; one that is not positive is an error of the run, as it
    is where the kernel is executed as written: the span is divided by 0. What is known of the bounds is then said of
    the counter (``maxsi(minsi(%j, %last - 1), %first)``), which no longer tells by itself. Leaves alone a loop whose
    step is a constant below 1. Refuses nothing.
    """

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        if not kernels.has_body(op):
            return
        values = IndexValues(op, implicit_tiles=ctx.device.cores)
        # Outer loops come first, so that no form is asked for whose loop is still to be changed.
        for inner in kernels.walk(op):
            if inner.name == "scf.for" and _normalize(inner, values):
                ctx.statistics["loops normalised"] += 1


def _normalize(loop: ir.Operation, values: IndexValues) -> bool:
    counter = loop.regions[0].blocks[0].arguments[0]
    low, high, step = (values.form(operand) for operand in list(loop.operands)[:3])
    index = ir.IndexType.get()
    if step.is_constant and step.constant < 1:
        return False
    if low == Linear.of(0) and step == Linear.of(1) and counter.type == index:
        return False
    where = loop.location
    with ir.InsertionPoint(loop):
        if step.is_constant:
            trips = values.materialize(values.quotient((high - low).plus(step.constant - 1), step.constant), where)
        else:
            pace = values.materialize(step, where)
            trips = ops.divide_up(
                values.materialize(high - low, where), ops.largest(pace, ops.index_constant(0, where), where), where
            )
        loop.operands[0] = ops.index_constant(0, where)
        loop.operands[1] = trips
        loop.operands[2] = ops.index_constant(1, where)
    type_ = counter.type
    uses = list(counter.uses)
    counter.set_type(index)
    if not uses:
        return True
    with ir.InsertionPoint.at_block_begin(loop.regions[0].blocks[0]):
        if step.is_constant:
            old = values.materialize(low + values.form(counter).scaled(step.constant), where)
        else:
            old = ops.add(values.materialize(low, where), ops.multiply(counter, pace, where), where)
            if _is_bounded(low, values) and _is_bounded(high, values):
                old = _bounded(old, low, high, values, where)
        if type_ != index:
            old = ops.index_cast(old, type_, where)
    for use in uses:
        use.owner.operation.operands[use.operand_number] = old
    return True


def _is_bounded(form: Linear, values: IndexValues) -> bool:
    """Whether more is known of a bound than that it is a number."""
    return values.interval(form) != Interval.signed(64)


def _bounded(counter: ir.Value, low: Linear, high: Linear, values: IndexValues, where: ir.Location) -> ir.Value:
    """``counter``, which is inside of its loop's bounds anyway, such that this is seen without knowing the step."""
    last = values.materialize(high.plus(-1), where)
    return ops.largest(ops.smallest(counter, last, where), values.materialize(low, where), where)
