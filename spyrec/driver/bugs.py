"""When the compiler is at fault: one line that says so, and a reproducer that the message names."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace

from spyrec.driver import reproducer
from spyrec.errors import CompilerBug, Diagnostic, Severity, SpyrecError
from spyrec.passkit.runner import one_line


def report(error: Exception, text: str, pipeline: str, name: str, options: str = "") -> CompilerBug:
    """A CompilerBug for ``error``; its first diagnostic names the reproducer that was written for it.

    The Python traceback goes into the reproducer as a comment.
    """
    if isinstance(error, SpyrecError):
        diagnostics = error.diagnostics
    else:
        diagnostics = (Diagnostic(Severity.ERROR, f"internal error: {one_line(error)}", "internal-error"),)
    import traceback

    trace = "".join(traceback.format_exception(error))
    note = written(text, pipeline, name, trace, options)
    index = next((i for i, d in enumerate(diagnostics) if d.severity is Severity.ERROR), 0)
    first = diagnostics[index] if diagnostics else Diagnostic(Severity.ERROR, "internal error", "internal-error")
    first = replace(first, notes=(*first.notes, note))
    return CompilerBug((*diagnostics[:index], first, *diagnostics[index + 1 :]))


def written(text: str, pipeline: str, name: str, what: str, options: str = "") -> Diagnostic:
    """Write a reproducer; the note that names it."""
    flags = f" {options}" if options else ""
    header = ("A reproducer of a bug in spyrec. To run it: spyrec opt --run-reproducer" + flags + " FILE", what)
    path = reproducer.save(reproducer.compose(text, pipeline, header), name)
    if path is None:
        return Diagnostic(Severity.NOTE, "this is a bug in spyrec (no reproducer: no folder to write it to)")
    return Diagnostic(
        Severity.NOTE, f"this is a bug in spyrec; to reproduce: spyrec opt --run-reproducer{flags} {path}"
    )


def with_earlier(error: SpyrecError, earlier: Sequence[Diagnostic]) -> SpyrecError:
    """The same exception, with diagnostics that were collected before it and that it does not carry put in front."""
    missing = tuple(d for d in earlier if d not in error.diagnostics)
    if not missing:
        return error
    made = copy.copy(error)
    made.diagnostics = (*missing, *error.diagnostics)
    made.args = (made.diagnostics,)
    return made
