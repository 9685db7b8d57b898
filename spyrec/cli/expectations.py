"""``--verify-diagnostics``: comments in the input say which messages have to come, MLIR's syntax and rules.

``// expected-error@+1 {{substring}}``: kinds error, warning, remark and note; places ``@+N``, ``@-N``, ``@above``,
``@below`` (the nearest line in that direction that holds no expectation), ``@unknown`` (a message without a place);
``expected-error-re`` takes ``{{``-quoted regular expressions inside the text as ``{{text {{[0-9]+}} more}}``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from spyrec.errors import Diagnostic, Position, Severity

_DESIGNATOR = re.compile(
    r"expected-(?P<kind>error|warning|remark|note)(?P<re>-re)?\s*(?:@(?P<place>[+-]\d+|above|below|unknown))?"
    r"\s*\{\{(?P<text>.*)\}\}\s*$"
)
_INNER = re.compile(r"\{\{(.*?)\}\}")


@dataclass
class Expectation:
    """One comment: what has to be said on ``line`` (None: at no place); ``at`` is where the comment stands."""

    kind: Severity
    text: str
    pattern: re.Pattern[str] | None
    line: int | None
    at: Position
    source_line: str
    met: bool = field(default=False, compare=False)

    def takes(self, kind: Severity, line: int | None, message: str) -> bool:
        """Whether a message is what this expects."""
        if kind is not self.kind or line != self.line:
            return False
        return bool(self.pattern.search(message)) if self.pattern else self.text in message


def read(text: str, name: str) -> list[Expectation]:
    """The expectations in a file's text."""
    lines = text.split("\n")
    matches = [_DESIGNATOR.search(line) if "expected-" in line else None for line in lines]
    found = []
    for index, match in enumerate(matches):
        if match is None:
            continue
        place = match["place"]
        line: int | None = index + 1
        if place == "unknown":
            line = None
        elif place in ("above", "below"):
            step = -1 if place == "above" else 1
            at = index + step
            while 0 <= at < len(lines) and matches[at] is not None:
                at += step
            line = at + 1
        elif place:
            line = index + 1 + int(place)
        pattern = None
        if match["re"]:
            # Outside the inner braces the text is literal.
            parts = _INNER.split(match["text"])
            pattern = re.compile("".join(p if i % 2 else re.escape(p) for i, p in enumerate(parts)))
        column = match.start() + 1
        found.append(
            Expectation(
                Severity(match["kind"]),
                match["text"],
                pattern,
                line,
                Position(name, index + 1, column),
                lines[index],
            )
        )
    return found


def check(expected: list[Expectation], said: Iterable[Diagnostic], name: str) -> list[Diagnostic]:
    """Errors for each message that was not expected and each expectation that was not met; empty when all is well."""
    wrong: list[Diagnostic] = []
    for diagnostic in said:
        for kind, line, message, optional, origin in _flat(diagnostic, name):
            hit = next((e for e in expected if not e.met and e.takes(kind, line, message)), None)
            if hit is None:
                # The same message may come twice for one comment, as upstream has it.
                hit = next((e for e in expected if e.takes(kind, line, message)), None)
            if hit is not None:
                hit.met = True
            elif not optional:
                wrong.append(
                    Diagnostic(
                        Severity.ERROR,
                        f"unexpected {kind.value}: {message}",
                        "verify-diagnostics",
                        origin.position,
                        origin.end_column,
                        origin.source_line,
                    )
                )
    for e in expected:
        if not e.met:
            message = f'expected {e.kind.value} "{e.text}" was not produced'
            wrong.append(Diagnostic(Severity.ERROR, message, "verify-diagnostics", e.at, None, e.source_line))
    return wrong


def _flat(diagnostic: Diagnostic, name: str) -> Iterator[tuple[Severity, int | None, str, bool, Diagnostic]]:
    """A message and its notes: kind, line in the file ``name``, text, whether it may come unexpected, itself.

    A message that shows a frontend's place first is looked for at its place in this text. Notes that have no place of
    their own say how to mend the mistake: they stand at their message's line and need not be expected.
    """
    line = diagnostic.position.line if diagnostic.position else None
    notes = diagnostic.notes
    if diagnostic.position and diagnostic.position.file != name:
        here = next((n for n in notes if n.position and n.position.file == name), None)
        if here is not None and here.position is not None:
            line = here.position.line
            notes = tuple(n for n in notes if n is not here)
    yield diagnostic.severity, line, diagnostic.message, diagnostic.severity is Severity.NOTE, diagnostic
    for note in notes:
        yield note.severity, note.position.line if note.position else line, note.message, not note.position, note
