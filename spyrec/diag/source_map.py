"""Which characters of a source state which field of which op.

The reader records, for each op that it translates, where each field was written. A verifier knows only the op and the
name of a field; :meth:`SourceMap.span` joins the two. Fields are spelled as verifiers spell them: ``access_tile``,
``sizes[1]``, ``type(result)``, and the bare name of an attribute.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from spyrec.diag.source import Source, Span
from spyrec.errors import Position

Fields = Mapping[str, tuple[int, int]]
_ELEMENT = re.compile(r"^(.*)\[\d+\]$")


class SourceMap:
    """Field spans of the ops of one source, keyed by the offset of the op's name.

    ``find`` gives the fields of the op whose name starts at an offset. It is asked when something is reported, so that
    a reader need not collect what nobody wants.
    """

    def __init__(self, source: Source, find: Callable[[int], Fields] | None = None) -> None:
        self.source = source
        self.find = find
        self._fields: dict[int, Fields] = {}

    def fields(self, position: Position) -> Fields:
        """All known fields of the op at a place; empty when nothing is known about it."""
        offset = self.source.offset(position)
        if offset not in self._fields:
            self._fields[offset] = self.find(offset) if self.find is not None else {}
        return self._fields[offset]

    def span(self, position: Position, field: str | None = None) -> Span | None:
        """Where ``field`` of the op at ``position`` was written.

        An element that has no span of its own falls back to its list (``sizes[1]`` to ``sizes``), a type to its value
        (``type(x)`` to ``x``). None when the place is in another file or the field was not written down.
        """
        if position.file != self.source.name:
            return None
        if field is None:
            return self.source.word(self.source.offset(position))
        fields = self.fields(position)
        for name in _fallbacks(field):
            if name in fields:
                return Span(self.source, *fields[name])
        return None


def _fallbacks(field: str) -> list[str]:
    names = [field]
    if match := _ELEMENT.match(field):
        names += _fallbacks(match[1])
    elif field.startswith("type(") and field.endswith(")"):
        inner = field[5:-1]
        if match := _ELEMENT.match(inner):
            names.append(f"type({match[1]})")
        names += _fallbacks(inner)
    return names
