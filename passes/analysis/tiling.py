"""What happens when an axis is cut into tiles: which ops go into a loop, in how many loops, and whether that is right.

All ops that have the axis run in a loop over its tiles. Where one of them folds the axis, what comes after it has to
wait until the loop is through: a loop of its own then reads and computes again what it needs of the tile. So there is
one *phase* per fold on the longest path, and between the loops stand the ops that have the axis no more.

Cutting changes the order in which memory is touched. :func:`plan` gives nothing unless every pair of accesses that
can touch the same byte, one of them writing, keeps its order.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from functools import cached_property

from spyrec.mlir import ir
from spyrec.numerics import reductions
from spyrec.passes.analysis import kernels, reach
from spyrec.passes.analysis.axes import Axes, Axis, is_tensor_loop, segments
from spyrec.passes.analysis.folds import fold
from spyrec.passes.analysis.index_values import IndexValues
from spyrec.passes.analysis.linear import Atom
from spyrec.passes.analysis.overlap import overlapping
from spyrec.passes.analysis.structured import structured
from spyrec.passes.analysis.tensor_boxes import AccessBox, access_box, accesses_of, box_terms, is_write, meets
from spyrec.records import dataclass

TILES = "dataflow.tiles"
"""The attribute that asks for tiles: pairs of a dimension and an extent, the outermost loop first."""


@dataclass
class Phase:
    """One loop over the tiles and what follows it.

    ``body`` are the ops of an iteration, in order; those of an earlier phase that are in it again are computed again.
    ``folds`` are the ops of it whose sums are carried, ``escaping`` the values that are put together in a whole
    tensor. ``after`` are ops that wait for the loop and do not have the axis.
    """

    body: list[ir.Operation] = field(default_factory=list)
    folds: list[ir.Operation] = field(default_factory=list)
    escaping: list[ir.Value] = field(default_factory=list)
    after: list[ir.Operation] = field(default_factory=list)


@dataclass(frozen=True)
class Plan:
    """How to cut ``axis``. What is in the phases moves to right behind ``last``; loops replace the ops ``gone``."""

    axis: Axis
    phases: tuple[Phase, ...]
    last: ir.Operation
    gone: tuple[ir.Operation, ...]


class Segment:
    """Ops of a block that stand side by side (:func:`spyrec.passes.analysis.axes.segments`), and their groups."""

    def __init__(self, operations: Sequence[ir.Operation], values: IndexValues) -> None:
        self.operations = list(operations)
        self.values = values
        self.order = {op: position for position, op in enumerate(operations)}
        self._producers: dict[ir.Operation, list[ir.Operation]] = {}

    @cached_property
    def groups(self) -> list[Group]:
        """The ops that hang together through tensors, each group in the order of the text."""
        first = list(range(len(self.operations)))
        """For each op one that it hangs together with, and that comes before it if there is one."""

        def root(position: int) -> int:
            while first[position] != position:
                first[position] = position = first[first[position]]
            return position

        for position, op in enumerate(self.operations):
            for maker in self.producers(op):
                a, b = sorted((root(position), root(self.order[maker])))
                first[b] = a
        groups: dict[int, list[ir.Operation]] = {}
        for position, op in enumerate(self.operations):
            groups.setdefault(root(position), []).append(op)
        return [Group(self, group) for group in groups.values()]

    def producers(self, op: ir.Operation) -> list[ir.Operation]:
        """The ops of the segment whose tensors ``op`` takes, or the ops in it."""
        found = self._producers.get(op)
        if found is None:
            takers = (op, *(kernels.steps(op) if op.name == "scf.for" else ()))
            makers = (kernels.defining(operand) for taker in takers for operand in taker.operands)
            found = self._producers[op] = [maker for maker in makers if maker is not None and maker in self.order]
        return found

    def holds(self, op: ir.Operation) -> bool:
        """Whether ``op`` is one of the segment, or in a loop of it."""
        at: ir.Operation | None = op
        while at is not None and at not in self.order:
            at = kernels.parent(at)
        return at is not None

    @cached_property
    def accesses(self) -> list[ir.Operation]:
        """The reads and writes of memory, in order."""
        return [access for accesses in self._accesses for access in accesses]

    @cached_property
    def _accesses(self) -> list[list[ir.Operation]]:
        return list(map(accesses_of, self.operations))

    @cached_property
    def _first_access(self) -> list[int]:
        return list(itertools.accumulate(map(len, self._accesses), initial=0))

    def accesses_until(self, op: ir.Operation) -> int:
        """How many accesses there are up to ``op``, one of the segment, its own included."""
        return self._first_access[self.order[op] + 1]

    def accesses_in(self, op: ir.Operation) -> range:
        """The numbers of the accesses of ``op``, one of the segment."""
        end = self.accesses_until(op)
        return range(end - len(self._accesses[self.order[op]]), end)

    @cached_property
    def boxes(self) -> list[AccessBox]:
        """What each access touches at most."""
        return [access_box(access, self.values) for access in self.accesses]

    @cached_property
    def near(self) -> list[list[int]]:
        """For each access the numbers of those that may touch a byte of its box, where one of both writes."""
        writes = list(map(is_write, self.accesses))
        found: list[list[int]] = [[] for _ in writes]
        for a, b in neighbours(self.boxes, writes):
            if writes[a] or writes[b]:
                found[a].append(b)
                if a != b:
                    found[b].append(a)
        return found


class Group:
    """Ops of a segment that hang together through tensors, to be cut along axes."""

    def __init__(self, segment: Segment, operations: Sequence[ir.Operation]) -> None:
        self.segment = segment
        self.operations = list(operations)
        self.values = segment.values

    @cached_property
    def axes(self) -> Axes:
        """The axes of its ops."""
        return Axes(self.operations)

    @cached_property
    def loops(self) -> list[ir.Operation]:
        """The loops over tensors that are ops of it."""
        return list(filter(is_tensor_loop, self.operations))

    def has(self, op: ir.Operation, axis: Axis) -> bool:
        """Whether ``op`` runs over ``axis``, or takes or gives a tensor that has it."""
        return axis in self.axes.space(op)

    def _has_all(self, op: ir.Operation, axis: Axis) -> bool:
        """Whether ``op`` has ``axis``, and each tensor that a loop hands on: what has it not, no tile puts together."""
        return self.has(op, axis) and (op.name != "scf.for" or all(axis in self.axes.dims(r) for r in op.results))

    def folds(self, op: ir.Operation, axis: Axis) -> bool:
        """Whether ``op`` folds ``axis``."""
        return op in axis.reduced_by

    def outer_uses(self, value: ir.Value) -> list[ir.OpOperand]:
        """Where a value is used by other ops than those of the segment."""
        return [use for use in value.uses if not self.segment.holds(use.owner.operation)]

    def plan(self, axis: Axis, also: Iterable[Axis] = ()) -> Plan | None:
        """How to cut ``axis``, into tiles of whatever extent; ``None`` when that cannot be done.

        Ops with one of the axes ``also`` go into the loops too, for those are going to be cut inside them.
        """
        if axis.whole:
            return None
        inner = set(also)
        inside = {op for op in self.operations if self.has(op, axis) or any(self.has(op, other) for other in inner)}
        phases = self._phases(axis, inside)
        if phases is None or not phases[0].body:
            return None
        moving = {op for phase in phases for op in (*phase.body, *phase.after)}
        moved = [op for op in self.operations if op in moving]
        found = Plan(axis, phases, moved[-1], tuple(op for op in self.operations if op in inside))
        return found if self._keeps_order(found) else None

    def _phases(self, axis: Axis, inside: set[ir.Operation]) -> tuple[Phase, ...] | None:
        levels: dict[ir.Operation, int] = {}
        for op in self.operations:
            before = [maker for maker in self.segment.producers(op) if maker in levels]
            if op in inside:
                later = (m not in inside or self.folds(m, axis) for m in before)
                levels[op] = max((levels[m] + wait for m, wait in zip(before, later, strict=True)), default=0)
            elif before:
                if op.name == "tensor.extract":
                    return None  # scalars that depend on it would have to move as well
                if any(m in inside and not self._has_all(m, axis) for m in before):
                    return None
                levels[op] = max(levels[m] for m in before)
        phases = [Phase() for _ in range(max(levels.values(), default=-1) + 1)]
        for number, phase in enumerate(phases):
            needed: set[ir.Operation] = set()
            for op in (op for op, level in levels.items() if level == number):
                if op not in inside:
                    phase.after.append(op)
                    continue
                folds = self.folds(op, axis)
                escaping = [] if folds else [r for r in op.results if self.outer_uses(r)]
                if not self._has_all(op, axis) and (op.name == "dataflow.write" or escaping):
                    return None  # it would be done once per tile
                if folds and not self._carries(op, inside):
                    return None
                if folds or escaping or op.name == "dataflow.write":
                    self._slice(op, axis, inside, needed)
                if folds:
                    phase.folds.append(op)
                phase.escaping += escaping
            phase.body = [op for op in self.operations if op in needed]
        return tuple(phases)

    def _slice(self, root: ir.Operation, axis: Axis, inside: set[ir.Operation], found: set[ir.Operation]) -> None:
        """Add to ``found`` ``root`` and all that an iteration has to compute for it."""
        todo = [root]
        while todo:
            op = todo.pop()
            if op in found:
                continue
            found.add(op)
            todo += [m for m in self.segment.producers(op) if m in inside and not self.folds(m, axis)]

    def _carries(self, op: ir.Operation, inside: set[ir.Operation]) -> bool:
        """Whether a fold may be done piece by piece: every output is combined by an op that is associative, and what it
        starts from is there before the loop.
        """
        seen = structured(op)
        assert seen is not None
        makers = [kernels.defining(output) for output in seen.outputs]
        return not any(maker in inside for maker in makers) and all(
            combiner(op, k) is not None for k in range(len(makers))
        )

    # Order of accesses

    def _keeps_order(self, plan: Plan) -> bool:
        """Whether all accesses that can meet keep their order."""
        places: dict[ir.Operation, set[tuple[int, bool]]] = {}
        """Where an op is after the cut: the number of its phase, and whether it is after that phase's loop."""
        for number, phase in enumerate(plan.phases):
            for ops, behind in ((phase.body, False), (phase.after, True)):
                for op in ops:
                    places.setdefault(op, set()).add((number, behind))
        segment = self.segment
        moved = {access: where for op, where in places.items() for access in segment.accesses_in(op)}
        stays = {(-1, True)}  # what does not move is before all that does
        end = segment.accesses_until(plan.last)
        for access in moved:
            for other in segment.near[access]:
                if other >= end or (other in moved and other > access):
                    continue  # not passed by anything; or looked at from the other one
                first, second = min(access, other), max(access, other)
                one, two = moved.get(first, stays), moved.get(second, stays)
                if first != second and any(b < a for a in one for b in two):
                    if self._may_meet(segment.boxes[first], segment.boxes[second]):
                        return False
                elif any((number, False) in one for number, behind in two if not behind):
                    dims = [
                        self._dimension(segment.accesses[n], plan.axis) if n in moved else None for n in (first, second)
                    ]
                    if self._may_cross(segment.boxes[first], segment.boxes[second], dims, plan.axis.extent):
                        return False
        return True

    def _dimension(self, access: ir.Operation, axis: Axis) -> int | None:
        """The dimension of a box that is cut with ``axis``, if it has one."""
        space = self.axes.space(access)
        return space.index(axis) if axis in space else None

    def _may_meet(self, first: AccessBox, second: AccessBox) -> bool:
        """Whether two accesses can touch the same byte."""
        return meets(first, second, box_terms(first, None, 1) + box_terms(second, None, -1), self.values)

    def _may_cross(self, first: AccessBox, second: AccessBox, cut: Sequence[int | None], extent: int) -> bool:
        """Whether ``first`` in some tile can touch a byte that ``second``, after it in the text, touches in an earlier
        one. ``cut`` are the dimensions of the boxes that are cut, if they have one.
        """
        one, other = (0 if dim is None else box.strides[dim] for box, dim in zip((first, second), cut, strict=True))
        terms = box_terms(first, cut[0], 1) + box_terms(second, cut[1], -1)
        # Along the axis the first is at least one index further on.
        terms += [(one, 1, extent - 1), (one - other, 0, extent - 2)]
        return meets(first, second, terms, self.values)


def groups_of(block: ir.Block, values: IndexValues, beside: ir.Operation | None = None) -> Iterator[Group]:
    """The groups of a block, loops over tensors being ops as others; then the parts of those with such loops that hang
    together without them. In a group with loops one of these has the mark. ``beside``: of its segment alone.
    """
    for operations in segments(block, loops=True):
        if beside is not None and beside not in operations:
            continue
        found = Segment(operations, values).groups
        yield from found
        mixed = {op for group in found if group.loops for op in group.operations}
        for between in _split(operations) if mixed else ():
            yield from (group for group in Segment(between, values).groups if not mixed.isdisjoint(group.operations))


def _split(operations: Sequence[ir.Operation]) -> Iterator[list[ir.Operation]]:
    """What stands between the loops of a segment."""
    for is_loop, run in itertools.groupby(operations, is_tensor_loop):
        if not is_loop:
            yield list(run)


def tiles_of(op: ir.Operation) -> list[tuple[int, int]]:
    """The dimensions that are marked to be cut, each with the extent of a tile, outermost loop first; nothing when the
    mark has another form.
    """
    mark = op.attributes[TILES]
    entries = list(mark) if isinstance(mark, ir.ArrayAttr) else []
    pairs = [list(entry) for entry in entries if isinstance(entry, ir.DenseI64ArrayAttr)]
    return [(pair[0], pair[1]) for pair in pairs] if all(len(pair) == 2 for pair in pairs) else []


def combiner(op: ir.Operation, position: int) -> reductions.Combiner | None:
    """The op that folds into output ``position`` of a linalg op, when it is one whose order does not matter."""
    seen = structured(op)
    assert seen is not None
    found = fold(seen, position)
    return None if found is None else found.combiner


def neighbours(boxes: Sequence[AccessBox], writes: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """Pairs of boxes, by number, that may share a byte and one of which is written, the same one twice as well. Where
    addresses differ by a constant, those that are apart are not gone through.
    """
    groups: dict[tuple[str, ir.Value | None], dict[tuple[tuple[Atom, int], ...] | None, list[int]]] = {}
    for number, box in enumerate(boxes):
        if 0 not in box.extents:
            unknowns = None if box.unknown else box.start.terms
            groups.setdefault((box.space, box.base), {}).setdefault(unknowns, []).append(number)
            if writes[number]:
                yield number, number
    for group in groups.values():
        for unknowns, numbers in group.items():
            if unknowns is None:
                yield from itertools.combinations(numbers, 2)
            else:
                yield from overlapping((*boxes[number].span, writes[number], number) for number in numbers)
        for some, others in itertools.combinations(group.values(), 2):
            yield from itertools.product(some, others)
    whole = {key: list(itertools.chain(*group.values())) for key, group in groups.items()}
    for ((space, base), some), ((other, foreign), others) in itertools.combinations(whole.items(), 2):
        if space == other and reach.may_meet(base, foreign):
            yield from itertools.product(some, others)
