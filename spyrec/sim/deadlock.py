"""What is wrong with a machine that has come to rest: who waits for whom, which channel is off balance."""

from __future__ import annotations

from collections.abc import Sequence

from spyrec.isa import Channel
from spyrec.sim.faults import Fault, FaultLog, Place
from spyrec.sim.units import Channel as LiveChannel
from spyrec.sim.units import Unit


def report(units: Sequence[Unit], channels: Sequence[Channel], log: FaultLog) -> None:
    """Keep a fault for each core whose units wait for ever, or whose channels do not end as they began.

    The log makes one report of cores that are stuck in the same way.
    """
    cores: dict[int, list[Unit]] = {}
    for unit in units:
        cores.setdefault(unit.core, []).append(unit)
    for core, members in cores.items():
        stuck = [u for u in members if not u.halted]
        if stuck:
            log.fault(_deadlock(core, members, stuck, channels))
        else:
            for fault in _unbalanced(core, members, channels):
                log.fault(fault)


def _deadlock(core: int, members: list[Unit], stuck: list[Unit], channels: Sequence[Channel]) -> Fault:
    by_label = {u.label: u for u in members}
    path = [stuck[0]]
    while True:
        poster = by_label[_channel(path[-1], channels).source]
        if poster in path:
            cycle = path[path.index(poster) :]
            break
        if poster.halted:
            return _never(core, path[-1], poster, channels)
        path.append(poster)
    first = min(range(len(cycle)), key=lambda i: cycle[i].number)
    cycle = cycle[first:] + cycle[:first]
    wanted = [(u, _channel(u, channels)) for u in cycle]
    waits = "; ".join(f"@{u.label} waits at instruction {u.pc} for '{c.name}' from @{c.source}" for u, c in wanted)
    others = [f"@{u.label}" for u in stuck if u not in cycle]
    behind = f"; behind them {' and '.join(others)}" if others else ""
    second = ("it waits for", _place(cycle[1])) if len(cycle) > 1 else None
    return Fault("deadlock", f"units wait for one another: {waits}{behind}", _place(cycle[0]), core, second)


def _never(core: int, waiter: Unit, poster: Unit, channels: Sequence[Channel]) -> Fault:
    live, channel = _live(waiter), _channel(waiter, channels)
    message = (
        f"waits for '{channel.name}' for ever: @{poster.label}, which posts it, has ended after "
        f"{_times(live.posted, 'post')}; it began at {channel.init} and this is wait number {live.taken + 1}"
    )
    return Fault("deadlock", message, _place(waiter), core)


def _unbalanced(core: int, members: list[Unit], channels: Sequence[Channel]) -> list[Fault]:
    by_label = {u.label: u for u in members}
    found = []
    for number, channel in enumerate(channels):
        poster = by_label[channel.source]
        live = poster.channels[number]
        if live.value != channel.init:
            posts = [i for i, ins in enumerate(poster.code) if ins.op == "post" and ins.channel == number]
            message = (
                f"channel '{channel.name}' ends at {live.value}, it began at {channel.init}: "
                f"@{channel.source} made {_times(live.posted, 'post')}, @{channel.target} {_times(live.taken, 'wait')}"
            )
            place = Place(poster.number, posts[0] if posts else 0, poster.label)
            found.append(Fault("channel-misuse", message, place, core))
    return found


def _times(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _live(unit: Unit) -> LiveChannel:
    assert isinstance(unit.blocked, LiveChannel)  # what a unit waits for besides always comes
    return unit.blocked


def _channel(unit: Unit, channels: Sequence[Channel]) -> Channel:
    return channels[_live(unit).number]


def _place(unit: Unit) -> Place:
    return Place(unit.number, unit.pc, unit.label)
