"""What an access touches, and when two of them can touch the same byte.

A place is bytes of one memory: a buffer in LX or in a stage (:class:`BufferPlace`) or a box of one
(:class:`PartPlace`), or a strided box of device memory whose address is a linear form (:class:`BoxPlace`).
:func:`relate` answers, for two accesses inside the same loops, whether they can meet in one iteration, and if not, how
many iterations apart they can."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TypeAlias

from spyrec.passes.analysis.overlap import Term, can_reach, first_distance
from spyrec.passes.analysis.skeleton import Loop
from spyrec.records import dataclass, replace

_FARTHEST = 32
"""How many executions of a body apart are told from one another: more than units run ahead."""


@dataclass(eq=False, repr=False)
class BufferPlace:
    """A buffer in ``memory``: instance ``n`` occupies ``size`` bytes from ``address + (n mod depth) * slot_bytes``.

    ``n`` counts the iterations of ``loop``, the innermost loop around the allocation, over all its executions; without
    a loop there is one instance. ``depth`` is the effective one (:mod:`spyrec.passes.analysis.instances`)."""

    name: str
    address: int
    slot_bytes: int
    depth: int
    size: int
    loop: Loop | None
    memory: str

    def overlaps(self, other: BufferPlace) -> bool:
        """Whether any slot of one shares a byte with any slot of the other."""
        mine, theirs = self._slots(), other._slots()
        return self.memory == other.memory and any(a < d and c < b for a, b in mine for c, d in theirs)

    def _slots(self) -> list[tuple[int, int]]:
        starts = [self.address + slot * self.slot_bytes for slot in range(self.depth)]
        return [(start, start + self.size) for start in starts]


@dataclass(frozen=True)
class PartPlace:
    """A box of a buffer's instance: elements of ``element`` bytes at ``start + sum(factor * variable) + sum(i_k *
    stride_k)`` from its first byte, ``i_k`` below ``extent_k``. With ``any_slot`` it is meant in all instances.
    """

    buffer: BufferPlace
    start: int
    box: tuple[tuple[int, int], ...]
    element: int
    any_slot: bool = False
    variables: tuple[tuple[Variable, int], ...] = ()

    @property
    def name(self) -> str:
        """That of the buffer."""
        return self.buffer.name

    def meets(self, other: PartPlace) -> bool:
        """Whether two parts of one instance share a byte in any iterations."""
        box, low, high = _apart(self, other)
        return can_reach(box + _differences(self, other, frozenset(), None), low, high)


@dataclass(eq=False, repr=False)
class Variable:
    """A number in an address that is not a constant.

    ``loops`` are the loops whose iterations can change it. A ``counter`` variable is the number of the iteration of
    that loop, from 0 in each execution. ``low`` and ``high`` bound it."""

    loops: frozenset[Loop]
    counter: Loop | None = None
    low: int | None = None
    high: int | None = None


@dataclass(frozen=True)
class BoxPlace:
    """Bytes of device memory: elements of ``element`` bytes at ``start + sum(factor * variable) + sum(i_k *
    stride_k)``, ``i_k`` below ``extent_k``.

    ``base`` names what the address is relative to: the number of a pointer argument, or ``None`` for literal addresses.
    Every number is in bytes."""

    name: str
    base: int | None
    may_alias: bool
    start: int
    variables: tuple[tuple[Variable, int], ...]
    box: tuple[tuple[int, int], ...]
    element: int

    @property
    def span(self) -> tuple[int, int]:
        """First and one past the last byte, the variables taken as 0."""
        low = high = self.start
        for stride, extent in self.box:
            reach = stride * (extent - 1)
            low, high = low + min(0, reach), high + max(0, reach)
        return low, high + self.element


@dataclass(frozen=True)
class UnknownPlace:
    """Bytes of device memory that nothing is known about: they may be any."""

    name: str


Place: TypeAlias = BufferPlace | PartPlace | BoxPlace | UnknownPlace


def buffer_of(place: Place) -> BufferPlace | None:
    """The buffer that a place is, or is a part of."""
    return place.buffer if isinstance(place, PartPlace) else place if isinstance(place, BufferPlace) else None


@dataclass(frozen=True)
class Carried:
    """Two accesses meet ``distance`` or more iterations of ``loop`` apart, the loops around it standing still.

    By then the innermost loop around both has executed its body ``inside`` times more, or more often.
    """

    loop: Loop
    distance: int
    inside: int


@dataclass(frozen=True)
class Relation:
    """When two accesses, the first of which comes first, can touch the same byte.

    ``together``: in the same iteration of all loops around both. ``carried``: in different iterations of a loop,
    innermost loop first. Loops further out than one with distance 1 are left out: what orders consecutive iterations,
    counted over all executions, orders those too.
    """

    together: bool
    carried: tuple[Carried, ...]


APART = Relation(False, ())


def relate(first: Place, second: Place, loops: tuple[Loop, ...]) -> Relation:
    """The relation of two accesses inside ``loops``, the loops around both, outermost first. At least one of them
    writes.
    """
    if isinstance(first, BufferPlace | PartPlace) or isinstance(second, BufferPlace | PartPlace):
        if not (isinstance(first, BufferPlace | PartPlace) and isinstance(second, BufferPlace | PartPlace)):
            return APART
        return _relate_buffers(first, second, loops)
    if isinstance(first, UnknownPlace) or isinstance(second, UnknownPlace):
        return _always(loops)
    if first.base != second.base:
        # A literal address is none of the arguments, but nothing says that it is none of their bytes.
        apart = first.base is not None and second.base is not None and not (first.may_alias or second.may_alias)
        return APART if apart else _always(loops)
    return _relate_boxes(first, second, loops)


def _always(loops: tuple[Loop, ...]) -> Relation:
    return _every(1, loops)


def _every(distance: int, loops: tuple[Loop, ...]) -> Relation:
    """Together, and whenever the innermost loop's body has executed ``distance`` times more."""
    trips = [loop.max_trips for loop in loops]
    executions = math.inf if None in trips else math.prod(count for count in trips if count is not None)
    return Relation(True, (Carried(loops[-1], distance, distance),) if distance < executions else ())


def _relate_buffers(
    first: BufferPlace | PartPlace, second: BufferPlace | PartPlace, loops: tuple[Loop, ...]
) -> Relation:
    one, other = buffer_of(first), buffer_of(second)
    assert one is not None
    assert other is not None
    if one is not other:
        return _always(loops) if one.overlaps(other) else APART
    parts = [place for place in (first, second) if isinstance(place, PartPlace)]
    if len(parts) == 2 and not parts[0].meets(parts[1]):
        return APART
    rotates = bool(loops) and loops[-1] is one.loop and not any(part.any_slot for part in parts)
    return _every(one.depth if rotates else 1, loops)


def _apart(first: PartPlace | BoxPlace, second: PartPlace | BoxPlace) -> tuple[list[Term], int, int]:
    """The distance from the second box to the first, as terms, and the distances at which elements meet: when the
    second starts from less than its size before to less than the first's size after.
    """
    low = first.start - second.start - second.element + 1
    high = first.start - second.start + first.element - 1
    box: list[Term] = [(-stride, 0, extent - 1) for stride, extent in first.box]
    box += [(stride, 0, extent - 1) for stride, extent in second.box]
    return box, low, high


def _relate_boxes(first: BoxPlace, second: BoxPlace, loops: tuple[Loop, ...]) -> Relation:
    box, low, high = _apart(first, second)
    together = can_reach(box + _differences(first, second, frozenset(loops), None), low, high)
    carried: list[Carried] = []
    for depth in range(len(loops) - 1, -1, -1):
        loop = loops[depth]
        limit = None if loop.max_trips is None else loop.max_trips - 1
        step = sum(factor for variable, factor in second.variables if variable.counter is loop)
        terms = box + _differences(first, second, frozenset(loops[:depth]), loop)
        distance = first_distance(step, limit, terms, low, high)
        if distance is not None:
            inside = distance if loop is loops[-1] else _least_inside(first, second, loops, depth, box, low, high)
            carried.append(Carried(loop, distance, inside))
            if distance == 1:
                break
    return Relation(together, tuple(carried))


def moves(place: Place, loop: Loop) -> bool:
    """Whether the place is another one in each iteration of ``loop``, by its counter."""
    return isinstance(place, PartPlace | BoxPlace) and any(variable.counter is loop for variable, _ in place.variables)


def first_iteration(outside: Place, inside: Place, loop: Loop, around: tuple[Loop, ...]) -> int:
    """The first iteration of ``loop`` in which an access in it can touch a byte of one before it; 0 where nothing is
    known. The loops ``around`` both are in one iteration for both.
    """
    if isinstance(outside, PartPlace) and isinstance(inside, PartPlace):
        known = outside.buffer is inside.buffer
    elif isinstance(outside, BoxPlace) and isinstance(inside, BoxPlace):
        known = outside.base == inside.base
    else:
        return 0
    step = sum(factor for variable, factor in inside.variables if variable.counter is loop)
    if not known or not step:
        return 0
    at_first = replace(inside, variables=tuple(term for term in inside.variables if term[0].counter is not loop))
    box, low, high = _apart(outside, inside)
    terms = box + _differences(outside, at_first, frozenset(around), None)
    if can_reach(terms, low, high):
        return 0
    limit = None if loop.max_trips is None else loop.max_trips - 1
    return first_distance(step, limit, terms, low, high) or 0


def meet_between_cores(first: BoxPlace, second: BoxPlace, tile: Variable, tiles: int) -> bool:
    """Whether the boxes of two different cores, whose number is ``tile``, can share a byte at any time."""
    for one, other in ((first, second), (second, first)):
        terms, low, high = _apart(one, other)
        step = 0
        for variable, (a, b) in _factors(one, other).items():
            if variable is tile:
                step = b
                terms.append((b - a, variable.low, variable.high))
            else:
                terms += [(-a, variable.low, variable.high), (b, variable.low, variable.high)]
        if first_distance(step, tiles - 1, terms, low, high) is not None:
            return True
    return False


def _least_inside(
    first: BoxPlace,
    second: BoxPlace,
    loops: tuple[Loop, ...],
    depth: int,
    box: list[Term],
    low: int,
    high: int,
) -> int:
    """Executions of the innermost body between two accesses that meet in different iterations of ``loops[depth]``.

    1 where the number of executions is no linear function of counters. Looks up to ``_FARTHEST`` and says one more
    then.
    """
    inner = loops[depth + 1 :]
    regular = all(loop.block.loop is outer for outer, loop in pairwise(loops[depth:]))
    if not regular or any(loop.max_trips is None or loop.min_trips != loop.max_trips for loop in inner):
        return 1
    trips = [loop.max_trips or 0 for loop in inner]
    # Executions of the innermost body in one iteration of each loop.
    weights = {loop: math.prod(trips[k:]) for k, loop in enumerate(loops[depth:])}
    moving = loops[depth]
    most = _FARTHEST // max(1, weights[moving]) + 1
    steps = {variable.counter: factor for variable, factor in second.variables}
    back = {variable.counter: factor for variable, factor in first.variables}
    # One linear combination for two: the address, and the count times a factor beyond all addresses.
    terms: list[tuple[int, int, int | None, int | None]] = [(0, *term) for term in box]
    terms.append((weights[moving], steps.get(moving, 0), 1, most))
    for loop, count in zip(inner, trips, strict=True):
        terms.append((-weights[loop], -back.get(loop, 0), 0, count - 1))
        terms.append((weights[loop], steps.get(loop, 0), 0, count - 1))
    counted = frozenset(inner)
    outside = frozenset(loops[:depth])
    for variable, (a, b) in _factors(first, second).items():
        if variable.counter in counted:
            continue
        if variable.loops <= outside or variable.counter is moving:
            terms.append((0, b - a, variable.low, variable.high))
        else:
            terms += [(0, -a, variable.low, variable.high), (0, b, variable.low, variable.high)]
    reach = abs(low) + abs(high)
    for _, factor, least, greatest in terms:
        if factor and (least is None or greatest is None):
            return 1
        reach += abs(factor) * max(abs(least or 0), abs(greatest or 0))
    scale = 2 * reach + 1
    scaled = [(weight * scale + factor, least, greatest) for weight, factor, least, greatest in terms]
    for inside in range(1, _FARTHEST + 1):
        if can_reach(scaled, inside * scale + low, inside * scale + high):
            return inside
    return _FARTHEST + 1


def _factors(first: PartPlace | BoxPlace, second: PartPlace | BoxPlace) -> dict[Variable, tuple[int, int]]:
    """The factors that each variable has in the two addresses."""
    factors: dict[Variable, tuple[int, int]] = {variable: (factor, 0) for variable, factor in first.variables}
    for variable, factor in second.variables:
        factors[variable] = (factors.get(variable, (0, 0))[0], factor)
    return factors


def _differences(
    first: PartPlace | BoxPlace, second: PartPlace | BoxPlace, still: frozenset[Loop], moving: Loop | None
) -> list[Term]:
    """Terms of the second address minus the first, when the loops ``still`` are in one iteration for both.

    The counter of ``moving`` is that of the first access in both; the distance between them is the caller's.
    """
    terms: list[Term] = []
    for variable, (a, b) in _factors(first, second).items():
        if variable.loops <= still or (moving is not None and variable.counter is moving):
            terms.append((b - a, variable.low, variable.high))
        else:
            terms += [(-a, variable.low, variable.high), (b, variable.low, variable.high)]
    return terms
