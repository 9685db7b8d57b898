"""How diagnostics look: text with the line and a caret, or one JSON object per line."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from spyrec.diag.source import Source
from spyrec.errors import Diagnostic, Severity

_COLORS = {Severity.ERROR: "31", Severity.WARNING: "35", Severity.REMARK: "34", Severity.NOTE: "36"}
#: Longer lines are cut to a window around the caret (a one-line file of 2 MB must not be echoed whole).
_WINDOW = 160
_BLANK = re.compile(r"[ \t]+[^ \t]")


def render(
    diagnostics: Iterable[Diagnostic], sources: Mapping[str, Source] | None = None, *, color: bool = False
) -> str:
    """Text for people: ``file:line:column: severity: message [id]``, the source line, a caret line, notes; each ends in
    a newline.

    ``sources`` supplies lines for diagnostics that do not carry theirs.
    """
    out: list[str] = []
    for diagnostic in diagnostics:
        _render(diagnostic, sources or {}, color, out)
    return "".join(line + "\n" for line in out)


def _render(d: Diagnostic, sources: Mapping[str, Source], color: bool, out: list[str]) -> None:
    place = f"{d.position}: " if d.position else ""
    word = f"\x1b[1;{_COLORS[d.severity]}m{d.severity.value}:\x1b[0m" if color else f"{d.severity.value}:"
    message = _printable(d.message, keep="\n")
    out.append(f"{place}{word} {message}" + (f" [{d.id}]" if d.id else ""))
    line = d.source_line
    if line is None and d.position and d.position.file in sources:
        line = sources[d.position.file].line(d.position.line)
    if d.position and line is not None and line.strip():
        start = d.position.column - 1
        if d.end_column is None and (gap := _BLANK.match(line, start)) is not None:
            # Frontends in Python count columns from 0: their places are the blank before the word.
            start = gap.end() - 1
        out.extend(_excerpt(line, start, (d.end_column or start + 2) - 1))
    for note in d.notes:
        _render(note, sources, color, out)


def sources(diagnostics: Iterable[Diagnostic], texts: Mapping[str, str] | None = None) -> dict[str, Source]:
    """The texts that diagnostics without a source line point into, as far as they are in ``texts`` or can be read."""
    told, texts = [each for d in diagnostics for each in (d, *d.notes)], texts or {}
    wanted = {d.position.file for d in told if d.position and d.source_line is None}
    found = ((name, Source(name, texts[name]) if name in texts else Source.from_file(name)) for name in wanted)
    return {name: source for name, source in found if source is not None}


def with_lines(diagnostics: Iterable[Diagnostic], source: Source) -> tuple[Diagnostic, ...]:
    """The same diagnostics; those that point into ``source`` carry their line."""

    def filled(d: Diagnostic) -> Diagnostic:
        here = d.source_line is None and d.position is not None and d.position.file == source.name
        line = source.line(d.position.line) if here and d.position is not None else d.source_line
        return replace(d, source_line=line, notes=tuple(map(filled, d.notes)))

    return tuple(map(filled, diagnostics))


def _excerpt(line: str, start: int, end: int) -> list[str]:
    start = min(start, len(line))
    end = max(start + 1, end)
    lead = trail = ""
    if len(line) > _WINDOW:
        first = max(0, min(start - _WINDOW // 3, len(line) - _WINDOW))
        lead = "..." if first else ""
        trail = "..." if first + _WINDOW < len(line) else ""
        line = line[first : first + _WINDOW]
        start, end = start - first, min(end - first, len(line))
    shown = _printable(line, keep="\t")
    pad = "".join(c if c == "\t" else " " * _width(c) for c in shown[:start])
    marked = sum(_width(c) for c in shown[start:end]) or 1
    return [f"  {lead}{shown}{trail}".rstrip(), f"  {' ' * len(lead)}{pad}^{'~' * (marked - 1)}"]


def _printable(text: str, keep: str) -> str:
    """Control characters would move the cursor or end the string; each becomes one replacement character."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else "\N{REPLACEMENT CHARACTER}" for c in text)


def _width(char: str) -> int:
    if char.isascii():
        return 1
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def to_dict(d: Diagnostic) -> dict[str, Any]:
    """One diagnostic as plain JSON data; keys that have no value are left out."""
    data: dict[str, Any] = {"severity": d.severity.value, "message": d.message}
    if d.id:
        data["id"] = d.id
    if d.position:
        data |= {"file": d.position.file, "line": d.position.line, "column": d.position.column}
    if d.end_column is not None:
        data["end_column"] = d.end_column
    if d.source_line is not None:
        data["source_line"] = d.source_line
    if d.notes:
        data["notes"] = [to_dict(n) for n in d.notes]
    return data


def to_json(diagnostics: Iterable[Diagnostic]) -> str:
    """One JSON object per line, so that streams of several files concatenate."""
    return "".join(json.dumps(to_dict(d), ensure_ascii=False) + "\n" for d in diagnostics)
