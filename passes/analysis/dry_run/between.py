"""Conflicts of different cores in device memory, where nothing orders cores that do not wait for one another.

Only accesses that are made whatever the launch and the data are get looked at: where those decide an address, a number
of iterations or a branch, cores may be kept apart by what they are given, and the simulator sees that. A read and a
write conflict for sure. Two writes do so unless they write equal bytes, which only data can tell.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from spyrec.passes.analysis.dry_run.code import POINTER_BITS
from spyrec.passes.analysis.dry_run.machine import Fault, Run, Touch
from spyrec.passes.analysis.dry_run.memory import Spans
from spyrec.passes.analysis.dry_run.values import Per

_MOST = 2_100_000
_NONE: Spans = np.empty((0, 2), np.int64)


class TooMany(Exception):
    """There are more pieces than are compared."""


@dataclass
class _Core:
    """What one core does to one argument's memory: touches with the byte that each starts at."""

    reads: list[tuple[Run, Touch, int]] = field(default_factory=list)
    writes: list[tuple[Run, Touch, int]] = field(default_factory=list)

    def spans(self, *, writes: bool) -> Spans:
        """The bytes that are read, or those that are written."""
        kind = self.writes if writes else self.reads
        return _union([touch.shape.spans + at for _, touch, at in kind])


def conflicts(runs: Sequence[Run]) -> tuple[Fault | None, Fault | None]:
    """A read of a core and a write of another one of the same bytes, if there are; likewise two writes.

    ``runs`` cover different cores of one program. Raises :class:`TooMany`.
    """
    found: list[Fault | None] = [None, None]
    for cores in _segments(runs).values():
        written = {core: own.spans(writes=True) for core, own in cores.items() if own.writes}
        for core, own in cores.items():
            others = {c: spans for c, spans in written.items() if c != core}
            if not others:
                continue
            rest = _union(others.values())
            for k, mine in enumerate((own.spans(writes=False), written.get(core, _NONE))):
                shared = _common(mine, rest) if found[k] is None else None
                if shared is not None:
                    other = next(c for c, spans in others.items() if _common(spans, np.array([shared])) is not None)
                    found[k] = _fault(own.writes if k else own.reads, core, cores[other].writes, other, shared)
    return found[0], found[1]


def _segments(runs: Iterable[Run]) -> dict[int, dict[int, _Core]]:
    """All touches by argument and core; without arguments that may be one another."""
    pieces = 0
    segments: defaultdict[int, dict[int, _Core]] = defaultdict(dict)
    for run in runs:
        shared = run.code.aliased
        for touch in run.touches:
            if touch.access.may or not touch.access.certain:
                continue
            pieces += len(run.cores) * len(touch.shape.pieces)
            if pieces > _MOST:
                raise TooMany
            for core, at in zip(run.cores, _everywhere(touch, len(run.cores)), strict=True):
                if at >> POINTER_BITS not in shared:
                    own = segments[at >> POINTER_BITS].setdefault(core, _Core())
                    (own.writes if touch.access.writes else own.reads).append((run, touch, at))
    return segments


def _everywhere(touch: Touch, cores: int) -> Iterator[int]:
    at = touch.at
    for k in range(cores):
        place = at[k] if isinstance(at, Per) else at
        assert isinstance(place, int)
        yield place


def _union(spans: Iterable[Spans]) -> Spans:
    """The same bytes, sorted, in spans that do not meet."""
    parts = [part for part in spans if len(part)]
    if not parts:
        return _NONE
    rows = np.concatenate(parts)
    rows = rows[np.argsort(rows[:, 0], kind="stable")]
    ends = np.maximum.accumulate(rows[:, 1])
    first = np.concatenate([[True], rows[1:, 0] > ends[:-1]])
    last = np.concatenate([first[1:], [True]])
    return np.stack([rows[first, 0], ends[last]], axis=1)


def _common(a: Spans, b: Spans) -> tuple[int, int] | None:
    """The first bytes that two unions share."""
    if not len(a) or not len(b):
        return None
    behind = np.searchsorted(b[:, 1], a[:, 0], side="right")
    within = np.minimum(behind, len(b) - 1)
    meets = np.nonzero((behind < len(b)) & (b[within, 0] < a[:, 1]))[0]
    if not len(meets):
        return None
    one, other = a[meets[0]], b[within[meets[0]]]
    return int(max(one[0], other[0])), int(min(one[1], other[1]))


def _fault(
    mine: list[tuple[Run, Touch, int]],
    core: int,
    others: list[tuple[Run, Touch, int]],
    other: int,
    shared: tuple[int, int],
) -> Fault:
    """Who touches ``shared``; two writes need not be a mistake."""
    (run, touch), (rival_run, rival) = (_first(touches, shared) for touches in (mine, others))
    label, rival_label = run.units[touch.access.unit].label, rival_run.units[rival.access.unit].label
    where = run.code.bytes_text(*shared)
    if touch.access.writes:
        message = (
            f"@{label} on core {core} and @{rival_label} on core {other} both write {where}, in no order; that is "
            "right only if both write the same values"
        )
        return Fault("not-proven", touch.access.op, message, ((rival.access.op, "the other write"),))
    message = (
        f"@{label} on core {core} reads {where}; @{rival_label} on core {other} writes them, and no channel orders the "
        "two"
    )
    return Fault("tile-race", touch.access.op, message, ((rival.access.op, "the other access"),))


def _first(touches: list[tuple[Run, Touch, int]], shared: tuple[int, int]) -> tuple[Run, Touch]:
    wanted = np.array([shared])
    return next(
        (run, touch) for run, touch, at in touches if _common(_union([touch.shape.spans + at]), wanted) is not None
    )
