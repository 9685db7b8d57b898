"""Which known name somebody meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The one of ``known`` that ``name`` is most likely a misspelling of; the part after the dialect counts most."""
    choices = list(known)
    dialect, _, rest = name.partition(".")
    same = [c for c in choices if c.partition(".")[0] == dialect]
    by_rest = {c.partition(".")[2]: c for c in same}
    if rest and (close := difflib.get_close_matches(rest, by_rest, 1, 0.6)):
        return by_rest[close[0]]
    found = difflib.get_close_matches(name, choices, 1, 0.75)
    return found[0] if found else None
