"""A record of who did what when, in the JSON form that Chrome's and Perfetto's trace viewers open."""

from __future__ import annotations

import json
from typing import Any, TextIO


class Trace:
    """Spans of transfers and stream kernels: one process per core, one track per unit, one microsecond per cycle."""

    def __init__(self) -> None:
        self._spans: list[tuple[int, int, int, int, int]] = []  # core, unit, instruction, from, to
        self._names: dict[tuple[int, int], str] = {}
        self._ops: dict[tuple[str, int], tuple[str, str]] = {}

    def describe(self, label: str, index: int, text: str, where: str) -> None:
        """Say how instruction ``index`` of unit ``label`` is to be called, and where the user wrote it."""
        self._ops[label, index] = text, where

    def span(self, core: int, label: str, unit: int, index: int, since: int, until: int) -> None:
        """Instruction ``index`` of a unit was in progress from ``since`` to ``until``."""
        self._names[core, unit] = label
        self._spans.append((core, unit, index, since, until))

    def to_json(self) -> dict[str, Any]:
        """``{"traceEvents": [...]}``; overlapping spans of one unit are on separate lanes of it."""
        events: list[dict[str, Any]] = []
        for core, unit in sorted(self._names):
            label = self._names[core, unit]
            events.append({"ph": "M", "pid": core, "name": "process_name", "args": {"name": f"core {core}"}})
            mine = sorted((since, until, index) for c, u, index, since, until in self._spans if (c, u) == (core, unit))
            ends: list[int] = []  # per lane: when its last span ends
            for since, until, index in mine:
                text, where = self._ops.get((label, index), ("", ""))
                lane = next((i for i, end in enumerate(ends) if end <= since), len(ends))
                ends[lane : lane + 1] = [until]
                events.append(
                    {
                        "ph": "X",
                        "pid": core,
                        "tid": unit * 16 + lane,
                        "ts": since,
                        "dur": until - since,
                        "name": text,
                        "args": {"instruction": index, "line": where},
                    }
                )
            for lane in range(len(ends)):
                name = label if lane == 0 else f"{label} (overlapping {lane})"
                events.append(
                    {"ph": "M", "pid": core, "tid": unit * 16 + lane, "name": "thread_name", "args": {"name": name}}
                )
        return {"displayTimeUnit": "ns", "traceEvents": events}

    def write(self, file: TextIO) -> None:
        """Write :meth:`to_json` as text."""
        json.dump(self.to_json(), file)
