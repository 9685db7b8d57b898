"""A broken rule of an op, and how it travels through MLIR's diagnostics, which carry text only."""

from __future__ import annotations

from dataclasses import dataclass

from spyrec.diag import payload


@dataclass(frozen=True)
class Violation:
    """One broken rule.

    ``id`` names the kind of mistake (a row of ``diag.IDS``), ``field`` the part of the op that the caret should mark
    (``sizes[1]``, ``type(result)``, an attribute's name, an operand's name), ``notes`` say how to mend it.
    """

    id: str
    message: str
    field: str | None = None
    notes: tuple[str, ...] = ()


def encode(violation: Violation) -> str:
    """One line of text that :func:`decode` takes apart again."""
    return payload.encode(violation.message, violation.id, violation.field, violation.notes)


def decode(message: str) -> Violation | None:
    """The violation that :func:`encode` made ``message`` from; None for a message that carries none."""
    parts = payload.decode(message)
    return Violation(parts.id, parts.message, parts.field or None, parts.notes) if parts.id else None
