"""A broken rule of an op, and how it travels through MLIR's diagnostics, which carry text only."""

from __future__ import annotations

from dataclasses import dataclass

_MARK = "\u2063"
"""An invisible separator: the encoded text still reads well where nobody decodes it."""


@dataclass(frozen=True)
class Violation:
    """One broken rule.

    ``id`` names the kind of mistake (a row of ``diag.IDS``), ``field`` the part of the op that the caret should mark (``sizes[1]``,
    ``type(result)``, an attribute's name, an operand's name), ``notes`` say how to mend it.
    """

    id: str
    message: str
    field: str | None = None
    notes: tuple[str, ...] = ()


def encode(violation: Violation) -> str:
    """One line of text that :func:`decode` takes apart again."""
    parts = [violation.message, f" [{violation.id}]"]
    if violation.field is not None:
        parts.append(f" at {violation.field}")
    parts.extend(f"; {note}" for note in violation.notes)
    return _MARK.join(parts)


def decode(message: str) -> Violation | None:
    """The violation that :func:`encode` made ``message`` from, also with text in front of it; None for any other message."""
    head, *parts = message.split(_MARK)
    if not parts:
        return None
    field, notes = None, parts[1:]
    if notes and notes[0].startswith(" at "):
        field, notes = notes[0].removeprefix(" at "), notes[1:]
    return Violation(parts[0][2:-1], head, field, tuple(n.removeprefix("; ") for n in notes))
