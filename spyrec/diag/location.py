"""From MLIR locations to places in files.

The reader gives each op the place of its name in the text, or, when the text carried ``loc("k.py":27:12)``, a fused
location of both whose metadata is :data:`TEXT_TAG`: first what the user's frontend said, then the place in the text.
Everything here goes by the shape of the location objects, so that no MLIR import is needed before there is one.
"""

from __future__ import annotations

from typing import Any

from spyrec.errors import Position
from spyrec.records import dataclass

#: Metadata string of the fused locations that the reader makes: [what the user's ``loc`` said, the place in the text].
TEXT_TAG = "ktir"
#: The note at the place in the text, below what the frontend said.
IN_TEXT = "in this text"


@dataclass(frozen=True)
class Resolved:
    """A location taken apart: ``primary`` is shown first, ``related`` as notes (text of the note, place)."""

    primary: Position | None
    related: tuple[tuple[str, Position], ...] = ()

    @property
    def text(self) -> Position | None:
        """The place in the text that was read, whatever a frontend said."""
        return next((place for note, place in self.related if note == IN_TEXT), self.primary)

    @property
    def source(self) -> Position | None:
        """The place that a frontend said, if it did."""
        return self.primary if self.text != self.primary else None


def is_text_fused(location: Any) -> bool:
    """Whether this is one of the reader's own fused locations."""
    return hasattr(location, "locations") and _metadata(location) == TEXT_TAG


def _metadata(location: Any) -> str | None:
    # The bindings show fused metadata only in the printed form.
    text = str(location)
    prefix = 'loc(fused<"'
    return text[len(prefix) : text.index('"', len(prefix))] if text.startswith(prefix) else None


def downcast(location: Any) -> Any:
    """The location as its own class: those inside diagnostics of an exception arrive as the base class."""
    if type(location).__name__ == "Location":
        return type(location).from_attr(location.attr, location.context)
    return location


def resolve(location: Any) -> Resolved:
    """The places that an ``ir.Location`` speaks of.

    Of a name its child counts, of a call site the callee (the caller becomes a note), of a fused location the first
    member that has a place; of the reader's own fused locations the user's place, with the place in the text as a note.
    """
    location = downcast(location)
    if hasattr(location, "start_line"):
        line = int(location.start_line)
        if line < 1:
            return Resolved(None)
        return Resolved(Position(str(location.filename), line, max(1, int(location.start_col))))
    if hasattr(location, "child_loc"):
        return resolve(location.child_loc)
    if hasattr(location, "callee"):
        callee, caller = resolve(location.callee), resolve(location.caller)
        if callee.primary is None:
            return caller
        extra = (("called from here", caller.primary),) if caller.primary else ()
        return Resolved(callee.primary, callee.related + extra + caller.related)
    if hasattr(location, "locations"):
        members = [r for r in map(resolve, location.locations) if r.primary]
        if not members:
            return Resolved(None)
        first = members[0]
        if is_text_fused(location) and len(members) > 1 and (text := members[-1].primary):
            return Resolved(first.primary, (*first.related, (IN_TEXT, text)))
        return first
    return Resolved(None)
