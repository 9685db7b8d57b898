"""Text in the making that remembers where each piece came from.

Positions that MLIR reports refer to the generic text; :class:`Generic` leads them back to the user's. Building costs
two list appends per piece; offsets are summed up only when somebody asks.
"""

from __future__ import annotations

import bisect
import re
from itertools import accumulate

_LINE = re.compile(rb"\n")


class Location(str):
    """A ``loc(...)`` trailer: blanked in the first of two parses."""

    __slots__ = ()


class Output:
    """Pieces of text and, for each, the offset in the source that it stands for (stored as ``~offset`` for made-up
    text).
    """

    __slots__ = ("origins", "texts")

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.origins: list[int] = []

    def copy(self, text: str, origin: int) -> None:
        """Append a stretch of the source as it stands there."""
        self.texts.append(text)
        self.origins.append(origin)

    def add(self, text: str, origin: int) -> None:
        """Append text that was made from what stands at ``origin``."""
        self.texts.append(text)
        self.origins.append(~origin)

    def extend(self, other: Output) -> None:
        """Append all pieces of ``other``."""
        self.texts += other.texts
        self.origins += other.origins


_NOT_LINE_END = re.compile(r"[^\n]")


class Generic:
    """Finished generic text: ``text`` has its ``loc`` trailers blanked, ``located`` has them (None when there are
    none).
    """

    def __init__(self, output: Output, source: str) -> None:
        self._output = output
        self._texts = output.texts
        self._origins = output.origins
        self._source = source
        self.text = "".join(output.texts)
        self.located: str | None = None
        if any(type(t) is Location for t in output.texts):
            self.located = self.text
            blank = (_NOT_LINE_END.sub(" ", t) if type(t) is Location else t for t in output.texts)
            self.text = "".join(blank)
        self._ascii = self.text.isascii()
        self._bounds: list[int] | None = None
        self._lines: list[int] | None = None
        self._bytes = b""

    def behind(self, text: str) -> Generic:
        """The same behind some text that stands for nothing in the source."""
        output = Output()
        output.add(text, 0)
        output.extend(self._output)
        return Generic(output, self._source)

    def offset(self, line: int, column: int) -> int:
        """Offset in ``text`` of a line and a column that counts bytes, both from 1 (as MLIR counts)."""
        if self._lines is None:
            self._bytes = self.text.encode()
            self._lines = [0, *(m.end() for m in _LINE.finditer(self._bytes))]
        start = self._lines[min(line, len(self._lines)) - 1]
        at = start + column - 1
        return at if self._ascii else len(self._bytes[:at].decode(errors="ignore"))

    def origin(self, offset: int) -> int:
        """Offset in the source that an offset in ``text`` stands for."""
        if self._bounds is None:
            self._bounds = [0, *accumulate(map(len, self._texts))]
        bounds = self._bounds
        piece = min(bisect.bisect_right(bounds, offset) - 1, len(self._texts) - 1)
        if piece < 0:
            return 0
        origin = self._origins[piece]
        inside = offset - bounds[piece]
        if origin >= 0:
            return origin + inside
        # A made-up piece maps to where it came from, character by character if it came out the same.
        origin = ~origin
        return origin + inside if inside and self._source.startswith(self._texts[piece], origin) else origin
