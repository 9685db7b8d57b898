"""What MLIR's parser says about the generic text, said about the user's text.

Its positions refer to text that the user never saw, its types are spelled as MLIR knows them, and some of its sentences
leave out what everybody asks next: which name, which op was meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from spyrec.asm.attach import BUFFER
from spyrec.asm.ends import closing, owner
from spyrec.asm.grammar import Grammar
from spyrec.asm.nearest import nearest
from spyrec.asm.output import Generic
from spyrec.asm.suggest import nearest_dialect, nearest_op
from spyrec.asm.untranslate import Untranslator
from spyrec.diag import NoteLike, Sink, Source, Span, downcast

_SCOPE = re.compile(r"%\$s\d+\.")
_NOISE = ("see current operation", "Available dialects", "diagnostic emitted with trace")
_UNKNOWN_OP = re.compile(
    r"custom op '(?P<a>[^']+)' is unknown|not found for custom op '(?P<b>[^']+)'"
    r"|unregistered operation '(?P<c>[^']+)'|unregistered dialect"
)
_VERIFIER = re.compile(r"'[a-z_0-9]+\.[\w.]+' op ")
_WRONG_TYPE = re.compile(
    r"^custom op '[^']+' '\w+' must be .*, but got "
    r"|^type of return operand \d+ \(.*\) doesn't match function result type"
)
_SYMBOL = re.compile(r"redefinition of symbol named '([^']+)'")
_ALIAS = re.compile(r"undefined symbol alias id '([^']+)'")
_QUOTED_BEFORE = re.compile(r'("(?:[^"\\\n]|\\.)*")\s*$')
_LOOK_BACK = 1000
_SSA = re.compile(r"%(?:[0-9]+|[A-Za-z_$.-][\w$.-]*)", re.ASCII)
_NO_END = re.compile(r"block with no terminator|empty block: expect at least|.*expected non-empty function body")
_NO_TYPE = re.compile(
    r"created with unregistered dialect|provides no (?:type|attribute) parsing hook|^unknown +(?:type|attr)"
)
_RECORD = re.compile(r"[!#][A-Za-z_][\w$.]*(?:<\w*)?$")
_EARLY = re.compile(r"operand #(\d+) does not dominate this use")
_EDGE = re.compile(r"'(?P<op>[\w.]+)' op along control flow edge from Operation (?P<end>[\w.]+) to [^:]*: (?P<what>.*)")
_COUNTS = re.compile(r"region branch point has (\d+) operands, but region successor needs (\d+) inputs")
_TYPES = re.compile(r"successor operand type #(\d+) (.*) should match successor input type #\d+ (.*)")


class Messages:
    """Reports the diagnostics of one failed parse to a sink."""

    def __init__(self, sink: Sink, source: Source, generic: Generic, grammar: Grammar) -> None:
        self.sink = sink
        self.source = source
        self.generic = generic
        self.grammar = grammar
        self.untranslator = Untranslator(grammar)

    def report(self, infos: Iterable[Any], *, verified: bool = False) -> None:
        """Report each diagnostic once, errors only (MLIR parsers give no others). ``verified``: they are of verifiers,
        not of the parser.
        """
        seen: set[tuple[Any, str]] = set()
        for info in infos:
            where = self._subject(str(info.message), self._where(info.location))
            id, message, notes = self._said(str(info.message), where, verified)
            key = (where.start if isinstance(where, Span) else str(where), message)
            if key in seen:
                continue
            seen.add(key)
            for note in info.notes:
                text = str(note.message)
                if text == "region branch point":
                    if self._where(note.location) == where:
                        continue  # there is no end in the text: it was left out
                    text = "handed on here"
                if not text.startswith(_NOISE):
                    notes.append((self._where(note.location), self._clean(text)))
            self.sink.error(where, id, message, notes=notes)

    def _where(self, location: Any) -> Any:
        location = downcast(location)
        if getattr(location, "filename", None) != BUFFER:
            return location
        text = self.source.text
        offset = self.generic.origin(self.generic.offset(location.start_line, location.start_col))
        if not text[offset:].strip():
            # The end of the text: point behind the last thing that stands there.
            offset = len(text.rstrip())
            return Span(self.source, offset, offset + 1)
        return self.source.word(offset)

    def _subject(self, message: str, where: Any) -> Any:
        """MLIR reports some things at the token behind the one that is meant."""
        if not isinstance(where, Span):
            return where
        start = max(0, where.start - _LOOK_BACK)
        before = self.source.text[start : where.start]
        if found := _ALIAS.match(message):
            for sigil in "#!":
                if (at := before.rfind(sigil + found[1])) >= 0:
                    return self.source.word(start + at)
        elif _NO_TYPE.search(message) and (named := _RECORD.search(self.source.text, start, where.end)):
            name = named[0].partition("<")[0]
            return Span(self.source, named.start(), named.start() + len(name))
        elif _NO_END.match(message):
            offset = closing(self.source.text, where.start, inside=message.startswith("block"))
            return Span(self.source, offset, offset + 1)
        elif _UNKNOWN_OP.search(message) and where.text == "(" and (quoted := _QUOTED_BEFORE.search(before)):
            return Span(self.source, start + quoted.start(1), start + quoted.end(1))
        return where

    def _said(self, message: str, where: Any, verified: bool) -> tuple[str, str, list[NoteLike]]:
        if verified and (same := _SYMBOL.match(message)):
            return "redefined-symbol", f"there is a second @{same[1]} in this scope", []
        if early := _EARLY.search(message):
            what = f"operand {early[1]} is used here, where its definition has not been executed"
            return "undefined-name", what, ["move the definition up, or out of the region that ends before this use"]
        word = where.text if isinstance(where, Span) else ""
        if _NO_TYPE.search(message) and word[:1] in ("!", "#") and word[1:]:
            return self._unknown_record(word)
        if _NO_END.match(message):
            return "syntax", self._unended(where), []
        if found := _UNKNOWN_OP.search(message):
            return self._unknown_op(found["a"] or found["b"] or found["c"] or word.strip('"'), message)
        if message.startswith("use of undeclared SSA value name"):
            name = _SSA.match(word)
            return self._undefined(name[0] if name else word)
        if message.startswith("redefinition of SSA value"):
            return "redefined-name", self._clean(message), []
        if message.startswith("undefined symbol alias id"):
            known = set(re.findall(r"^[#!][\w$.-]+(?=\s*=)", self.source.text, re.MULTILINE))
            if word in known:
                return "undefined-name", f"{word} is used here before its definition", ["move the definition up"]
            near = nearest(word, known)
            return "undefined-name", f"nothing defines {word}", [f"did you mean {near}?"] if near else []
        if (edge := _EDGE.match(message)) and (said := self._edge(edge)):
            return said
        from spyrec.asm.habits import advice  # only for a message: start-up does without it

        hint = advice(self._before(where), message)
        notes: list[NoteLike] = [] if hint is None else [hint]
        if "expects different type than prior uses" in message or _WRONG_TYPE.search(message):
            return "type-mismatch", self._clean(message), notes
        if verified or _VERIFIER.match(message):
            return "mlir-verify", self._clean(message), notes
        return "syntax", self._clean(message), notes

    def _edge(self, edge: re.Match[str]) -> tuple[str, str, list[NoteLike]] | None:
        """What the end of a region hands on is not what the op around it carries."""
        op, end = edge["op"], edge["end"]
        if counts := _COUNTS.match(edge["what"]):
            given, wanted = counts.groups()
            what = f"{end} hands on {given} values, but {op} carries {wanted}"
            notes: list[NoteLike] = [f"end each of its regions with {end} and a value for each: {end} %v : type of %v"]
            return "type-mismatch", what, notes
        if types := _TYPES.match(edge["what"]):
            number, given, wanted = types.groups()
            what = f"value {number} that {end} hands on has type {given}, but {op} carries {wanted}"
            return "type-mismatch", self._clean(what), []
        return None

    def _unknown_record(self, name: str) -> tuple[str, str, list[NoteLike]]:
        kind = "type" if name[0] == "!" else "attribute"
        notes: list[NoteLike] = []
        if name[0] == "!" and name.endswith("ptr"):
            notes.append("an argument that is a pointer has type index; ktdp.construct_memory_view states its elements")
        elif near := self.grammar.nearest_record(name):
            notes.append(f"did you mean {near}?")
        return "unknown-type", f"there is no {kind} {name}", notes

    def _unended(self, where: Any) -> str:
        """What to say at the end of a block that has no terminator."""
        text = self.source.text
        if not isinstance(where, Span) or where.text != "}":
            return "the block ends without a terminator"
        around = owner(text, where.start)
        if around == "func.func":
            return "the function ends without return"
        return (
            f"the region of {around} ends without its terminator" if around else "the block ends without a terminator"
        )

    def _before(self, where: Any) -> str:
        """The text up to the place of a mistake, the word there included."""
        return self.source.text[max(0, where.start - _LOOK_BACK) : where.end] if isinstance(where, Span) else ""

    def _undefined(self, name: str) -> tuple[str, str, list[NoteLike]]:
        known = set(_SSA.findall(self.source.text))
        bare, minus, _ = name.partition("-")
        if minus and bare in known:
            hint = f"'-' is part of the name; write {bare} - ... with spaces"
            return "undefined-name", f"nothing defines {name}", [hint]
        left_sides = re.findall(r"^\s*(%[^=\n]*)=", self.source.text, re.MULTILINE)
        defined = {d for side in left_sides for d in _SSA.findall(side)}
        near = nearest(name, (defined or known) - {name})
        hint = f"did you mean {near}?" if near else "it may be defined in another function or block, or after its use"
        return "undefined-name", f"nothing that can be seen from here defines {name}", [hint]

    def _unknown_op(self, name: str, message: str) -> tuple[str, str, list[NoteLike]]:
        name = name.removeprefix("builtin.").removeprefix("func.") if "." not in name else name
        dialect = name.partition(".")[0]
        notes: list[NoteLike] = []
        from spyrec.asm.habits import FOREIGN

        if dialect in FOREIGN:
            notes.append(FOREIGN[dialect])
        elif near := nearest_op(name, self.grammar):
            notes.append(f"did you mean {near}?")
        if name == "linalg.matmul_transpose_b":
            notes = ["write linalg.matmul with indexing_maps whose second map is transposed"]
        if "." not in name:
            return "unknown-op", f"'{name}' is no op: no statement starts so", notes
        if "unregistered dialect" in message or "not found for custom op" in message:
            if not notes and (close := nearest_dialect(dialect, self.grammar)):
                notes.append(f"did you mean the dialect {close}?")
            return "unknown-op", f"there is no dialect {dialect}, so no op {name}", notes
        return "unknown-op", f"there is no op {name}", notes

    def _clean(self, message: str) -> str:
        return self.untranslator.sentence(_SCOPE.sub("%", message))
