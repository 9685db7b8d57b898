"""What compute tiles produce for one another, and how tiles take turns.

A tile runs until it needs a partial that is not there yet. When no tile can go on, the fault names every waiter and
whom it waits for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from spyrec.interp.faults import Fault
from spyrec.interp.requests import Await, Flow

if TYPE_CHECKING:
    from spyrec.mlir import ir


@dataclass(frozen=True)
class Partial:
    """What one tile contributes: the values, and the clock that whoever takes them joins (None: there is one tile)."""

    values: tuple[Any, ...]
    published: npt.NDArray[np.int64] | None


@dataclass(frozen=True)
class Future:
    """The value of a produce op on one tile: its ``ordinal``-th execution there. Executions of one op with equal
    ordinals belong together.
    """

    op: ir.Operation
    ordinal: int


@dataclass(eq=False)
class Exchange:
    """Partials of all tiles: by produce op, ordinal and group, then by tile. ``cores`` is what they share below stage
    ``kernel`` (:class:`spyrec.interp.cores.Cores`).
    """

    partials: dict[tuple[int, int, int], dict[int, Partial]] = field(default_factory=dict)
    cores: Any = None
    _executions: dict[tuple[int, int], int] = field(default_factory=dict)

    def begin(self, op: ir.Operation, tile: int) -> Future:
        """A tile executes a produce op."""
        key = (hash(op), tile)
        ordinal = self._executions.get(key, 0)
        self._executions[key] = ordinal + 1
        return Future(op, ordinal)

    def of(self, future: Future, group: int) -> dict[int, Partial]:
        """What has been produced for a group so far, by tile."""
        return self.partials.setdefault((hash(future.op), future.ordinal, group), {})


@dataclass(eq=False)
class Turn:
    """One tile, and what it waits for."""

    number: int
    flow: Flow
    waits: Await | None = None

    @property
    def ready(self) -> bool:
        return self.waits is None or not self.waits.missing()


def take_turns(turns: Sequence[Turn], rng: np.random.Generator | None) -> None:
    """Run all tiles to their ends; ``rng`` draws who goes next. Raises :class:`Fault` ``deadlock``, or what a tile
    raises, with the tile's number in a note.
    """
    alive = list(turns)
    while alive:
        ready = [t for t in alive if t.ready]
        if not ready:
            raise _deadlock(alive)
        turn = ready[0] if rng is None else ready[int(rng.integers(len(ready)))]
        try:
            request = next(turn.flow, None)
        except Fault as fault:
            if len(turns) > 1:
                fault.notes += (f"on compute tile {turn.number} of {len(turns)}",)
            raise
        if request is None:
            alive.remove(turn)
            continue
        assert isinstance(request, Await), "only units wait for channels of their core, and no tile runs a unit"
        turn.waits = request


def _deadlock(waiting: Sequence[Turn]) -> Fault:
    """Who waits for whom; tiles that wait at one place in one way are named together."""
    places: dict[tuple[int, str, tuple[int, ...]], list[int]] = {}
    ops = {}
    for turn in waiting:
        assert turn.waits is not None
        key = (hash(turn.waits.op), turn.waits.what, tuple(turn.waits.missing()))
        places.setdefault(key, []).append(turn.number)
        ops[key] = turn.waits.op
    blocked = {t.number for t in waiting}
    texts = []
    for key, tiles in places.items():
        _, what, missing = key
        stuck = [m for m in missing if m in blocked]
        ended = [m for m in missing if m not in blocked]
        states = [f"{_tiles(stuck)}, waiting too"] * bool(stuck) + [f"{_tiles(ended)}, at the end"] * bool(ended)
        wait = "waits" if len(tiles) == 1 else "wait"
        texts.append((ops[key], f"{_tiles(tiles)} {wait} for {what} {' and from '.join(states)}"))
    fault = Fault("deadlock", f"no compute tile can go on: {texts[0][1]}", notes=texts[1:])
    fault.op = texts[0][0]
    return fault


def _tiles(numbers: Sequence[int]) -> str:
    """A list of tiles, with runs of numbers folded."""
    runs: list[list[int]] = []
    for n in sorted(numbers):
        if runs and n == runs[-1][1] + 1:
            runs[-1][1] = n
        else:
            runs.append([n, n])
    named = ", ".join(str(a) if a == b else f"{a} to {b}" for a, b in runs)
    return f"tile{'s' if len(numbers) > 1 else ''} {named}"
