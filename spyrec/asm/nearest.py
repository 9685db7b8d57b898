"""Which known name somebody meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The one of ``known`` that ``name`` is most likely a misspelling of; the part after the dialect counts most.

    What has that part letter by letter, in whichever dialect, comes before everything else.
    """
    choices = list(known)
    dialect, _, rest = name.partition(".")
    if rest and (elsewhere := [c for c in choices if c.partition(".")[2] == rest]):
        return max(elsewhere, key=lambda c: difflib.SequenceMatcher(None, c, name).ratio())
    same = [c for c in choices if c.partition(".")[0] == dialect]
    by_rest = {c.partition(".")[2]: c for c in same}
    if rest and (close := _closest(rest, by_rest, 0.6)):
        return by_rest[close]
    return _closest(name, choices, 0.75)


def _closest(name: str, known: Iterable[str], cutoff: float) -> str | None:
    """The closest by difflib's ratio; among equals the one that begins alike.

    The same letters in another order (``fmul``, ``mulf``) are closer than any.
    """
    found = difflib.get_close_matches(name, list(known), 5, cutoff)
    found = [f for f in found if sorted(f) == sorted(name)] or found
    best = difflib.SequenceMatcher(None, found[0], name).ratio() if found else 0.0
    equals = [f for f in found if difflib.SequenceMatcher(None, f, name).ratio() >= best - 1e-9]
    return max(equals, key=lambda f: _common_prefix(f, name), default=None)


def _common_prefix(a: str, b: str) -> int:
    return next((k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
