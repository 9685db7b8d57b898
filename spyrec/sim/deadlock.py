"""What is wrong with a machine that has come to rest: who waits for whom, which channel is off balance."""

from __future__ import annotations

from collections.abc import Sequence

from spyrec.isa import Channel
from spyrec.sim.faults import Fault, FaultLog, Place
from spyrec.sim.peers import Peers
from spyrec.sim.units import Channel as LiveChannel
from spyrec.sim.units import Unit

Cores = dict[int, dict[str, Unit]]
"""The units by core and label."""


def report(units: Sequence[Unit], channels: Sequence[Channel], peers: Peers, log: FaultLog) -> None:
    """Keep a fault for each core whose units wait for ever, or whose channels do not end as they began.

    The log makes one report of cores that are stuck in the same way.
    """
    cores: Cores = {}
    for unit in units:
        cores.setdefault(unit.core, {})[unit.label] = unit
    for core, members in cores.items():
        stuck = [u for u in members.values() if not u.halted]
        if stuck:
            log.fault(_deadlock(core, cores, stuck, channels))
    if all(unit.halted for unit in units):
        for core, members in cores.items():
            for fault in _unbalanced(core, members, channels):
                log.fault(fault)
        for (number, _, waiter), live in peers.live.items():
            poster, target = cores[live.poster][channels[number].source], cores[waiter][channels[number].target]
            fault_found = _off_balance(live, channels[number], number, poster, target)
            if fault_found is not None:
                log.fault(fault_found)


def _deadlock(core: int, cores: Cores, stuck: list[Unit], channels: Sequence[Channel]) -> Fault:
    path = [stuck[0]]
    while True:
        poster = cores[_live(path[-1]).poster][_channel(path[-1], channels).source]
        if poster in path:
            cycle = path[path.index(poster) :]
            break
        if poster.halted:
            return _never(path[-1], poster, channels)
        path.append(poster)
    first = min(range(len(cycle)), key=lambda i: (cycle[i].core, cycle[i].number))
    cycle = cycle[first:] + cycle[:first]
    between = len({u.core for u in cycle}) > 1

    def named(unit: Unit) -> str:
        return f"@{unit.label}{f' of core {unit.core}' if between else ''}"

    waits = "; ".join(
        f"{named(u)} waits at instruction {u.pc} for '{_channel(u, channels).name}' from {named(other)}"
        for u, other in zip(cycle, [*cycle[1:], cycle[0]], strict=True)
    )
    others = [f"@{u.label}" for u in stuck if u not in cycle and not between]
    behind = f"; behind them {' and '.join(others)}" if others else ""
    second = ("it waits for", _place(cycle[1])) if len(cycle) > 1 else None
    return Fault("deadlock", f"units wait for one another: {waits}{behind}", _place(cycle[0]), cycle[0].core, second)


def _never(waiter: Unit, poster: Unit, channels: Sequence[Channel]) -> Fault:
    live, channel = _live(waiter), _channel(waiter, channels)
    where = "" if poster.core == waiter.core else f" on core {poster.core}"
    message = (
        f"waits for '{channel.name}' for ever: @{poster.label}{where}, which posts it, has ended after "
        f"{_times(live.posted, 'post')}; it began at {channel.init} and this is wait number {live.taken + 1}"
    )
    return Fault("deadlock", message, _place(waiter), waiter.core)


def _unbalanced(core: int, members: dict[str, Unit], channels: Sequence[Channel]) -> list[Fault]:
    found = []
    for number, channel in enumerate(channels):
        poster = members[channel.source]
        fault = _off_balance(poster.channels[number], channel, number, poster, members[channel.target])
        if fault is not None:
            found.append(fault)
    return found


def _off_balance(live: LiveChannel, channel: Channel, number: int, poster: Unit, waiter: Unit) -> Fault | None:
    """The fault of a channel that does not end as it began."""
    if live.value == channel.init:
        return None
    posts = [i for i, ins in enumerate(poster.code) if ins.op == "post" and ins.channel == number]
    way = "" if poster.core == waiter.core else f" of core {poster.core}"
    to = "" if poster.core == waiter.core else f" of core {waiter.core}"
    message = (
        f"channel '{channel.name}' ends at {live.value}, it began at {channel.init}: "
        f"@{channel.source}{way} made {_times(live.posted, 'post')}, @{channel.target}{to} "
        f"{_times(live.taken, 'wait')}"
    )
    return Fault("channel-misuse", message, Place(poster.number, posts[0] if posts else 0, poster.label), poster.core)


def _times(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _live(unit: Unit) -> LiveChannel:
    assert isinstance(unit.blocked, LiveChannel)  # what a unit waits for besides always comes
    return unit.blocked


def _channel(unit: Unit, channels: Sequence[Channel]) -> Channel:
    return channels[_live(unit).number]


def _place(unit: Unit) -> Place:
    return Place(unit.number, unit.pc, unit.label)
