"""What the iterations of a loop have to do with one another: what differs, and how many can be done at once.

Iterations that are done at once do each op for all of them before the next op. That is right when nothing that one of
them touches in memory, by an op that now comes earlier, is what another one of them was to touch before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property

from spyrec.dialects import dataflow
from spyrec.mlir import ir
from spyrec.ods.checks import DYNAMIC
from spyrec.passes.analysis import generics, kernels, support
from spyrec.passes.analysis.axes import is_tensor_loop, is_tensor_op
from spyrec.passes.analysis.index_values import IndexValues
from spyrec.passes.analysis.linear import Leaf, Linear
from spyrec.passes.analysis.mixed import mixed
from spyrec.passes.analysis.overlap import first_distance
from spyrec.passes.analysis.tensor_boxes import (
    AccessBox,
    access_box,
    always_meets,
    box_terms,
    form_terms,
    is_access,
    is_write,
    meeting,
)
from spyrec.passes.analysis.tiling import TILES, neighbours


class Iterations:
    """The iterations of an ``scf.for`` that counts from 0 in steps of 1 and carries nothing."""

    def __init__(self, loop: ir.Operation, values: IndexValues) -> None:
        self.loop = loop
        self.values = values
        self.counter = loop.regions[0].blocks[0].arguments[0]
        self._varying: set[ir.Value] = {self.counter}
        self._changing: set[ir.Operation] = set()
        self._visit(loop.regions[0].blocks[0])
        self._atom = next((atom for atom, _ in values.form(self.counter).terms), None)

    @property
    def body(self) -> list[ir.Operation]:
        """The ops of an iteration, without the terminator."""
        return [view.operation for view in self.loop.regions[0].blocks[0].operations][:-1]

    def varies(self, value: ir.Value) -> bool:
        """Whether ``value`` may differ between iterations."""
        return value in self._varying

    def changes(self, op: ir.Operation) -> bool:
        """Whether ``op`` may do other things in another iteration."""
        return op in self._changing

    def scale(self, value: ir.Value, *, wraps: bool = False) -> int | None:
        """What an integer grows by from one iteration to the next; ``None`` when that is no constant. ``wraps`` is for
        what is known to fit in the end, such as an address: sums and products on the way to it may wrap around.
        """
        if not self.varies(value):
            return 0
        form = self.values.unwrapped(value) if wraps else self.values.form(value)
        return self._scale(form)

    @property
    def regular(self) -> bool:
        """Whether all that an iteration does is tensor ops, which reach in even steps into memory."""
        accesses = any(is_access(inner) and self.changes(inner) for inner in kernels.steps(self.loop))
        return self._atom is not None and accesses and all(map(self._is_regular, self.body))

    def most(self, span: int) -> int | None:
        """How many iterations can be done at once, one access spanning at most ``span`` bytes; ``None``: any number."""
        accesses = [op for op in kernels.steps(self.loop) if is_access(op)]
        boxes = [access_box(op, self.values) for op in accesses]
        limits: list[int | None] = [
            self._within(box, span) for op, box in zip(accesses, boxes, strict=True) if self.changes(op)
        ]
        for pair in neighbours(list(map(self._everywhere, boxes)), list(map(is_write, accesses))):
            first, second = sorted(pair)
            if is_write(accesses[first]) or is_write(accesses[second]):
                limits.append(self._distance(boxes[first], boxes[second]))
                if limits[-1] == 1:
                    return 1
        return min((limit for limit in limits if limit is not None), default=None)

    # What differs

    def _visit(self, block: ir.Block) -> None:
        for view in block.operations:
            op = view.operation
            if op.name == "scf.for":
                self._visit_loop(op)
                continue
            used: Iterable[ir.Value] = [*op.operands, *(generics.captured(op) if op.regions else ())]
            if not self._varying.isdisjoint(used):
                self._changing.add(op)
                self._varying.update(op.results)

    def _visit_loop(self, loop: ir.Operation) -> None:
        """A loop in the loop: what it carries varies where it starts from what varies, or goes on with such."""
        body = loop.regions[0].blocks[0]
        if not self._varying.isdisjoint(list(loop.operands)[:3]):
            self._varying.add(body.arguments[0])
        before = -1
        while before != len(self._varying):
            before = len(self._varying)
            self._visit(body)
            ends = list(kernels.terminator(body).operands)
            carried = zip(list(loop.operands)[3:], list(body.arguments)[1:], ends, loop.results, strict=True)
            for init, argument, end, result in carried:
                if init in self._varying or end in self._varying or argument in self._varying:
                    self._varying.update((argument, result))
        if any(inner in self._changing for inner in kernels.steps(loop)) or not self._varying.isdisjoint(loop.operands):
            self._changing.add(loop)

    def _scale(self, form: Linear) -> int | None:
        assert self._atom is not None
        scale = form.coefficient(self._atom)
        rest = form - Linear.atom(self._atom).scaled(scale)
        return None if any(self._unsteady(leaf) for leaf in rest.leaves()) else scale

    def _unsteady(self, leaf: Leaf) -> bool:
        return self.varies(self.values.value(leaf))

    # Whether all is regular

    def _is_regular(self, op: ir.Operation) -> bool:
        if TILES in op.attributes:
            return False
        if op.name in support.SCALAR_OPS or isinstance(op.opview, dataflow.TileIdOp):
            return not any(isinstance(result.type, ir.ShapedType) for result in op.results)
        if op.name == "scf.for":
            bounds = list(op.operands)[:3]
            *inside, _ = (view.operation for view in op.regions[0].blocks[0].operations)
            return is_tensor_loop(op) and not any(map(self.varies, bounds)) and all(map(self._is_regular, inside))
        if not is_tensor_op(op):
            return False
        if not self.changes(op):
            return True
        view = op.opview
        if isinstance(view, dataflow.BoxOp):
            return self._is_regular_box(view)
        if op.name == "linalg.generic":
            captured = generics.captured(op)
            return all(support.is_integer(v.type) and self.scale(v) is not None for v in captured if self.varies(v))
        # Of slices only the tensors may vary.
        return op.name != "tensor.extract" and not any(self.varies(v) for v in op.operands if _is_scalar(v))

    def _is_regular_box(self, view: dataflow.BoxOp) -> bool:
        steady = [view.base, view.core, *view.strides, *view.limits]
        if view.set_ is not None or any(value is not None and self.varies(value) for value in steady):
            return False
        if self.scale(view.offset, wraps=True) is None:
            return False
        extents = ir.RankedTensorType(view.tensor.type).shape
        for bounds in clip_of(view):
            for bound, extent in zip(bounds, extents, strict=True):
                # A clip that moves leaves whole iterations out, or its points are no box.
                if isinstance(bound, int) or not self.varies(bound):
                    continue
                if extent != 1 or self.scale(bound, wraps=True) is None:
                    return False
        return True

    # Order

    def _within(self, box: AccessBox, span: int) -> int | None:
        """How many iterations one access may reach over."""
        step = abs(self._scale(box.start) or 0)
        reach = sum((n - 1) * abs(s) for n, s in zip(box.extents, box.strides, strict=True) if n) + box.element
        if not step or any(stride == DYNAMIC * box.element for stride in box.strides):
            return None
        return max(1, 1 + (span - reach) // step)

    def _distance(self, first: AccessBox, second: AccessBox) -> int | None:
        """How many iterations later ``first`` touches, at the earliest, what ``second``, which is not before it in the
        text, touches now; ``None``: never.
        """
        known = always_meets(first, second)
        if known is not None:
            return 1 if known else None
        one, other = (self._scale(box.start) for box in (first, second))
        if one is None or other is None:
            return 1
        assert self._atom is not None
        counter = Linear.atom(self._atom)
        difference = (first.start - counter.scaled(one)) - (second.start - counter.scaled(other))
        last = self._last
        terms = [*box_terms(first, None, 1), *box_terms(second, None, -1), *form_terms(difference, self.values)]
        terms.append((one - other, 0, last))
        return first_distance(one, last, terms, *meeting(first, second, difference))

    def _everywhere(self, box: AccessBox) -> AccessBox:
        """What an access touches in all iterations."""
        scale = self._scale(box.start)
        if scale is None:
            return replace(box, unknown=True)
        assert self._atom is not None
        start = box.start - Linear.atom(self._atom).scaled(scale)
        return replace(box, start=start, strides=(scale, *box.strides), extents=(self._last + 1, *box.extents))

    @cached_property
    def _last(self) -> int:
        """The highest number of an iteration."""
        return max(0, self.values.interval(self.counter).high)


def clip_of(view: dataflow.BoxOp) -> Iterator[list[int | ir.Value]]:
    """The lower and the upper bounds of a clip; nothing without one."""
    for static, dynamic in ((view.static_lower, view.lower), (view.static_upper, view.upper)):
        if static is not None:
            yield list(mixed(list(static), list(dynamic)))


def _is_scalar(value: ir.Value) -> bool:
    return not isinstance(value.type, ir.ShapedType)
