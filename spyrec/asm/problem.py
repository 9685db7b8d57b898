"""The one exception that the reading side raises inside itself; the reader turns it into a diagnostic."""

from __future__ import annotations

from collections.abc import Sequence


class Problem(Exception):
    """A mistake in the text: ``start`` to ``end`` (exclusive) are character offsets of it.

    ``notes`` are sentences, or ``(start, end, sentence)`` for a second place.
    """

    def __init__(
        self, id: str, message: str, start: int, end: int, notes: Sequence[str | tuple[int, int, str]] = ()
    ) -> None:
        super().__init__(message)
        self.id = id
        self.message = message
        self.start = start
        self.end = end
        self.notes = tuple(notes)
