"""Time: transfers in flight, the order of events, and units that go on when what they waited for has come.

Units carry their own time and run ahead as far as they can, so scalar instructions, stream kernels, waits that find a
token and posts of idle units are no events. The only events are a transfer's begin and its end, because from one to
the other it shares bandwidth with whatever else is moving.
"""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Callable

from spyrec.device.model import Timing
from spyrec.sim.clocks import Clock
from spyrec.sim.latencies import Latencies
from spyrec.sim.ring import Ring
from spyrec.sim.sharing import SharedLink
from spyrec.sim.trace import Trace
from spyrec.sim.units import Channel, Flight, Unit

_EARLY = 1e-6  # cycles that an end may be late by rounding and still count as on time


class Engine:
    """Schedules units and transfers: device memory and the ring with the numbers of ``timing``."""

    def __init__(self, timing: Timing, latencies: Latencies, trace: Trace | None) -> None:
        self.latencies = latencies
        self.trace = trace
        self._post_latency = timing.post_latency
        self._shared: SharedLink[Flight] = SharedLink(timing.device_bandwidth)
        self._ring: Ring[Flight] = Ring(timing.ring_bandwidth)
        self._events: list[tuple[float, int, bool, Flight]] = []  # (time, number, an end rather than a begin, transfer)
        self._ready: deque[Unit] = deque()
        self._number = 0

    def run(self, units: list[Unit], go_on: Callable[[Unit], None]) -> None:
        """Run ``units`` until nothing can happen any more; ``go_on`` runs one until it blocks or is done."""
        self._ready.extend(units)
        while True:
            while self._ready:
                go_on(self._next())
            end = self._shared.next_end()
            medium: SharedLink[Flight] | Ring[Flight] = self._shared
            ring_end = self._ring.next_end()
            if ring_end is not None and (end is None or ring_end < end):
                end, medium = ring_end, self._ring
            if self._events and (end is None or self._events[0][0] < end):
                time, _, is_end, flight = heapq.heappop(self._events)
                if is_end:
                    self._ended(flight, time)
                else:
                    self._begin(flight, time)
            elif end is not None:
                for flight in medium.finish(end):
                    self._ended(flight, end)
            else:
                return

    def _next(self) -> Unit:
        number = self.latencies.pick(len(self._ready))
        if number:
            self._ready.rotate(-number)
        return self._ready.popleft()

    def issue(self, flight: Flight) -> None:
        """Put a transfer in flight: it begins when its start-up is over and the one before it has ended."""
        unit = flight.unit
        unit.flights.append(flight)
        unit.queue.append(flight)
        unit.last = flight
        if len(unit.queue) == 1:
            self._at(flight.ready, False, flight)

    def post(self, unit: Unit, channel: Channel, clock: Clock) -> None:
        """Post ``channel`` when all earlier work of ``unit`` is complete."""
        last = unit.last
        if last is None:
            self._deliver(unit, channel, unit.time, unit.time, clock)
        elif last.done is None:
            last.posts.append((channel, unit.time, clock))
        else:
            self._deliver(unit, channel, unit.time, max(unit.time, last.done), clock)

    def _deliver(self, unit: Unit, channel: Channel, at: int, time: int, clock: Clock) -> None:
        if self.trace is not None and self.trace.detailed:
            self.trace.post(unit.core, unit.label, unit.number, channel.label, at, time, unit.last is not None)
        channel.posted += 1
        channel.tokens.append((time + self.latencies.cycles(self._post_latency), clock))
        waiter = channel.waiter
        if waiter is not None:
            channel.waiter = waiter.blocked = None
            self._ready.append(waiter)

    def _at(self, time: float, is_end: bool, flight: Flight) -> None:
        self._number += 1
        heapq.heappush(self._events, (time, self._number, is_end, flight))

    def _begin(self, flight: Flight, time: float) -> None:
        if flight.ring:
            self._ring.start(time, flight.size, flight.cap, flight, flight.ring)
        elif flight.shared:
            self._shared.start(time, flight.size, flight.cap, flight)
        else:
            self._at(time + flight.size / flight.cap, True, flight)

    def _ended(self, flight: Flight, time: float) -> None:
        unit = flight.unit
        unit.queue.popleft()
        done = max(unit.finished, math.ceil(time - _EARLY) + flight.latency)
        flight.done = unit.finished = done
        if unit.queue:
            following = unit.queue[0]
            if following.ready <= time:
                self._begin(following, time)
            else:
                self._at(following.ready, False, following)
        for channel, at, clock in flight.posts:
            self._deliver(unit, channel, at, max(done, at), clock)
        for since, until, name in flight.waits:
            idle = until - max(since, done)
            if idle > 0:
                unit.waiting[name] = unit.waiting.get(name, 0) + idle
        if unit.blocked is not None and unit.blocked is flight:
            unit.blocked = None
            self._ready.append(unit)
        if self.trace is not None:
            self.trace.span(unit.core, unit.label, unit.number, flight.index, flight.issued, done)
