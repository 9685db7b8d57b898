"""Nested counts with one list of strides per operand: dropped where they are 1, merged where all operands allow it."""

from __future__ import annotations

from collections.abc import Sequence

Strides = tuple[int, ...]


def simplified(counts: Sequence[int], strides: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], list[Strides]]:
    """An equal nest with as few counts as possible, at least one.

    ``strides`` has a list per operand, as long as ``counts``, outermost first. An outer count merges with the
    next inner one when for every operand one outer step is as far as all inner ones.
    """
    kept: list[tuple[int, list[int]]] = []
    for level, count in enumerate(counts):
        steps = [s[level] for s in strides]
        if count == 1:
            continue
        if kept and all(outer == inner * count for outer, inner in zip(kept[-1][1], steps, strict=True)):
            kept[-1] = (kept[-1][0] * count, steps)
        else:
            kept.append((count, steps))
    if not kept:
        # One element: its strides do not matter, but say that it is dense rather than that it repeats.
        kept = [(1, [s[-1] if s else 0 for s in strides])]
    return tuple(count for count, _ in kept), [tuple(steps[k] for _, steps in kept) for k in range(len(strides))]
