"""Which messages are shown, and how many of a kind: the options ``-W`` and ``-w``."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from spyrec.errors import Diagnostic, Severity, UsageError

SHORT = 5
"""So many messages of an id are shown, all but the first without their line; further ones are counted."""


@dataclass(frozen=True)
class Policy:
    """What becomes of warnings and remarks: ``hidden`` ids are left out (or all, with ``quiet``), those of ``fatal``
    become errors (of warnings all, with ``strict``); with ``all`` each is shown with its line and notes.
    """

    hidden: frozenset[str] = frozenset()
    fatal: frozenset[str] = frozenset()
    quiet: bool = False
    strict: bool = False
    all: bool = False

    @staticmethod
    def of(wishes: Sequence[str], quiet: bool) -> Policy:
        """From the values of ``-W`` (``all``, ``no-ID``, ``error``, ``error=ID``). Raises UsageError."""
        hidden, fatal = set(), set()
        for wish in wishes:
            if wish.startswith("no-"):
                hidden.add(_known(wish.removeprefix("no-"), wish))
            elif wish.startswith("error="):
                fatal.add(_known(wish.removeprefix("error="), wish))
            elif wish not in ("all", "error"):
                raise UsageError(f"-W{wish}: expected -Wall, -Wno-ID, -Werror or -Werror=ID")
        return Policy(frozenset(hidden), frozenset(fatal), quiet, "error" in wishes, "all" in wishes)

    def applied(self, diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
        """The messages that stay, with the severity that they get here."""
        return [self._raised(d) for d in diagnostics if not self._hides(d)]

    def _hides(self, d: Diagnostic) -> bool:
        if d.severity is Severity.ERROR:
            return False
        return d.id in self.hidden or (self.quiet and not self._is_fatal(d))

    def _is_fatal(self, d: Diagnostic) -> bool:
        return d.id in self.fatal or (self.strict and d.severity is Severity.WARNING)

    def _raised(self, d: Diagnostic) -> Diagnostic:
        return replace(d, severity=Severity.ERROR) if self._is_fatal(d) else d

    def folded(self, diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
        """Of warnings and remarks of one id the first as it is, the next without line and notes, the rest as a number:
        what is true of one tile is, as a rule, true of all.
        """
        if self.all:
            return list(diagnostics)
        total: Counter[tuple[Severity, str]] = Counter()
        total.update((d.severity, d.id) for d in diagnostics if d.severity is not Severity.ERROR)
        seen: Counter[tuple[Severity, str]] = Counter()
        shown: list[Diagnostic] = []
        for d in diagnostics:
            kind = (d.severity, d.id)
            seen[kind] += 1
            more = total[kind] - SHORT
            if kind not in total or seen[kind] == 1:
                shown.append(d)
            elif seen[kind] <= SHORT or more == 1:
                shown.append(replace(d, end_column=None, source_line="", notes=()))
            elif seen[kind] == total[kind]:
                shown.append(Diagnostic(d.severity, f"the same in {more} more places; -Wall shows all", d.id))
        return shown


def _known(id: str, wish: str) -> str:
    from spyrec.diag.ids import IDS

    if id in IDS:
        return id
    near = difflib.get_close_matches(id, IDS, 1)
    hint = f"; did you mean '{near[0]}'?" if near else "; 'spyrec help ids' lists them"
    raise UsageError(f"-W{wish}: no message has the id '{id}'{hint}")
