"""What the machine is made of while it runs: units, their transfers in flight, channels."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy.typing as npt

from spyrec.isa import LX, Instruction
from spyrec.sim.clocks import Access, Clock, Domain
from spyrec.sim.memories import Local

BLOCKED = -1
DONE = -2


class Channel:
    """One channel on one core, or from core ``poster`` to another; ``label`` tells it from others of its ``name``.

    ``initial`` is what is left of its initial value; a token is a post: when it may be taken, and its poster's clock.
    """

    __slots__ = ("initial", "label", "name", "number", "posted", "poster", "taken", "tokens", "waiter")

    def __init__(self, name: str, number: int, init: int, poster: int, label: str = "") -> None:
        self.name = name
        self.label = label or name
        self.poster = poster
        self.number = number
        self.initial = init
        self.tokens: deque[tuple[int, Clock]] = deque()
        self.waiter: Unit | None = None
        self.posted = 0
        self.taken = 0

    @property
    def value(self) -> int:
        """The counter."""
        return self.initial + len(self.tokens)


class Flight:
    """A transfer that was issued. ``done`` is when it was or will be complete, ``None`` while that depends on others.

    ``posts`` (channel, time of the instruction, clock) fire then; ``waits`` (from, to, channel's name) are times for
    which the unit was blocked while this transfer was its last one. ``ring`` are the links of the ring that it passes.
    """

    __slots__ = (
        "cap",
        "done",
        "index",
        "issued",
        "latency",
        "posts",
        "ready",
        "ring",
        "shared",
        "size",
        "unit",
        "waits",
    )

    def __init__(
        self, unit: Unit, index: int, size: float, cap: float, shared: bool, issued: int, ready: int, latency: int
    ) -> None:
        self.unit = unit
        self.index = index
        self.size = size
        self.cap = cap
        self.shared = shared
        self.issued = issued
        self.ready = ready
        self.latency = latency
        self.done: int | None = None
        self.ring: tuple[int, ...] = ()
        self.posts: list[tuple[Channel, int, Clock]] = []
        self.waits: list[tuple[int, int, str]] = []


class Unit:
    """One unit of one core: an in-order process.

    ``time`` is its own clock in cycles: it runs ahead of other units until it needs something from them. ``loops`` are
    [iteration, end, ...] of the loops that it is in: something is to be done before iteration ``end``. ``flights`` are
    its transfers that may not be complete at ``time``, ``queue`` those that have not ended, in order; the first one
    moves or waits for its start-up. ``last`` is the one that was issued last, ``finished`` when the one that ended last
    was complete. ``kept`` are the sums that a contraction left in the unit. ``local`` are the memories of its core, by
    name.
    """

    __slots__ = (
        "blocked",
        "channels",
        "clock",
        "code",
        "core",
        "domain",
        "finished",
        "flights",
        "halted",
        "instructions",
        "kept",
        "label",
        "last",
        "limit",
        "local",
        "loops",
        "lx",
        "number",
        "pc",
        "queue",
        "regs",
        "slot",
        "steps",
        "time",
        "waiting",
    )

    def __init__(
        self,
        number: int,
        label: str,
        core: int,
        local: Mapping[str, Local],
        limit: int,
        domain: Domain,
        slot: int,
        clock: Clock,
    ) -> None:
        self.number = number
        self.label = label
        self.core = core
        self.local = local
        self.lx = local[LX]
        self.limit = limit
        self.domain = domain
        self.slot = slot
        self.clock = clock
        self.code: Sequence[Instruction] = ()
        self.steps: list[Step] = []
        self.channels: list[Channel] = []
        self.regs = [0] * 32
        self.pc = 0
        self.time = 0
        self.loops: list[list[int]] = []
        self.flights: deque[Flight] = deque()
        self.queue: deque[Flight] = deque()
        self.last: Flight | None = None
        self.finished = 0
        self.blocked: Channel | Flight | None = None
        self.halted = False
        self.kept: npt.NDArray[Any] | None = None
        self.instructions = 0
        self.waiting: dict[str, int] = {}

    def access(self, index: int, buffer: int) -> Access:
        """An access that instruction ``index`` makes now through ``buffer``."""
        return Access(self, self.core, index, buffer, self.domain, self.slot, self.clock[self.slot])

    def slot_free(self) -> bool:
        """Move on to the time when one more transfer may be issued; False if that is not known yet."""
        flights = self.flights
        while flights and flights[0].done is not None and flights[0].done <= self.time:
            flights.popleft()
        if len(flights) < self.limit:
            return True
        first = flights[0]
        if first.done is None:
            self.blocked = first
            return False
        self.time = first.done
        flights.popleft()
        return True

    def drained(self) -> bool:
        """Move on to the time when all transfers are complete; False if that is not known yet."""
        last = self.last
        if last is not None:
            if last.done is None:
                self.blocked = last
                return False
            self.time = max(self.time, last.done)
        self.flights.clear()
        return True

    def waited(self, since: int, until: int, channel: str) -> None:
        """Account for a wait. While transfers were in flight the unit was busy."""
        last = self.last
        if last is not None and last.done is None:
            last.waits.append((since, until, channel))
            return
        idle = until - max(since, last.done if last is not None and last.done is not None else 0)
        if idle > 0:
            self.waiting[channel] = self.waiting.get(channel, 0) + idle


Step = Callable[[Unit], int]
"""An instruction: acts for a unit, moves its time on, and returns the next instruction, or BLOCKED or DONE."""
