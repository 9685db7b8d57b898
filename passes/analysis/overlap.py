"""Whether linear combinations of bounded integers can land in an interval. Exact for what addresses look like.
And which of many intervals overlap.

A term is ``(factor, low, high)``: a variable with ``low <= v <= high`` and its factor; ``None`` is no bound.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

_T = TypeVar("_T")

Term = tuple[int, int | None, int | None]
_Bounded = tuple[int, int, int]

_BUDGET = 2_000
"""Search steps after which the answer is taken to be yes."""

_TRIES = 256
"""Distances that are tried one by one."""


def overlapping(pieces: Iterable[tuple[int, int, bool, _T]]) -> Iterator[tuple[_T, _T]]:
    """Pairs of pieces, each from a place up to but without another one, that share a place. The flag of a piece says
    that it is wanted; two without it are no pair."""
    wanted: list[tuple[int, _T]] = []
    others: list[tuple[int, _T]] = []
    for low, high, flag, piece in sorted(pieces, key=lambda each: each[0]):
        # One list at a time is cleared of what ended: however many there are, they are only gone through for pairs.
        wanted = [(end, other) for end, other in wanted if end > low]
        yield from ((other, piece) for _, other in wanted)
        if flag:
            others = [(end, other) for end, other in others if end > low]
            yield from ((other, piece) for _, other in others)
        (wanted if flag else others).append((high, piece))


def across(pieces: Iterable[tuple[int, int, bool, _T]]) -> Iterator[tuple[_T, _T]]:
    """Pairs as of :func:`overlapping`, but of one piece with the flag and one without it."""
    there: dict[bool, list[tuple[int, _T]]] = {True: [], False: []}
    for low, high, flag, piece in sorted(pieces, key=lambda each: each[0]):
        there[not flag] = [(end, other) for end, other in there[not flag] if end > low]
        yield from ((other, piece) for _, other in there[not flag])
        there[flag].append((high, piece))


def can_reach(terms: Sequence[Term], low: int, high: int) -> bool:
    """Whether ``sum(factor * v)`` can be from ``low`` to ``high``.

    A wrong yes is possible (a search that takes too long; unbounded variables that pull in both directions), a wrong no
    is not.
    """
    if any(a is not None and b is not None and a > b for _, a, b in terms):
        return False
    least, most = _reach(terms)
    if least > high or most < low:
        return False
    bounded = [(f, a, b) for f, a, b in terms if a is not None and b is not None]
    open_ = [(f, a, b) for f, a, b in terms if f and (a is None or b is None)]
    if least > -math.inf or most < math.inf:
        # All open ends lie on one side, so the other side of the interval bounds them.
        for f, a, b in open_:
            room = (high - least if least > -math.inf else most - low) // abs(f)
            bounded.append((f, a, a + int(room)) if a is not None else (f, (b or 0) - int(room), b or 0))
    elif open_:
        # Unbounded variables reach every multiple of `free`, so all else counts by its residue.
        free = math.gcd(*(f for f, _, _ in open_))
        bounded = [(f % free, a, b) for f, a, b in bounded]
        low, high = low % free, low % free + (high - low)
        least, most = _range(bounded)
        bounded.append((free, -((most - low) // free) - 1, (high - least) // free + 1))
    return _search(_merged(bounded), low, high, [_BUDGET])


def first_distance(step: int, limit: int | None, terms: Sequence[Term], low: int, high: int) -> int | None:
    """The least ``d`` from 1 to ``limit`` for which ``step * d + sum(terms)`` can be from ``low`` to ``high``.

    ``None`` is never.
    What is returned may be too small (see :func:`can_reach`), never too large.
    """
    if step == 0:
        return 1 if (limit is None or limit >= 1) and can_reach(terms, low, high) else None
    if step < 0:
        step, low, high = -step, -high, -low
        terms = [(-factor, a, b) for factor, a, b in terms]
    least, most = _reach(terms)
    first = 1 if most == math.inf else max(1, -int((most - low) // step))
    last = math.inf if limit is None else limit
    if least > -math.inf:
        last = min(last, (high - least) // step)
    elif most == math.inf:
        # Residues repeat.
        free = math.gcd(*(f for f, a, b in terms if a is None or b is None))
        last = min(last, free // math.gcd(step, free))
    distance = first
    while distance <= last and distance < first + _TRIES:
        if can_reach(terms, low - step * distance, high - step * distance):
            return distance
        distance += 1
    return None if distance > last else distance


def _reach(terms: Sequence[Term]) -> tuple[float, float]:
    """Bounds of the sum; infinite where a variable has no bound."""
    least: float = 0
    most: float = 0
    for factor, low, high in terms:
        if factor:
            ends = (
                -math.inf if low is None and factor > 0 else math.inf if low is None else factor * low,
                math.inf if high is None and factor > 0 else -math.inf if high is None else factor * high,
            )
            least, most = least + min(ends), most + max(ends)
    return least, most


def _range(terms: Sequence[_Bounded]) -> tuple[int, int]:
    return sum(min(f * a, f * b) for f, a, b in terms), sum(max(f * a, f * b) for f, a, b in terms)


def _merged(terms: Sequence[_Bounded]) -> list[_Bounded]:
    """Terms of one factor as one, all factors positive, the largest first."""
    merged: dict[int, tuple[int, int]] = {}
    for factor, first, last in terms:
        if factor < 0:
            factor, first, last = -factor, -last, -first
        if factor:
            a, b = merged.get(factor, (0, 0))
            merged[factor] = (a + first, b + last)
    return sorted(((f, a, b) for f, (a, b) in merged.items()), reverse=True)


def _search(terms: Sequence[_Bounded], low: int, high: int, budget: list[int]) -> bool:
    """Whether the sum reaches the interval, fixing the variables from the largest factor on."""
    budget[0] -= 1
    if budget[0] < 0:
        return True
    least, most = _range(terms)
    if least > high or most < low:
        return False
    if not terms:
        return True
    divisor = math.gcd(*(f for f, _, _ in terms))
    if (high // divisor) * divisor < low:
        return False
    (factor, first, last), rest = terms[0], terms[1:]
    least, most = _range(rest)
    first = max(first, -((most - low) // factor))
    last = min(last, (high - least) // factor)
    return any(_search(rest, low - factor * v, high - factor * v, budget) for v in range(first, last + 1))
