"""A record of who did what when, in the JSON form that Chrome's and Perfetto's trace viewers open.

One process per core. A unit has one track for what it does in order (stream kernels, posts, waits) and, if it moves
data, one more per transfer that is in flight at the same time. One microsecond of the viewer is one cycle. An arrow
goes from each post, or from the transfer whose end lets it fire, to the wait that takes it.
"""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass
from typing import Any, TextIO

_INSIDE = 0.25  # cycles by which the end of an arrow lies inside of its span, to belong to that one


@dataclass
class Tally:
    """How often an instruction of one unit was executed, and when it was in progress for the first and last time."""

    count: int
    first: int
    last: int


@dataclass(frozen=True)
class _Token:
    """A post: its arrow's number, or none for a post before which nothing is known."""

    arrow: int


class Trace:
    """Spans of what units do. Without ``detailed`` only tallies are kept: all that a report needs.

    ``tallies`` are by core, number of the unit and number of the instruction.
    """

    def __init__(self, *, detailed: bool = True) -> None:
        self.detailed = detailed
        self.tallies: dict[tuple[int, int, int], Tally] = {}
        self._spans: list[tuple[int, int, int, int, int]] = []  # core, unit, instruction, from, to
        self._steps: list[tuple[int, int, str, int, int]] = []  # core, unit, name, from, to
        self._arrows: list[list[tuple[int, int, float, bool]]] = []  # ends: core, unit, time, in flight
        self._tokens: dict[tuple[int, str], deque[_Token]] = {}
        self._names: dict[tuple[int, int], str] = {}
        self._ops: dict[tuple[str, int], tuple[str, str]] = {}

    def describe(self, label: str, index: int, text: str, where: str) -> None:
        """Say how instruction ``index`` of unit ``label`` is to be called, and where the user wrote it."""
        self._ops[label, index] = text, where

    def span(self, core: int, label: str, unit: int, index: int, since: int, until: int) -> None:
        """Instruction ``index`` of a unit was in progress from ``since`` to ``until``."""
        tally = self.tallies.get((core, unit, index))
        if tally is None:
            self.tallies[core, unit, index] = Tally(1, since, until)
        else:
            tally.count += 1
            tally.first = min(tally.first, since)
            tally.last = max(tally.last, until)
        if self.detailed:
            self._names[core, unit] = label
            self._spans.append((core, unit, index, since, until))

    def post(self, core: int, label: str, unit: int, channel: str, at: int, fires: int, transfers: bool) -> None:
        """A unit posted ``channel`` at ``at``; it fires at ``fires``, when the last transfer of the unit is complete
        if ``transfers``.
        """
        self._names[core, unit] = label
        self._steps.append((core, unit, f"post {channel}", at - 1, at))
        self._tokens.setdefault((core, channel), deque()).append(_Token(len(self._arrows)))
        in_flight = transfers and fires >= at
        self._arrows.append([(core, unit, (fires if in_flight else at) - _INSIDE, in_flight)])

    def wait(
        self, core: int, label: str, unit: int, channel: str, since: int, until: int, poster: int, *, initial: bool
    ) -> None:
        """A unit waited from ``since`` to ``until`` for ``channel``, which a unit of core ``poster`` posts;
        ``initial``: it took one of the first credits.
        """
        self._names[core, unit] = label
        self._steps.append((core, unit, f"wait {channel}", since, until))
        if not initial:
            token = self._tokens[poster, channel].popleft()
            self._arrows[token.arrow].append((core, unit, until - _INSIDE, False))

    def to_json(self) -> dict[str, Any]:
        """``{"traceEvents": [...]}``."""
        events: list[dict[str, Any]] = []
        flights: dict[tuple[int, int, float], int] = {}  # the lane of a transfer, by when it ends
        spans: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
        for core, unit, index, since, until in self._spans:
            spans.setdefault((core, unit), []).append((since, until, index))
        steps: dict[tuple[int, int], list[tuple[int, int, str]]] = {}
        for core, unit, name, since, until in self._steps:
            steps.setdefault((core, unit), []).append((since, until, name))
        for core in sorted({core for core, _ in self._names}):
            events.extend(_named("process", core, None, f"core {core}"))
        lanes = {place: self._lanes(label, spans.get(place, [])) for place, label in self._names.items()}
        tracks = 1 + max((max(found, default=0) for found in lanes.values()), default=0)  # of each unit
        for (core, unit), label in sorted(self._names.items()):
            mine = lanes[core, unit]
            for (since, until, index), lane in zip(spans.get((core, unit), []), mine, strict=True):
                flights[core, unit, until] = lane
                text, where = self._ops.get((label, index), ("", ""))
                span = _span(core, unit * tracks + lane, text, since, until)
                events.append({**span, "cat": "work", "args": {"instruction": index, "line": where}})
            for since, until, name in sorted(steps.get((core, unit), ())):
                events.append({**_span(core, unit * tracks, name, since, until), "cat": name.partition(" ")[0]})
            for lane in range(1 + max(mine, default=0)):
                name = label if lane == 0 else f"{label}: in flight {lane}"
                events.extend(_named("thread", core, unit * tracks + lane, name))
        for number, arrow in enumerate(self._arrows):
            if len(arrow) == 2:
                for phase, (core, unit, time, in_flight) in zip("sf", arrow, strict=True):
                    lane = flights.get((core, unit, time + _INSIDE), 0) if in_flight else 0
                    end = {"ph": phase, "id": number, "name": "post to wait", "cat": "channel", "bp": "e"}
                    events.append({**end, "pid": core, "tid": unit * tracks + lane, "ts": time})
        return {"displayTimeUnit": "ns", "traceEvents": events}

    def _lanes(self, label: str, spans: list[tuple[int, int, int]]) -> list[int]:
        """The lane of each of a unit's spans, which are put in order of time: 0, or from 1 on for a unit that moves
        data, such that none overlap.
        """
        spans.sort()
        moves = any(" to " in self._ops.get((label, index), ("",))[0] for _, _, index in spans)
        ends: list[int] = [1 << 62] if moves else []  # per lane: when its last span ends
        found = []
        for since, until, _ in spans:
            lane = next((i for i, end in enumerate(ends) if end <= since), len(ends))
            ends[lane : lane + 1] = [until]
            found.append(lane)
        return found

    def write(self, file: TextIO) -> None:
        """Write :meth:`to_json` as text."""
        json.dump(self.to_json(), file)


def _span(core: int, track: int, name: str, since: int, until: int) -> dict[str, Any]:
    return {"ph": "X", "pid": core, "tid": track, "ts": since, "dur": until - since, "name": name}


def _named(what: str, core: int, track: int | None, name: str) -> list[dict[str, Any]]:
    """The name of a process or thread, and its place: without one, viewers sort by name, core 10 before core 2."""
    where = {"pid": core} if track is None else {"pid": core, "tid": track}
    place = core if track is None else track
    return [
        {"ph": "M", **where, "name": f"{what}_name", "args": {"name": name}},
        {"ph": "M", **where, "name": f"{what}_sort_index", "args": {"sort_index": place}},
    ]
