"""Vector clocks: which accesses are ordered, whatever the latencies are.

The units of one core that channels connect, directly or through others, form a :class:`Domain`; nothing orders units of
different domains. A unit's clock is a list with one entry per unit of its domain; it is replaced, never changed, so a
post may keep it. The unit's own entry counts its posts (from 1). An access *happens before* what a unit does now if the
unit's entry for the accessing unit has reached the count at which the access was made.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

Clock = list[int]


class Domain:
    """A set of units that can be ordered; ``size`` is how many."""

    __slots__ = ("size",)

    def __init__(self, size: int) -> None:
        self.size = size


class Access:
    """One descriptor's or instruction's access to one memory through one operand.

    ``unit`` is the name under which reads are kept (any hashable that stands for the unit); ``core`` its core;
    ``index`` in ``program``, the number of the instruction; ``buffer`` the buffer, -1 for none; ``domain``,
    ``slot``, ``count`` say when. The access by which a launch supplies memory has no domain and happens before
    everything.
    """

    __slots__ = ("buffer", "core", "count", "domain", "index", "slot", "unit")

    def __init__(
        self,
        unit: Hashable,
        core: int = -1,
        index: int = -1,
        buffer: int = -1,
        domain: Domain | None = None,
        slot: int = 0,
        count: int = 0,
    ) -> None:
        self.unit = unit
        self.core = core
        self.index = index
        self.buffer = buffer
        self.domain = domain
        self.slot = slot
        self.count = count

    def before(self, domain: Domain, clock: Clock) -> bool:
        """True if this access happens before what a unit of ``domain`` with ``clock`` does now."""
        return clock[self.slot] >= self.count if self.domain is domain else self.domain is None


LAUNCH = Access("launch")
"""The write that everything happens after: memory that the launch supplied."""


def start(domain: Domain, slot: int) -> Clock:
    """The clock of unit number ``slot`` before it has done anything."""
    clock = [0] * domain.size
    clock[slot] = 1
    return clock


def merged(a: Clock, b: Clock) -> Clock:
    """The clock that knows what ``a`` and ``b`` know."""
    return list(map(max, a, b))


def advanced(clock: Clock, slot: int) -> Clock:
    """``clock`` one post of unit ``slot`` later."""
    clock = clock.copy()
    clock[slot] += 1
    return clock


def groups(members: Iterable[str], pairs: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Connected components of ``members`` under ``pairs``, in order of their first member."""
    group: dict[str, list[str]] = {m: [m] for m in members}
    for a, b in pairs:
        if group[a] is not group[b]:
            joined = group[a] + group[b]
            for m in joined:
                group[m] = joined
    order = {m: i for i, m in enumerate(group)}
    unique = {id(g): g for g in group.values()}
    return [sorted(g, key=order.__getitem__) for g in unique.values()]
