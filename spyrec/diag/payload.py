"""How a violation travels inside the one string that MLIR's diagnostics carry.

A verifier written in Python can only call ``location.emit_error(text)``. What our diagnostics need beside the message
(the stable id, the field, notes) is packed behind unit-separator characters, which no message contains; the message
stays first, so that a consumer that knows nothing of this shows something readable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_SEPARATOR = "\x1f"


@dataclass(frozen=True)
class Payload:
    """The parts of an encoded message; ``id`` and ``field`` are empty when absent."""

    message: str
    id: str = ""
    field: str = ""
    notes: tuple[str, ...] = ()


def encode(message: str, id: str = "", field: str | None = None, notes: Sequence[str] = ()) -> str:
    """Pack the parts into one string."""
    return _SEPARATOR.join([message, id, field or "", *notes])


def decode(text: str) -> Payload:
    """Take an encoded string apart; a plain message decodes to itself. A prefix that MLIR put in front stays in the
    message.
    """
    message, *rest = text.split(_SEPARATOR)
    if len(rest) < 2:
        return Payload(text)
    return Payload(message, rest[0], rest[1], tuple(rest[2:]))
