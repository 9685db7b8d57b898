"""The exceptions that leave the package, and the diagnostics that they carry.

Every refusal of this compiler is a :class:`SpyrecError` with a tuple of :class:`Diagnostic`. The class says whose move
it is
(the kernel is wrong, the compiler cannot do it yet, it does not fit, the compiler is wrong) and fixes the exit status;
the diagnostic's ``id`` says what happened. This module imports nothing of the project until a message is shown, so that
any layer may raise.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass


class Severity(enum.Enum):
    """How bad a diagnostic is; the value is the word that is printed."""

    ERROR = "error"
    WARNING = "warning"
    REMARK = "remark"
    NOTE = "note"


@dataclass(frozen=True, order=True)
class Position:
    """A place in a file that the user wrote. ``line`` and ``column`` start at 1; columns count characters."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Diagnostic:
    """One message.

    ``end_column`` (exclusive) bounds the underlined text on the line of ``position``; ``source_line`` is that line
    when its text is known. ``notes`` say how to mend it, or name the second place involved.
    """

    severity: Severity
    message: str
    id: str = ""
    position: Position | None = None
    end_column: int | None = None
    source_line: str | None = None
    notes: tuple[Diagnostic, ...] = ()

    def __str__(self) -> str:
        place = f"{self.position}: " if self.position else ""
        return f"{place}{self.severity.value}: {self.message}"


class SpyrecError(Exception):
    """Base of all exceptions that this package raises on purpose.

    ``status`` is the exit status of the command line: 1 the input was refused, 2 the command line was wrong (or a
    Python package is missing), 3 the compiler is at fault. Instances pickle, so that they cross process boundaries.
    """

    status: int = 1

    def __init__(self, diagnostics: Sequence[Diagnostic] | str = ()) -> None:
        if isinstance(diagnostics, str):
            diagnostics = (Diagnostic(Severity.ERROR, diagnostics),)
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        super().__init__(self.diagnostics)

    def __str__(self) -> str:
        """What the command line shows: places, ids, lines as far as they are known, notes."""
        from spyrec.diag.render import render, sources

        return render(self.diagnostics, sources(self.diagnostics)).rstrip("\n")


class InvalidKernel(SpyrecError):
    """The input is wrong: it does not parse, breaks a rule of the language, or misbehaves when executed."""


class Unsupported(SpyrecError):
    """The input is valid but this compiler cannot do it; the message says what and why."""


class OutOfResources(SpyrecError):
    """The kernel does not fit the device: ``need`` of ``resource`` was asked for, ``have`` exists (both in the
    resource's unit)."""

    def __init__(
        self, diagnostics: Sequence[Diagnostic] | str = (), resource: str = "", need: int = 0, have: int = 0
    ) -> None:
        super().__init__(diagnostics)
        self.resource = resource
        self.need = need
        self.have = have

    def __reduce__(self) -> tuple[type[OutOfResources], tuple[tuple[Diagnostic, ...], str, int, int]]:
        return type(self), (self.diagnostics, self.resource, self.need, self.have)


class UsageError(SpyrecError):
    """The command line, an option or an argument of the API is wrong, or the installation is."""

    status = 2


class CompilerBug(SpyrecError):
    """A pass, the encoder or an executor broke one of its own promises."""

    status = 3
