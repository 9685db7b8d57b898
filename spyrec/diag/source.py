"""The text that a user wrote, and places in it.

Offsets and columns count characters of the decoded text, lines end at ``\\n`` (a ``\\r`` before it belongs to the line
end). Offsets start at 0, lines and columns at 1.
"""

from __future__ import annotations

import bisect
import functools
import os
import re
from dataclasses import dataclass

from spyrec.errors import Position

_LINE_END = re.compile("\n")
#: A word as MLIR spells names of ops, values and attributes; what a caret without a field underlines.
_WORD = re.compile(r'"(?:[^"\\\n]|\\.)*"|[%@#!^]?[\w$.-]+|->|.')


@dataclass(frozen=True)
class Span:
    """A stretch of characters of one source: ``start`` to ``end`` (exclusive)."""

    source: Source
    start: int
    end: int

    @functools.cached_property
    def position(self) -> Position:
        """Where the stretch starts."""
        return self.source.position(self.start)

    @property
    def end_column(self) -> int:
        """The column after the last character that is on the first line of the stretch."""
        position = self.position
        line = self.source.line(position.line)
        return max(position.column + 1, min(position.column + self.end - self.start, len(line) + 1))

    @property
    def text(self) -> str:
        """The characters themselves."""
        return self.source.text[self.start : self.end]


class Source:
    """One file (or one string under the name that messages call it), with lines found by bisection."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text
        self._starts: list[int] | None = None

    def __repr__(self) -> str:
        return f"Source({self.name!r}, {len(self.text)} characters)"

    @classmethod
    def from_file(cls, path: str, limit: int = 1 << 24) -> Source | None:
        """The text of ``path`` for display, or None when it is not a readable regular file of at most ``limit``
        bytes.
        """
        try:
            if not os.path.isfile(path) or os.path.getsize(path) > limit:
                return None
            with open(path, encoding="utf-8", errors="replace", newline="") as file:
                return cls(path, file.read())
        except (OSError, ValueError):
            return None

    @property
    def starts(self) -> list[int]:
        """Offset of the first character of each line."""
        if self._starts is None:
            self._starts = [0, *(m.end() for m in _LINE_END.finditer(self.text))]
        return self._starts

    def line(self, number: int) -> str:
        """The text of a line without its end; empty when there is no such line."""
        starts = self.starts
        if not 1 <= number <= len(starts):
            return ""
        end = starts[number] - 1 if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : end].rstrip("\r")

    def position(self, offset: int) -> Position:
        """The place of an offset; offsets outside the text are moved to its nearest end."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect.bisect_right(self.starts, offset)
        return Position(self.name, line, offset - self.starts[line - 1] + 1)

    def offset(self, position: Position) -> int:
        """The offset of a place; a column past the end of its line is moved to the end of the line."""
        starts = self.starts
        line = max(1, min(position.line, len(starts)))
        end = starts[line] - 1 if line < len(starts) else len(self.text)
        return min(starts[line - 1] + max(position.column, 1) - 1, end)

    def word(self, offset: int) -> Span:
        """The word, string or punctuation mark that starts at an offset: what a caret without a field underlines."""
        match = _WORD.match(self.text, offset)
        return Span(self, offset, match.end() if match else offset + 1)
