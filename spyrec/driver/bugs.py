"""When the compiler is at fault: one line that says so, and a reproducer that the message names."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from spyrec.driver import reproducer
from spyrec.errors import CompilerBug, Diagnostic, Severity, SpyrecError
from spyrec.passkit.runner import one_line

_E = TypeVar("_E", bound=SpyrecError)


def report(
    error: Exception,
    text: str,
    pipeline: str,
    name: str,
    options: str = "",
    path: str | None = None,
    *,
    verify_each: bool = True,
) -> CompilerBug:
    """A CompilerBug for ``error``; its first error names the reproducer that was written for it, to ``path`` if given.

    The Python traceback goes into the reproducer as a comment.
    """
    if isinstance(error, SpyrecError):
        diagnostics = error.diagnostics
    else:
        diagnostics = (Diagnostic(Severity.ERROR, f"internal error: {one_line(error)}", "internal-error"),)
    import traceback

    trace = "".join(traceback.format_exception(error))
    crash = next((d for d in diagnostics if d.id == "pass-crashed" and d.position), None)
    whose = crash.position.file if crash is not None and crash.position is not None else "spyrec"
    note = written(text, pipeline, name, trace, options, path, verify_each=verify_each, whose=whose)
    empty = (Diagnostic(Severity.ERROR, "internal error", "internal-error"),)
    return with_note(CompilerBug(diagnostics or empty), note)


def with_note(error: _E, note: Diagnostic) -> _E:
    """The same exception, with ``note`` behind those of its first error."""
    found = error.diagnostics
    index = next((i for i, d in enumerate(found) if d.severity is Severity.ERROR), 0)
    noted = replace(found[index], notes=(*found[index].notes, note))
    return _with(error, (*found[:index], noted, *found[index + 1 :]))


def written(
    text: str,
    pipeline: str,
    name: str,
    what: str,
    options: str = "",
    path: str | None = None,
    *,
    verify_each: bool = True,
    whose: str = "spyrec",
) -> Diagnostic:
    """Write a reproducer, to ``path`` or to where those without a path go; the note that names it. ``whose`` bug it
    is: ours, or that of a file that adds a pass.
    """
    flags = f" {options}" if options else ""
    header = (f"A reproducer of a bug in {whose}. To run it: spyrec opt --run-reproducer{flags} FILE", what)
    composed = reproducer.compose(text, pipeline, header, verify_each=verify_each)
    saved = reproducer.save(composed, name, path)
    if saved is None:
        return Diagnostic(Severity.NOTE, f"this is a bug in {whose} (no reproducer: no folder to write it to)")
    return Diagnostic(
        Severity.NOTE, f"this is a bug in {whose}; to reproduce: spyrec opt --run-reproducer{flags} {saved}"
    )


def with_earlier(error: SpyrecError, earlier: Sequence[Diagnostic]) -> SpyrecError:
    """The same exception, with diagnostics that were collected before it and that it does not carry put in front."""
    missing = tuple(d for d in earlier if d not in error.diagnostics)
    if not missing:
        return error
    return _with(error, (*missing, *error.diagnostics))


def _with(error: _E, diagnostics: tuple[Diagnostic, ...]) -> _E:
    made = copy.copy(error)
    made.diagnostics = diagnostics
    made.args = (diagnostics,)
    return made
