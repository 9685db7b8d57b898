"""How a violation travels inside the one string that MLIR's diagnostics carry.

A verifier written in Python can only call ``location.emit_error(text)``. What our diagnostics need beside the message
(the stable id, the field, notes) is packed behind invisible separators: the text still reads well where nobody decodes
it, and MLIR may put words in front.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_MARK = "\u2063"


@dataclass(frozen=True)
class Payload:
    """The parts of an encoded message; ``id`` and ``field`` are empty when absent."""

    message: str
    id: str = ""
    field: str = ""
    notes: tuple[str, ...] = ()


def encode(message: str, id: str, field: str | None = None, notes: Sequence[str] = ()) -> str:
    """Pack the parts into one line of text."""
    parts = [message, f" [{id}]"]
    if field is not None:
        parts.append(f" at {field}")
    parts.extend(f"; {note}" for note in notes)
    return _MARK.join(parts)


def decode(text: str) -> Payload:
    """Take an encoded string apart; a plain message decodes to itself."""
    message, *rest = text.split(_MARK)
    if not rest:
        return Payload(text)
    field, notes = "", rest[1:]
    if notes and notes[0].startswith(" at "):
        field, notes = notes[0].removeprefix(" at "), notes[1:]
    return Payload(message, rest[0][2:-1], field, tuple(n.removeprefix("; ") for n in notes))
