"""Every mistake in a text that cannot be read, not only the first one that MLIR meets.

MLIR's parser stops at its first error. So a function that does not parse is reported and blanked, and the text is read
again without it, until the rest parses. Then all ops of that are verified, MLIR's and ours: what does not verify is
descended into, what does is left alone, so that the time is linear in the text.
"""

from __future__ import annotations

import re

from spyrec.asm.attach import attach
from spyrec.asm.grammar import Grammar
from spyrec.asm.lexer import Tokens
from spyrec.asm.messages import Messages
from spyrec.asm.problem import Problem
from spyrec.asm.reader import Reader
from spyrec.diag import Diagnostic, Severity, Sink, Source, SourceMap
from spyrec.mlir import ir

#: A text is read again at most so often, and fewer times if it is so large that it would take long: functions that do
#: not parse beyond that many are not reported.
ROUNDS = 20
CHARACTERS = 10_000_000
_FUNCTION = frozenset({"func", "func.func", '"func.func"'})
_MODULE = frozenset({"module", "builtin.module", '"builtin.module"'})
_NOT_LINE_END = re.compile(r"[^\n]")


class Mistakes:
    """Reports to ``sink`` what is wrong in a text. ``verify``: what the verifiers of our ops say, too."""

    def __init__(
        self, source: Source, source_map: SourceMap, grammar: Grammar, sink: Sink, context: ir.Context, *, verify: bool
    ) -> None:
        self._source = source
        self._map = source_map
        self._grammar = grammar
        self._sink = sink
        self._context = context
        self._verify = verify
        self._text = source.text
        self._blanked: set[str] = set()

    def report(self, before: int) -> None:
        """Report them, those that are nearer to the beginning of the text first; what the sink holds from ``before`` on
        was found in this text already.
        """
        said = before
        for _ in range(min(ROUNDS, 1 + CHARACTERS // (len(self._text) + 1))):
            if self._round():
                break
            wrong = [d for d in self._sink.diagnostics[said:] if d.severity is Severity.ERROR]
            if not self._blank(wrong):
                break
            said = len(self._sink.diagnostics)
        found = self._sink.diagnostics[before:]
        self._sink.diagnostics[before:] = sorted(found, key=self._rank)

    def _rank(self, diagnostic: Diagnostic) -> tuple[int, int]:
        """Where a message stands in the text: for one at a place of the user's own, its first note says it."""
        places = (d.position for d in (diagnostic, *diagnostic.notes))
        return next(((p.line, p.column) for p in places if p is not None and p.file == self._source.name), (0, 0))

    def _round(self) -> bool:
        """Read what is not blanked; whether it parses."""
        from spyrec.ods import unverified

        reader = Reader(self._source, self._map, self._grammar, self._sink, text=self._text)
        generic = reader.read()
        if generic is None:
            return False
        generic = generic.behind(unverified.FIRST)
        messages = Messages(self._sink, self._source, generic, self._grammar)
        try:
            module = unverified.parse(generic.text, self._context)
            located = None if generic.located is None else unverified.parse(generic.located, self._context)
        except ir.MLIRError as error:
            messages.report(error.error_diagnostics)
            return False
        self._upstream(module, messages)
        attach(module, located, generic, self._source, reader.translator.nameless, self._grammar.implied)
        if self._verify:
            report_violations(module, self._sink)
        return True

    def _upstream(self, operation: ir.Operation, messages: Messages) -> None:
        """What MLIR's verifiers say of an op and of those in it."""
        from spyrec import ods

        waiting = [operation]
        with ods.verification_suspended():
            while waiting:
                operation = waiting.pop()
                try:
                    operation.verify()
                except ir.MLIRError as error:
                    said = [d for d in error.error_diagnostics if not self._about_blanked(str(d.message))]
                    messages.report(said, verified=True)
                    inner = [o.operation for region in operation.regions for block in region.blocks for o in block]
                    waiting += reversed(inner)

    def _about_blanked(self, message: str) -> bool:
        """Whether a message is about a function that is missing because it was blanked."""
        return "does not reference" in message and any(
            re.search(rf"['@]{re.escape(n)}\b", message) for n in self._blanked
        )

    def _blank(self, wrong: list[Diagnostic]) -> bool:
        """Replace the functions with these mistakes by spaces; whether every mistake was in one."""
        try:
            tokens = Tokens(self._text, self._grammar.dialects)
        except Problem:  # what is no text, or has brackets that do not match, has no functions that could be told apart
            return False
        pieces: list[tuple[int, int]] = []
        for diagnostic in wrong:
            rank = self._rank(diagnostic)
            if rank == (0, 0):
                return False
            place = next(p for d in (diagnostic, *diagnostic.notes) if (p := d.position) and (p.line, p.column) == rank)
            piece = _function(tokens, tokens.at(self._source.offset(place)))
            if piece is None:
                return False
            pieces.append(piece)
        for first, after in set(pieces):
            names = (t for t in tokens.texts[first:after] if t[0] == "@")
            self._blanked.add(next(names, "@")[1:].strip('"'))
            start, end = tokens.starts[first], tokens.end(after - 1)
            self._text = self._text[:start] + _NOT_LINE_END.sub(" ", self._text[start:end]) + self._text[end:]
        return bool(pieces)


def report_violations(root: ir.Operation, sink: Sink) -> None:
    """What the verifiers of our ops say of those in ``root``, which somebody wrote."""
    from spyrec import ods

    for operation, violation in ods.verify_tree(root, written=True):
        say = {Severity.WARNING: sink.warning, Severity.REMARK: sink.remark}.get(violation.severity, sink.error)
        say(operation, violation.id, violation.message, violation.field, violation.notes)


def _function(tokens: Tokens, wrong: int) -> tuple[int, int] | None:
    """The first token of the function that holds token ``wrong``, and the one after it."""
    texts, match = tokens.texts, tokens.match
    first, index, end = -1, 0, tokens.count
    module = False
    while index < end:
        text = texts[index]
        if text in _FUNCTION and not (index and texts[index - 1] == "@"):
            if first >= 0 and index > wrong:
                return first, index
            first, module = index, False
        elif text in _MODULE or (text[0] in "#!" and texts[index + 1] == "="):
            if first >= 0 and index > wrong:
                return first, index
            first, module = -1, text in _MODULE
        if text == "{" and module and match[index] >= wrong:
            end, module = match[index], False  # go on among its ops
            index += 1
            continue
        index = match[index] + 1 if match[index] > index else index + 1
    return (first, end) if 0 <= first <= wrong < end else None
