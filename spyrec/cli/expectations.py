"""``--verify-diagnostics``: comments in the input say which messages have to come, MLIR's syntax and rules.

``// expected-error@+1 {{substring}}``: kinds error, warning, remark and note; places ``@+N``, ``@-N``, ``@above``,
``@below`` (the nearest line in that direction that holds no expectation), ``@unknown`` (a message without a place);
``expected-error-re`` takes ``{{``-quoted regular expressions inside the text as ``{{text {{[0-9]+}} more}}``. As in
MLIR, the comment ends its line; what follows ``}}`` makes it no expectation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from spyrec.errors import Diagnostic, Position, Severity

_ID = "verify-diagnostics"
_DESIGNATOR = re.compile(
    r"expected-(?P<kind>error|warning|remark|note)(?P<re>-re)?\s*(?:@(?P<place>[+-]\d+|above|below|unknown))?"
    r"\s*\{\{(?P<text>.*)\}\}\s*$"
)
_INNER = re.compile(r"\{\{(.*?)\}\}")
_POSIX = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": r" \t",
    "digit": "0-9",
    "lower": "a-z",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\s",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}
_CLASS = re.compile(r"\[:(\w+):\]")


@dataclass
class Expectation:
    """One comment: what has to be said on ``line`` (None: at no place); ``at`` is where the comment stands.

    ``mistake`` says what is wrong with its regular expression; such a comment takes no message.
    """

    kind: Severity
    text: str
    pattern: re.Pattern[str] | None
    line: int | None
    at: Position
    source_line: str
    mistake: str = ""
    met: bool = field(default=False, compare=False)

    def takes(self, kind: Severity, line: int | None, message: str) -> bool:
        """Whether a message is what this expects."""
        return kind is self.kind and self.would_take(line, message)

    def would_take(self, line: int | None, message: str) -> bool:
        """Whether a message is what this expects, but for its kind."""
        if line != self.line or self.mistake:
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
        pattern, mistake = _pattern(match["text"]) if match["re"] else (None, "")
        column = match.start() + 1
        found.append(
            Expectation(
                Severity(match["kind"]),
                match["text"],
                pattern,
                line,
                Position(name, index + 1, column),
                lines[index],
                mistake,
            )
        )
    return found


def check(
    expected: list[Expectation], said: Iterable[Diagnostic], name: str, *, only_expected: bool = False
) -> list[Diagnostic]:
    """Errors for each message that was not expected and each expectation that was not met; empty when all is well.

    With ``only_expected``, messages that nobody expected are none.
    """
    wrong: list[Diagnostic] = []
    for diagnostic in said:
        for kind, line, message, optional, origin in _flat(diagnostic, name):
            hit = next((e for e in expected if not e.met and e.takes(kind, line, message)), None)
            if hit is None:
                # The same message may come twice for one comment, as upstream has it.
                hit = next((e for e in expected if e.takes(kind, line, message)), None)
            if hit is not None:
                hit.met = True
            elif not optional and not only_expected:
                near = next((e for e in expected if e.would_take(line, message)), None)
                if near is not None:
                    text = f"'{kind.value}' diagnostic emitted when expecting a '{near.kind.value}'"
                    wrong.append(_at(near, text))
                else:
                    wrong.append(
                        Diagnostic(
                            Severity.ERROR,
                            f"unexpected {kind.value}: {message}",
                            _ID,
                            origin.position,
                            origin.end_column,
                            origin.source_line,
                        )
                    )
    for e in expected:
        if not e.met:
            wrong.append(_at(e, e.mistake or f'expected {e.kind.value} "{e.text}" was not produced'))
    return wrong


def _at(expectation: Expectation, message: str) -> Diagnostic:
    at = expectation.at
    return Diagnostic(Severity.ERROR, message, _ID, at, None, expectation.source_line)


def _pattern(text: str) -> tuple[re.Pattern[str] | None, str]:
    """The expression that ``text`` spells (outside the inner braces it is literal), or what is wrong with it."""
    parts = [
        _CLASS.sub(lambda m: _POSIX.get(m[1], m[0]), part) if index % 2 else re.escape(part)
        for index, part in enumerate(_INNER.split(text))
    ]
    try:
        return re.compile("".join(parts)), ""
    except re.error as error:
        return None, f"invalid regex: {error.msg}"


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
