"""The flags of ``spyrec opt`` that click does not parse: one per pass, and those of mlir-opt that are not here."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import click

from spyrec.errors import UsageError
from spyrec.passkit import pipeline, registry, upstream

if TYPE_CHECKING:
    from spyrec.mlir import ir

ABSENT: Final = frozenset(
    {
        "color",
        "crash-diagnostics-dir",
        "debug-counter",
        "debug-counter-break-on-last",
        "dump-pass-list",
        "elide-resource-data-from-bytecode",
        "emit-bytecode",
        "emit-bytecode-producer",
        "emit-bytecode-version",
        "help-hidden",
        "help-list",
        "help-list-hidden",
        "info-output-file",
        "irdl-file",
        "list-dialects",
        "load-dialect-plugin",
        "load-pass-plugin",
        "log-actions-to",
        "log-mlir-actions-filter",
        "mlir-debug-counter",
        "mlir-diagnostic-verbosity-level",
        "mlir-elide-resource-strings-if-larger",
        "mlir-enable-debugger-hook",
        "mlir-pretty-debuginfo",
        "mlir-print-assume-verified",
        "mlir-print-debug-counter",
        "mlir-print-elementsattrs-with-hex-if-larger",
        "mlir-print-op-on-diagnostic",
        "mlir-print-skip-regions",
        "mlir-print-stacktrace-on-diagnostic",
        "mlir-print-unique-ssa-ids",
        "mlir-print-value-users",
        "mlir-very-unsafe-disable-verifier-on-parsing",
        "no-implicit-module",
        "opt-bisect",
        "opt-bisect-limit",
        "opt-bisect-verbose",
        "opt-disable",
        "p",
        "pass-remarks",
        "pass-remarks-analysis",
        "pass-remarks-missed",
        "print-all-options",
        "print-debug-counter",
        "print-debug-counter-queries",
        "print-options",
        "profile-actions-to",
        "remark-format",
        "remark-policy",
        "remarks-filter",
        "remarks-filter-analyse",
        "remarks-filter-failed",
        "remarks-filter-missed",
        "remarks-filter-passed",
        "remarks-output-file",
        "remarks-section",
        "rng-seed",
        "sort-timers",
        "stats",
        "stats-json",
        "track-memory",
        "version",
    }
)
"""Flags of mlir-opt that this tool lacks; named so that the message can say so."""


@dataclass(frozen=True)
class Words:
    """What was left on the command line: input files, and flags as ``(name, options)`` in order."""

    files: tuple[str, ...]
    flags: tuple[tuple[str, str], ...]


def split(words: tuple[str, ...]) -> Words:
    """Tell files from flags."""
    files, flags = [], []
    for word in words:
        if word.startswith("-") and word != "-":
            name, _, options = word.lstrip("-").partition("=")
            flags.append((name, options))
        else:
            files.append(word)
    return Words(tuple(files), tuple(flags))


def passes(flags: tuple[tuple[str, str], ...], context: ir.Context, command: click.Command) -> pipeline.Pipeline:
    """The pipeline that pass flags spell. Raises UsageError on a flag that is no pass, with the nearest that is one."""
    for name, options in flags:
        if registry.known(name):
            continue
        problem = upstream.problem(name, options, pipeline.MODULE, context)
        if problem == upstream.WRONG_ANCHOR:
            problem = upstream.problem(name, options, "func.func", context)
        if problem == upstream.UNKNOWN:
            raise UsageError(_unknown(name, command))
        if problem is not None:
            raise UsageError(f"pass '{name}': {problem}")
    return pipeline.nest_upstream(pipeline.from_flags(list(flags)), context)


def check_names(option: str, names: frozenset[str], context: ir.Context) -> None:
    """Raise UsageError when ``option`` names something that is no pass."""
    for name in sorted(names):
        if not registry.known(name) and upstream.problem(name, "", "any", context) == upstream.UNKNOWN:
            near = registry.nearest(name, tuple(upstream.CLASS_NAMES))
            hint = f"; did you mean '{near}'?" if near else ""
            raise UsageError(f"{option}: there is no pass '{name}'{hint}")


def _unknown(name: str, command: click.Command) -> str:
    if name in ABSENT:
        return f"mlir-opt's option '--{name}' is not there in spyrec opt"
    options = [o.lstrip("-") for p in command.params for o in p.opts if o.startswith("--")]
    near = difflib.get_close_matches(name, [*options, *registry.names(), *upstream.CLASS_NAMES], 1)
    hint = f"; did you mean '--{near[0]}'?" if near else ""
    return f"spyrec opt has no option and no pass '--{name}'{hint}"
