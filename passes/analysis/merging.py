"""Which compute ops of a block one unit can do as one: the later one goes on with what the earlier one wrote."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from spyrec.dialects import dataflow
from spyrec.mlir import ir
from spyrec.passes.analysis import kernels
from spyrec.passes.analysis.buffer_views import BufferView, view_of
from spyrec.passes.analysis.folds import PRODUCT, folds
from spyrec.passes.analysis.layouts import MAX_NEST
from spyrec.passes.analysis.slices import UNIT, unit_of
from spyrec.passes.analysis.structured import Structured, picked, structured

LONGEST = 32
"""Ops, inputs and outputs of a body at most; a unit has 64 vector registers."""

_NEAR = 16
"""How many ops back one looks for another to be one with."""


class Merging:
    """The ops of a block that were ``add``-ed, in order; ``vector`` are the kinds of units that run streams."""

    def __init__(self, vector: Collection[str], longest: int = LONGEST) -> None:
        self._vector = vector
        self._longest = longest
        self._steps: list[_Step] = []
        self._next: _Step | None = None
        self._shown: dict[ir.Value, BufferView | None] = {}
        self._awaited: set[ir.Value] = set()
        """Buffers that the matrix unit has written."""

    def add(self, op: ir.Operation) -> None:
        """The next op."""
        step = self._step(op)
        self._steps.append(step)
        if step.is_matrix:
            self._awaited |= {view.root for view in step.written}

    def remove(self, op: ir.Operation) -> None:
        """An op that is about to be part of another one, with the one that was asked about."""
        self._next = None
        self._steps.remove(next(step for step in reversed(self._steps) if step.op == op))

    def pair(self, op: ir.Operation) -> Pair | None:
        """The op that was added last of those that can be one with ``op``, which comes next, in its place, so that it
        does not wait for more of what the matrix unit computes.
        """
        step = self._step(op)
        if step.compute is None:
            return None
        awaited = self._awaited & {view.root for view in step.touched}
        touched: list[BufferView] = []
        written: list[BufferView] = []
        for other in self._steps[: -_NEAR - 1 : -1]:
            if not other.known:
                break
            if other.compute is not None and _meet(other.written, step.touched):
                stays = _meet(other.written, touched) or _meet(other.touched, written)
                late = awaited - {view.root for view in other.touched}
                pair = Pair(other.compute, step.compute)
                if not stays and not late and pair.is_possible(self._longest):
                    return pair
            touched += other.touched
            written += other.written
        return None

    def _step(self, op: ir.Operation) -> _Step:
        """``op`` as a step; it is asked about before it is added."""
        if self._next is None or self._next.op != op:
            self._next = self._step_of(op)
        return self._next

    def _step_of(self, op: ir.Operation) -> _Step:
        if op.name in dataflow.VIEWS or op.name == dataflow.AllocOp.NAME:
            return _Step(op)
        seen = structured(op)
        is_move = op.name == dataflow.DataTransferOp.NAME
        if seen is None and not is_move and (len(op.regions) or not op.name.startswith(("affine.", "arith."))):
            return _Step(op, known=False)
        memrefs = ((k, value) for k, value in enumerate(op.operands) if isinstance(value.type, ir.MemRefType))
        shown = {k: self._view_of(value) for k, value in memrefs}
        views = {k: view for k, view in shown.items() if view is not None}
        touched = list(views.values())
        if seen is None or UNIT not in op.attributes:
            return _Step(op, touched, touched, known=len(views) == len(shown))
        written = [view for k, view in views.items() if k >= len(seen.inputs)]
        is_vector = ir.FlatSymbolRefAttr(op.attributes[UNIT]).value in self._vector
        compute = _Compute(seen, views) if is_vector else None
        return _Step(op, touched, written, len(views) == len(shown), compute, not is_vector)

    def _view_of(self, value: ir.Value) -> BufferView | None:
        if value not in self._shown:
            self._shown[value] = view_of(value)
        return self._shown[value]


@dataclass(frozen=True)
class _Compute:
    """An op of a vector unit, and what those of its operands show that are buffers."""

    seen: Structured
    views: dict[int, BufferView]


@dataclass(eq=False)
class _Step:
    """An op, what it may read or write of buffers and what of that it may write, if that is ``known``; with ``compute``
    where a vector unit does it, and ``is_matrix`` where another one does.
    """

    op: ir.Operation
    touched: Collection[BufferView] = ()
    written: Collection[BufferView] = ()
    known: bool = True
    compute: _Compute | None = None
    is_matrix: bool = False


def _meet(some: Iterable[BufferView], others: Collection[BufferView]) -> bool:
    """Whether any two may show the same bytes."""
    for a in some:
        for b in others:
            if a.root == b.root and not _are_apart(a, b):
                return True
    return False


def _are_apart(a: BufferView, b: BufferView) -> bool:
    """Whether all that one shows of a buffer surely comes before all that the other shows."""
    (_, end), (start, _) = sorted((v.offset, v.offset + _span(v)) for v in (a, b))
    return a.terms == b.terms and end <= start


def _span(view: BufferView) -> int:
    """Elements from the first to the last, both included."""
    return 1 + sum((count - 1) * stride for count, stride in zip(view.shape, view.strides, strict=True))


@dataclass(frozen=True)
class Pair:
    """Two ops, the earlier one first."""

    _first: _Compute
    _second: _Compute

    @property
    def first(self) -> Structured:
        return self._first.seen

    @property
    def second(self) -> Structured:
        return self._second.seen

    @property
    def forwarded(self) -> dict[int, int]:
        """Which inputs of the second are what outputs of the first are at the same point."""
        split, views = len(self.first.inputs), self._second.views
        return {
            number: output
            for number in range(len(self.second.inputs))
            for output, map_ in enumerate(self.first.output_maps)
            if number in views and views[number] == self._first.views[split + output]
            if self.second.maps[number] == map_ and len(picked(map_)) == self.first.loops
        }

    def is_possible(self, longest: int) -> bool:
        """Whether both are of one unit and walk over the same points, and all that the second has to do with what the
        first writes, or reads, is that it reads it at the same point.
        """
        first, second, both = self.first, self.second, (self.first, self.second)
        if unit_of(first.op) != unit_of(second.op):
            return False
        size = sum(len(list(seen.body.operations)) + len(seen.operands) for seen in both)
        if first.extents is None or first.extents != second.extents or first.loops > MAX_NEST or size > longest:
            return False
        # All folds of an op start from what memory holds, or none does.
        folding = [seen for seen in both if any(len(picked(map_)) < seen.loops for map_ in seen.output_maps)]
        if len({dataflow.FRESH in seen.op.attributes for seen in folding}) > 1:
            return False
        # And all fold the same loops.
        kept = [picked(map_) for seen in both for map_ in seen.output_maps]
        if len({frozenset(loops) for loops in kept if len(loops) < first.loops}) > 1:
            return False
        touched = {view.root for view in self._first.views.values()}
        written = {view.root for k, view in self._first.views.items() if k >= len(first.inputs)}
        others = {k: view.root for k, view in self._second.views.items() if k not in self.forwarded}
        if any(root in (written if k < len(second.inputs) else touched) for k, root in others.items()):
            return False
        return not (self._goes_on_in_constants() or self._sums_rounded())

    def _goes_on_in_constants(self) -> bool:
        """Whether the second op reads what is the same number everywhere: upstream would see that in one op with it,
        and of a fold of zeros, there or later in the same op, leave what was there before, which is no fold.
        """
        makers = (kernels.defining(self.first.yielded[output]) for output in self.forwarded.values())
        return any(maker is not None and maker.block != self.first.body for maker in makers)

    def _sums_rounded(self) -> bool:
        """Whether a sum adds a product that the first op rounds, and would not any more in one op with it."""
        found, arguments = folds(self.second), list(self.second.body.arguments)
        terms = arguments if found is None else [fold.term for fold in found if fold is not None]
        makers = [
            kernels.defining(self.first.yielded[output])
            for number, output in self.forwarded.items()
            if arguments[number] in terms
        ]
        return any(maker is not None and maker.name == PRODUCT for maker in makers)
