"""The address of the slot that an iteration uses, as arithmetic on loop counters."""

from __future__ import annotations

from collections.abc import Callable

from spyrec.mlir import arith, ir
from spyrec.passes.analysis import ops
from spyrec.passes.analysis.index_values import IndexValues
from spyrec.passes.analysis.schedule import Allocation
from spyrec.passes.analysis.skeleton import Loop

Mapped = Callable[[ir.Value], ir.Value]
"""Where a value of the schedule is found in the program that is being built."""


def address(allocation: Allocation, values: IndexValues, mapped: Mapped, location: ir.Location) -> ir.Value:
    """The first byte of the allocation's slot in the current iteration, made at the current insertion point."""
    place = allocation.place
    if place.depth == 1:
        return ops.index_constant(place.address, location)
    count = _Count(values, mapped, location)
    for loop in allocation.block.loops:
        count.enter(loop)
    slot = ir.AffineExpr.get_mod(count.expression, place.depth)
    return count.apply(slot * place.slot_bytes + place.address)


class _Count:
    """The number of the current iteration of a loop nest, counted over all executions of the innermost loop.

    ``expression`` is affine in ``operands``; what is not affine becomes an operand of its own.
    """

    def __init__(self, values: IndexValues, mapped: Mapped, location: ir.Location) -> None:
        self.values = values
        self.mapped = mapped
        self.location = location
        self.operands: list[ir.Value] = []
        self.expression: ir.AffineExpr = ir.AffineExpr.get_constant(0)

    def enter(self, loop: Loop) -> None:
        """Go on counting inside ``loop``: ``count * trips + number of the iteration``."""
        low, high, step = list(loop.ref.operands)[:3]
        size = self.values.form(step)
        if self.operands:
            trips = self.values.form(high) - self.values.form(low)
            if size.is_constant and trips.is_constant:
                self.expression = self.expression * max(0, -(-trips.constant // size.constant))
            else:
                span = self._dim(high) - self._dim(low)
                self._multiply(self._quotient(span, step, up=True))
        number = self._dim(loop.body.ref.arguments[0]) - self._dim(low)
        self.expression = self.expression + self._quotient(number, step, up=False)

    def apply(self, expression: ir.AffineExpr) -> ir.Value:
        """The value of ``expression`` over the operands."""
        map_ = ir.AffineMap.get(len(self.operands), 0, [expression])
        return ops.apply(map_, self.operands, self.location)

    def _dim(self, value: ir.Value) -> ir.AffineExpr:
        form = self.values.form(value)
        if form.is_constant:
            return ir.AffineExpr.get_constant(form.constant)
        found = self.mapped(value)
        if not isinstance(found.type, ir.IndexType):
            found = ops.index_cast(found, ir.IndexType.get(), self.location)
        return self._operand(found)

    def _operand(self, value: ir.Value) -> ir.AffineExpr:
        if value not in self.operands:
            self.operands.append(value)
        return ir.AffineExpr.get_dim(self.operands.index(value))

    def _quotient(self, of: ir.AffineExpr, step: ir.Value, *, up: bool) -> ir.AffineExpr:
        size = self.values.form(step)
        if size.is_constant:
            divide = ir.AffineExpr.get_ceil_div if up else ir.AffineExpr.get_floor_div
            return of if size.constant == 1 else divide(of, size.constant)
        by = self.apply(self._dim(step))
        over = self.apply(of + self._dim(step) - 1 if up else of)
        return self._operand(arith.DivSIOp(over, by, loc=self.location).result)

    def _multiply(self, factor: ir.AffineExpr) -> None:
        product = arith.MulIOp(self.apply(self.expression), self.apply(factor), loc=self.location).result
        self.expression = self._operand(product)
