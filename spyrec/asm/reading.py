"""``read``: a module from the text that a user wrote, or every mistake in it with its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from spyrec.asm.attach import attach
from spyrec.asm.grammar import Grammar, default
from spyrec.asm.mistakes import Mistakes, report_violations
from spyrec.asm.reader import Reader
from spyrec.asm.untranslate import Untranslator
from spyrec.diag import Sink, Source, SourceMap, exception
from spyrec.errors import Diagnostic, Severity
from spyrec.mlir import ir


@dataclass(frozen=True)
class Parsed:
    """A verified module and what is known about its text. ``remarks`` are diagnostics that did not stop the reading."""

    module: ir.Module
    source: Source
    source_map: SourceMap
    remarks: tuple[Diagnostic, ...] = ()


def read(
    text: str,
    filename: str,
    context: ir.Context,
    *,
    sink: Sink | None = None,
    grammar: Grammar | None = None,
    verify: bool = True,
) -> Parsed:
    """Read KTIR (or any stage's IR) in a context that has our dialects loaded.

    Every op gets the place of its name in the text as location, fused with the user's ``loc`` if there is one;
    arguments keep their names. ``sink`` learns the source and its map and receives all diagnostics. ``verify=False``
    leaves out the verifiers of our own ops. Raises ``InvalidKernel`` with all mistakes that were found.
    """
    from spyrec import ods

    # A byte order mark is no character of the text.
    source = Source(filename, " " + text[1:] if text.startswith("\ufeff") else text)
    source_map = SourceMap(source)
    sink = Sink() if sink is None else sink
    before = len(sink.diagnostics)
    sink.add_source(source, source_map)
    grammar = grammar or default()
    sink.spell = Untranslator(grammar).sentence
    reader = Reader(source, source_map, grammar, sink)
    generic = reader.read()
    module = located = None
    if generic is not None:
        with ods.verification_suspended():
            module = _parse(generic.text, context)
            if module is not None and generic.located is not None:
                located = _parse(generic.located, context)
    if generic is None or module is None or (generic.located is not None and located is None):
        Mistakes(source, source_map, grammar, sink, context, verify=verify).report(before)
        _stop(sink, before)
    attach(
        module.operation,
        located.operation if located else None,
        generic,
        source,
        reader.translator.nameless,
        grammar.implied,
    )
    if verify:
        report_violations(module.operation, sink)
    if any(d.severity is Severity.ERROR for d in sink.diagnostics[before:]):
        _stop(sink, before)
    return Parsed(module, source, source_map, tuple(sink.diagnostics[before:]))


def _parse(text: str, context: ir.Context) -> ir.Module | None:
    """MLIR's own parse; None when it refuses."""
    try:
        return ir.Module.parse(text, context)
    except ir.MLIRError:
        return None


def _stop(sink: Sink, before: int) -> NoReturn:
    """Raise what this reading reported."""
    raise exception(sink.diagnostics[before:])
