"""Looking at values while a kernel executes: a probe names an SSA value or a line of the text, and perhaps a tile."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from spyrec import diag
from spyrec.errors import Position, UsageError
from spyrec.interp.machine import Tile, Watch
from spyrec.interp.values import Buffer, Tensor
from spyrec.mlir import ir

MAX_RECORDS = 64
"""Executions of one op on one tile that are kept: the first ones, and always the last."""


@dataclass(frozen=True)
class Probe:
    """``name`` (with ``%``) or ``line`` says which results; ``tile`` on which compute tile (None: all). ``file`` is
    where to save what was seen (None: it is printed).
    """

    name: str | None
    line: int | None
    tile: int | None = None
    file: str | None = None

    @staticmethod
    def parse(text: str) -> Probe:
        """``%v``, ``%v#1``, ``27``, any of them with ``@tile=3``, and then with ``=FILE.npy``. Raises UsageError."""
        found = re.fullmatch(r"(%[\w$.-]+(?:#\d+)?|\d+)(?:@tile=(\w*))?(?:=(.+))?", text)
        if found is None:
            raise UsageError(f"--probe {text}: expected %NAME or a line number, perhaps @tile=N, perhaps =FILE.npy")
        what, on, file = found.groups()
        if on is not None and not on.isdecimal():
            raise UsageError(f"--probe {text}: '{on}' is no tile; write @tile=3")
        named = what.startswith("%")
        return Probe(what if named else None, None if named else int(what), None if on is None else int(on), file)


@dataclass(frozen=True)
class Record:
    """One value that a probe saw. ``execution`` counts from 0 per op and tile. ``data`` is None for what is no number
    (views, tiles, futures: ``shown`` describes them); ``undefined`` is how many elements nobody has written.
    """

    probe: Probe
    name: str
    position: Position
    tile: int
    execution: int
    shown: str
    data: npt.NDArray[Any] | None
    undefined: int = 0


@dataclass
class Probes:
    """The probes of one execution, and what they saw. Give :meth:`watcher` to :func:`spyrec.interp.run`."""

    probes: Sequence[Probe]
    text: str
    records: list[Record] = field(default_factory=list)
    matched: set[Probe] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._lines = self.text.splitlines()
        self._executions: dict[tuple[int, int], int] = {}

    def watcher(self, op: ir.Operation) -> Watch | None:
        """Who watches ``op``."""
        place = _place(op)
        if place is None or not op.results:
            return None
        names = self._names(op, place)
        wanted = [(p, self._chosen(p, names, place)) for p in self.probes]
        wanted = [(p, numbers) for p, numbers in wanted if numbers]
        if not wanted:
            return None
        self.matched |= {p for p, _ in wanted}

        def watch(tile: Tile, op: ir.Operation, values: Sequence[Any]) -> None:
            key = (hash(op), tile.number)
            execution = self._executions.get(key, 0)
            self._executions[key] = execution + 1
            for probe, numbers in wanted:
                if probe.tile in (None, tile.number):
                    for k in numbers:
                        self._keep(_record(probe, names[k], place, tile.number, execution, values[k]))

        return watch

    def missing(self) -> list[Probe]:
        """Probes that name nothing in the kernel."""
        return [p for p in self.probes if p not in self.matched]

    def _keep(self, record: Record) -> None:
        if record.execution >= MAX_RECORDS:
            last = self.records[-1]
            same = (last.probe, last.name, last.position, last.tile)
            if same == (record.probe, record.name, record.position, record.tile) and last.execution >= MAX_RECORDS:
                self.records.pop()
        self.records.append(record)

    def _names(self, op: ir.Operation, place: Position) -> list[str]:
        """How the text calls the results of an op; ``%?`` where it cannot be told."""
        count = len(op.results)
        line = self._lines[place.line - 1] if place.line <= len(self._lines) else ""
        found = re.search(r"((?:%[\w$.-]+(?::\d+)?\s*,\s*)*%[\w$.-]+(?::\d+)?)\s*=\s*$", line[: place.column - 1])
        names: list[str] = []
        for part in found[1].split(",") if found else ():
            name, _, several = part.strip().partition(":")
            names += [f"{name}#{k}" for k in range(int(several))] if several else [name]
        return names if len(names) == count else ["%?"] * count

    @staticmethod
    def _chosen(probe: Probe, names: Sequence[str], place: Position) -> list[int]:
        if probe.line is not None:
            return list(range(len(names))) if probe.line == place.line else []
        return [k for k, name in enumerate(names) if probe.name in (name, name.partition("#")[0])]


def stacked(records: Sequence[Record]) -> npt.NDArray[Any]:
    """What one probe saw, as one array: the value itself if there is one, else one after the other by tile, result and
    execution. Raises UsageError when they are no numbers, or of several shapes.
    """
    arrays = [r.data for r in sorted(records, key=lambda r: (r.tile, r.name, r.execution)) if r.data is not None]
    if not arrays:
        raise UsageError(f"--probe {records[0].name}: {records[0].shown} is nothing to save")
    kinds = {(a.shape, str(a.dtype)) for a in arrays}
    if len(kinds) > 1:
        shapes = " and ".join(sorted(f"{'x'.join(map(str, s)) or 'scalar'} {d}" for s, d in kinds))
        raise UsageError(f"--probe {records[0].name}: its values are {shapes}; one file takes values of one shape")
    return arrays[0] if len(arrays) == 1 else np.stack(arrays)


def _place(op: ir.Operation) -> Position | None:
    """The place of an op in the kernel's text (not in the frontend's)."""
    resolved = diag.resolve(op.location)
    return resolved.related[-1][1] if resolved.related else resolved.primary


def _record(probe: Probe, name: str, place: Position, tile: int, execution: int, value: Any) -> Record:
    if isinstance(value, Tensor | Buffer):
        holes = 0 if value.holes is None else int(value.holes.sum())
        data = np.array(value.data)
        return Record(probe, name, place, tile, execution, _shown(data, holes), data, holes)
    if isinstance(value, int | float | np.ndarray | np.generic):
        data = np.asarray(int(value) if isinstance(value, int) else value)
        return Record(probe, name, place, tile, execution, _shown(data, 0), data)
    return Record(probe, name, place, tile, execution, f"a {type(value).__name__.lower()}", None)


def _shown(data: npt.NDArray[Any], holes: int) -> str:
    if not data.ndim:
        return str(data)
    shape = "x".join(map(str, data.shape))
    note = f", {holes} elements undefined" if holes else ""
    return f"{shape} {data.dtype}{note}\n{np.array2string(data, threshold=16, edgeitems=3, separator=', ')}"


def render(record: Record) -> str:
    """One record as text."""
    where = f"{record.position.file}:{record.position.line}"
    again = f", execution {record.execution}" if record.execution else ""
    return f"{record.name} ({where}) on tile {record.tile}{again}: {record.shown}\n"
