"""Where every part of the compiler reports: problems are collected, placed and rendered from here.

A caller says *where* (an op, a location, a place or a span), *what* (a stable id and a sentence) and, if it can, which
*field* of the op; the sink finds the line and the characters that the user wrote for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NoReturn, TypeAlias

from spyrec import errors
from spyrec.diag.ids import exception_name
from spyrec.diag.location import resolve
from spyrec.diag.source import Source, Span
from spyrec.diag.source_map import SourceMap
from spyrec.errors import Diagnostic, Position, Severity

if TYPE_CHECKING:
    from spyrec.mlir import ir

#: Anything that has a place. ``None`` is for messages about no place at all (an unreadable file).
Where: TypeAlias = "Span | Position | ir.Location | ir.Operation | ir.OpView | ir.Value | None"
#: A note: a sentence, or a place and a sentence about it.
NoteLike: TypeAlias = "str | tuple[Where, str]"


def exception(diagnostics: Sequence[Diagnostic], resource: tuple[str, int, int] | None = None) -> errors.SpyrecError:
    """The exception that carries ``diagnostics``, of the class that the first error's id calls for."""
    first = next((d for d in diagnostics if d.severity is Severity.ERROR), None)
    kind: type[errors.SpyrecError] = getattr(errors, exception_name(first.id if first else ""))
    if kind is errors.OutOfResources:
        return errors.OutOfResources(diagnostics, *(resource or ("", 0, 0)))
    return kind(diagnostics)


def _as_it_is(text: str) -> str:
    return text


class Sink:
    """Collects diagnostics in the order of their reporting.

    ``limit`` bounds how many errors are kept; after it one last note says that there were more (``dropped`` counts
    them).
    """

    def __init__(self, *, limit: int = 100) -> None:
        self._diagnostics: list[Diagnostic] = []
        self._later: list[Callable[[], Diagnostic]] = []
        self.limit = limit
        self.dropped = 0
        self._errors = 0
        self._resource: tuple[str, int, int] | None = None
        self.spell: Callable[[str], str] = _as_it_is
        """Turns what MLIR calls types and attributes of ours, in a message, into what users write."""
        self._said: set[tuple[object, ...]] = set()
        self._maps: dict[str, SourceMap] = {}
        self._sources: dict[str, Source | None] = {}

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """All that was reported."""
        while self._later:
            self._keep(self._later.pop(0)())
        return self._diagnostics

    # -- what is known about the text ---------------------------------------------------------------------------------

    def add_source(self, source: Source, source_map: SourceMap | None = None) -> None:
        """Make the text of a file known, and the fields of its ops."""
        self._sources[source.name] = source
        if source_map is not None:
            self._maps[source.name] = source_map

    def source(self, name: str) -> Source | None:
        """The text of a file: one that was added, else the file of that name if it can be read."""
        if name not in self._sources:
            self._sources[name] = Source.from_file(name)
        return self._sources[name]

    # -- reporting ----------------------------------------------------------------------------------------------------

    def error(
        self,
        where: Where,
        id: str,
        message: str,
        field: str | None = None,
        notes: Iterable[NoteLike] = (),
        *,
        resource: tuple[str, int, int] | None = None,
    ) -> None:
        """Report a mistake. ``resource`` = (name, need, have) is for ids that end in :class:`errors.OutOfResources`."""
        if self._errors >= self.limit:
            self.dropped += 1
            return
        if resource is not None and self._resource is None:
            self._resource = resource
        self.emit(self.diagnostic(Severity.ERROR, where, id, message, field, notes))

    def warning(
        self, where: Where, id: str, message: str, field: str | None = None, notes: Iterable[NoteLike] = ()
    ) -> None:
        """Report something that is legal and probably not meant."""
        self.emit(self.diagnostic(Severity.WARNING, where, id, message, field, notes))

    def remark(
        self, where: Where, id: str, message: str, field: str | None = None, notes: Iterable[NoteLike] = ()
    ) -> None:
        """Report something worth knowing."""
        self.emit(self.diagnostic(Severity.REMARK, where, id, message, field, notes))

    def emit(self, diagnostic: Diagnostic) -> None:
        """Keep a finished diagnostic (from another sink or process), unless it has been said of its place already."""
        if self._later:
            self.diagnostics  # noqa: B018 - these come first
        self._keep(diagnostic)

    def emit_later(self, make: Callable[[], Diagnostic]) -> None:
        """Keep what ``make`` gives, no error, which is called when somebody wants to see it: placing takes longer than
        many a kernel.
        """
        self._later.append(make)

    def _keep(self, diagnostic: Diagnostic) -> None:
        if diagnostic.position is not None:
            said = (diagnostic.severity, diagnostic.id, diagnostic.message, diagnostic.position, diagnostic.end_column)
            if said in self._said:
                return
            self._said.add(said)
        if diagnostic.severity is Severity.ERROR:
            self._errors += 1
        self._diagnostics.append(diagnostic)

    def diagnostic(
        self,
        severity: Severity,
        where: Where,
        id: str,
        message: str,
        field: str | None = None,
        notes: Iterable[NoteLike] = (),
    ) -> Diagnostic:
        """Place a message without keeping it.

        With a user's ``loc`` the frontend's place comes first and the place in the text is its first note.
        """
        message = self.spell(message)
        primary, related = self._place(where, field)
        made = [self._at(Severity.NOTE, text, span) for text, span in related]
        for note in notes:
            if isinstance(note, str):
                made.append(Diagnostic(Severity.NOTE, self.spell(note)))
            else:
                made.append(self.diagnostic(Severity.NOTE, note[0], "", note[1]))
        return self._at(severity, message, primary, id, tuple(made))

    # -- the outcome --------------------------------------------------------------------------------------------------

    @property
    def has_errors(self) -> bool:
        """Whether any error was reported."""
        return self._errors > 0

    def raise_if_errors(self) -> None:
        """Raise the exception that the first error's id calls for, with everything that was collected."""
        if self.has_errors:
            self.fail()

    def fail(self) -> NoReturn:
        """Raise the collected diagnostics; the class is that of the first error's id."""
        collected = tuple(self.diagnostics)
        if self.dropped:
            collected += (Diagnostic(Severity.REMARK, f"{self.dropped} more errors are not shown"),)
        raise exception(collected, self._resource)

    # -- placing ------------------------------------------------------------------------------------------------------

    def _place(
        self, where: Where, field: str | None
    ) -> tuple[Span | Position | None, list[tuple[str, Span | Position]]]:
        if where is None:
            return None, []
        if isinstance(where, Span):
            return where, []
        if isinstance(where, Position):
            return self._span(where, field), []
        found = resolve(getattr(where, "location", where))
        related = [(text, self._span(position, field)) for text, position in found.related]
        return (self._span(found.primary, field) if found.primary else None), related

    def _span(self, position: Position, field: str | None) -> Span | Position:
        source_map = self._maps.get(position.file)
        if source_map is not None:
            span = source_map.span(position, field) or source_map.span(position)
            if span is not None:
                return span
        source = self.source(position.file)
        return source.word(source.offset(position)) if source else position

    @staticmethod
    def _at(
        severity: Severity,
        message: str,
        place: Span | Position | None,
        id: str = "",
        notes: tuple[Diagnostic, ...] = (),
    ) -> Diagnostic:
        if isinstance(place, Span):
            position = place.position
            line = place.source.line(position.line)
            return Diagnostic(severity, message, id, position, place.end_column, line, notes)
        return Diagnostic(severity, message, id, place, notes=notes)
