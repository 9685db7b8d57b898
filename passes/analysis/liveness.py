"""When each buffer holds something, in program order.

Units run ahead of one another, so program order says less than it seems: while one unit works on an iteration of a
loop, another may be iterations ahead of it, at any place of the body. A buffer that is allocated inside a loop is
therefore alive during the whole of its innermost loop. Outside of loops a buffer lives from its first to its last
use, a use inside a loop lasting as long as the loop does. Buffers that are never alive together may share bytes; what
a unit that is ahead could overwrite then is kept from it by synchronisation.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from spyrec.passes.analysis.places import BufferPlace, Place, buffer_of
from spyrec.passes.analysis.schedule import Schedule
from spyrec.passes.analysis.skeleton import Block, Leaf, Loop, bodies


@dataclass(frozen=True)
class Lifetime:
    """From one point of time to another, both included. Two that share a point are alive together."""

    start: int
    end: int


def lifetimes(body: Block, places: Iterable[BufferPlace]) -> dict[BufferPlace, Lifetime]:
    """The lifetime of each buffer; one that is never used gets a point of its own."""
    scan = _Scan()
    scan.block(body, None)
    found: dict[BufferPlace, Lifetime] = {}
    for place in places:
        if place.loop is not None:
            found[place] = scan.loops[place.loop]
        elif place in scan.used:
            found[place] = scan.used[place]
        else:
            scan.time += 1
            found[place] = Lifetime(scan.time, scan.time)
    return found


def of_allocations(schedule: Schedule) -> list[Lifetime]:
    """The lifetimes of the buffers of ``schedule`` in the order of the text. Another core may still read a buffer when
    this one has long been done with it, so those that others reach live as long as the kernel."""
    alive = lifetimes(schedule.program.body, (a.place for a in schedule.allocations))
    whole = Lifetime(0, max((lifetime.end for lifetime in alive.values()), default=0))
    return [whole if a.place in schedule.exposed else alive[a.place] for a in schedule.allocations]


class _Scan:
    """Numbers the ops of all units in the order of the text, and remembers loops and uses."""

    def __init__(self) -> None:
        self.time = 0
        self.loops: dict[Loop, Lifetime] = {}
        self.used: dict[Place, Lifetime] = {}

    def block(self, block: Block, outermost: Loop | None) -> None:
        """Number the items of ``block``, which is inside ``outermost``."""
        for item in block.items:
            if isinstance(item, Leaf):
                self.time += 1
                if outermost is None:
                    self._use((access.place for access in item.accesses), self.time, self.time)
                continue
            start = self.time + 1
            loop = item if isinstance(item, Loop) else None
            for inner in bodies(item):
                self.block(inner, outermost or loop)
            if loop is not None:
                self.loops[loop] = Lifetime(start, max(start, self.time))
                if outermost is None:
                    self._use(_places(loop.body), start, self.time)

    def _use(self, places: Iterable[Place], start: int, end: int) -> None:
        for place in (buffer_of(place) or place for place in places):
            before = self.used.get(place)
            self.used[place] = Lifetime(before.start if before else start, end)


def _places(block: Block) -> Iterable[Place]:
    for item in block.items:
        if isinstance(item, Leaf):
            yield from (access.place for access in item.accesses)
        for inner in bodies(item):
            yield from _places(inner)
