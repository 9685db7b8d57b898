"""A broken rule of an op, and how it travels through MLIR's diagnostics, which carry text only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from spyrec.diag import payload
from spyrec.errors import Severity

if TYPE_CHECKING:
    from spyrec.mlir import ir

Note: TypeAlias = "str | tuple[ir.Operation | ir.OpView | ir.Value, str]"
"""A sentence, or one about another place: the op or value that it speaks of, and the sentence."""


@dataclass(frozen=True)
class Violation:
    """One broken rule.

    ``id`` names the kind of mistake (a row of ``diag.IDS``), ``field`` the part of the op that the caret should mark
    (``sizes[1]``, ``type(result)``, an attribute's name, an operand's name), ``notes`` say how to mend it or show a
    second place. Only what an op's ``review`` says may be less than an error.
    """

    id: str
    message: str
    field: str | None = None
    notes: tuple[Note, ...] = ()
    severity: Severity = Severity.ERROR


def encode(violation: Violation) -> str:
    """One line of text that :func:`decode` takes apart again (but for the places of notes)."""
    notes = [note if isinstance(note, str) else note[1] for note in violation.notes]
    return payload.encode(violation.message, violation.id, violation.field, notes)


def decode(message: str) -> Violation | None:
    """The violation that :func:`encode` made ``message`` from; None for a message that carries none."""
    parts = payload.decode(message)
    return Violation(parts.id, parts.message, parts.field or None, parts.notes) if parts.id else None
