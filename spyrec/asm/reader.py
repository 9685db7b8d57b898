"""KTIR text to MLIR's generic form, statement by statement, without knowing the grammar of upstream statements.

The text is walked once. What names something of ours is translated: an op by the elements of its format, a type or
attribute likewise. Everything in between is copied. Only regions of our own ops are remembered on a stack; inside those
that open a naming scope, SSA names get a prefix, because the generic form opens no scopes.
"""

from __future__ import annotations

from dataclasses import dataclass

from spyrec.asm import emit, generic, limits, walk
from spyrec.asm.grammar import Grammar
from spyrec.asm.lexer import Tokens
from spyrec.asm.output import Generic, Location, Output
from spyrec.asm.problem import Problem
from spyrec.asm.state import OpRead, RegionRead
from spyrec.asm.suggest import nearest_op
from spyrec.asm.translate import Translator
from spyrec.asm.walk import Walker
from spyrec.diag import Sink, Source, SourceMap, Span
from spyrec.ods.spec import Arity, OpSpec

#: After this many mistakes in one text the rest is likely to be a consequence.
MAX_PROBLEMS = 20


@dataclass(kw_only=True)
class Frame(walk.Frame):
    """A stretch of statements being read; ``next`` is the token where a statement starts if one does."""

    out: Output
    op: OpRead | None = None
    region: RegionRead | None = None
    prefix: str = ""
    next: int = 0

    @property
    def renames(self) -> bool:
        return bool(self.prefix)


class Reader(Walker[Frame]):
    """One text on its way to generic form; ``text`` instead of the source's has blanks where that is not wanted."""

    def __init__(
        self, source: Source, source_map: SourceMap, grammar: Grammar, sink: Sink, *, text: str | None = None
    ) -> None:
        self.source = source
        self.text = source.text if text is None else text
        self.source_map = source_map
        self.grammar = grammar
        self.sink = sink
        self.problems = 0
        self.ops: dict[int, OpSpec] = {}
        source_map.find = self.fields

    def read(self) -> Generic | None:
        """The generic form, or None when mistakes were reported."""
        try:
            self.tokens = Tokens(self.text, self.grammar.dialects)
            limits.check(self.tokens)
        except Problem as problem:
            self.report(problem)
            return None
        self.texts = self.tokens.texts
        self.translator = Translator(self.tokens, self.grammar)
        out = Output()
        self.frames = [Frame(end=self.tokens.count, out=out)]
        self._walk()
        for token, sentence in self.translator.remarks:
            self.sink.remark(self.span(token, token + 1), "old-spelling", sentence)
        if self.problems:
            return None
        head = Output()
        for text, (alias, token) in self.translator.hoisted.items():
            head.add(f"{alias} = ", self.tokens.starts[token])
            head.add(text, self.tokens.starts[token])
            head.add("\n", self.tokens.starts[token])
        head.extend(out)
        return Generic(head, self.text)

    # -- reporting ----------------------------------------------------------------------------------------------------

    def span(self, first: int, after: int) -> Span:
        """The characters of tokens ``first`` to ``after``."""
        return Span(self.source, self.tokens.starts[first], self.tokens.end(max(first, after - 1)))

    def report(self, problem: Problem) -> None:
        """Turn a problem into a diagnostic."""
        self.problems += 1
        notes = [n if isinstance(n, str) else (Span(self.source, n[0], n[1]), n[2]) for n in problem.notes]
        self.sink.error(Span(self.source, problem.start, problem.end), problem.id, problem.message, notes=notes)

    # -- the walk -----------------------------------------------------------------------------------------------------

    def _walk(self) -> None:
        tokens = self.tokens
        token = position = 0
        while True:
            frame = self.frames[-1]
            stop = self.next_stop(frame, token)
            if tokens.starts[stop] > position:
                frame.out.copy(tokens.text[position : tokens.starts[stop]], position)
            if stop == frame.end and frame.op is None:
                return
            try:
                token = self._close(frame) if stop == frame.end else self._handle(frame, stop)
            except Problem as problem:
                self.report(problem)
                if self.problems >= MAX_PROBLEMS:
                    return
                token = self._recover(self.frames[-1], stop, problem)
            position = tokens.end(token - 1) if token else 0

    def is_short_op(self, frame: Frame, index: int) -> bool:
        text = self.texts[index]
        if not (text[0].isalpha() and "." not in text):
            return False
        definite = index == frame.next or self._after_results(index)
        if f"{frame.default}.{text}" in self.grammar.ops:
            return definite or self.tokens.first_on_line(index)
        return definite

    def _after_results(self, index: int) -> bool:
        """Whether ``%x =`` or ``%x:2 =`` stands before the token."""
        texts = self.texts
        if index < 2 or texts[index - 1] != "=":
            return False
        before = index - 2
        if texts[before][0].isdigit() and before >= 2 and texts[before - 1] == ":":
            before -= 2
        return texts[before][0] == "%"

    def _handle(self, frame: Frame, index: int) -> int:
        """Translate what starts at a token; the index after it."""
        text = self.texts[index]
        first = text[0]
        tokens = self.tokens
        if first in "!#":
            made, after = self.translator.named(index)
            frame.out.add(made, tokens.starts[index])
            return after
        if first == "%":
            frame.out.add(OpRead.renamed(text, frame.prefix), tokens.starts[index])
            return index + 1
        if text == "loc":
            return self._location(frame, index)
        if first == '"':
            if self.names_a_pattern(index):
                frame.out.copy(text, tokens.starts[index])
                return index + 1
            return self._op(frame, index, text[1:-1], quoted=True)
        if "." not in text:
            return self._op(frame, index, f"{frame.default}.{text}", quoted=False)
        if self._is_key(index, text):
            frame.out.copy(text, tokens.starts[index])
            return index + 1
        return self._op(frame, index, text, quoted=False)

    def _is_key(self, index: int, name: str) -> bool:
        """Whether a name of one of our dialects is the key of a dictionary entry, or an op without a statement around
        it.
        """
        before, after = self.texts[index - 1] if index else "", self.texts[index + 1]
        if before in ("(", "[", "<"):
            return True
        if before not in ("{", ","):
            return False
        if after in ("=", ",") or before == ",":
            return True
        if after != "}":
            return False
        # `{ dataflow.yield }` is a statement, `{dataflow.flag}` an entry; `linalg.map { spyreop.exp }` names an op with
        # operands.
        spec = self.grammar.ops.get(name)
        return spec is None or any(f.arity is Arity.ONE for f in spec.operands)

    def _location(self, frame: Frame, index: int) -> int:
        """A trailer is kept apart, a location that is an attribute or an alias's value is copied."""
        after = self.tokens.match[index + 1] + 1
        text = self.tokens.slice(index, after)
        start = self.tokens.starts[index]
        if index and self.texts[index - 1] in ("=", "[", ","):
            frame.out.copy(text, start)
        else:
            frame.out.copy(Location(text), start)
        return after

    # -- ops ----------------------------------------------------------------------------------------------------------

    def _op(self, frame: Frame, index: int, name: str, *, quoted: bool) -> int:
        spec = self.grammar.ops.get(name)
        tokens = self.tokens
        if spec is None and name in self.grammar.absent:
            message = f"no published dialect has {name}: {self.grammar.absent[name]}"
            raise Problem("absent-op", message, tokens.starts[index], tokens.end(index))
        if spec is None:
            near = nearest_op(name, self.grammar)
            short = near is not None and "." not in self.texts[index] and near.startswith(f"{frame.default}.")
            shown = near.partition(".")[2] if near and short else near
            hint = [f"did you mean {shown}?"] if near else []
            raise Problem("unknown-op", f"there is no op {name}", tokens.starts[index], tokens.end(index), hint)
        return self._advance(frame, self._begin(spec, index, frame.prefix, quoted))

    def _begin(self, spec: OpSpec, index: int, prefix: str, quoted: bool) -> OpRead:
        op = OpRead(self.translator, spec, index, prefix)
        op.generic = quoted
        op.todo.extend(reversed(generic.elements(spec) if quoted else self.grammar.op(spec.name)))
        return op

    def fields(self, offset: int) -> dict[str, tuple[int, int]]:
        """Where the fields of the op whose name starts at ``offset`` were written; empty when no op of ours does."""
        spec = self.ops.get(offset)
        if spec is None:
            return {}
        tokens = self.tokens
        index = tokens.at(offset)
        op = self._begin(spec, index, "", self.texts[index][0] == '"')
        op.spans = {}
        while op.todo:
            op.todo.pop().read(op)
            if op.opening is not None:
                op.i, op.opening = op.opening.close + 1, None
        if op.generic:
            generic.emit(op, Output())
        return {name: (tokens.starts[a], tokens.end(max(a, b - 1))) for name, (a, b) in op.spans.items()}

    def _advance(self, frame: Frame, op: OpRead) -> int:
        """Read on until the op ends or one of its regions begins."""
        todo = op.todo
        while todo:
            todo.pop().read(op)
            region = op.opening
            if region is not None:
                op.opening = None
                op.i = region.open + 1
                self.frames.append(
                    Frame(
                        end=region.close,
                        default=region.spec.default_dialect,
                        out=region.body,
                        op=op,
                        region=region,
                        prefix=region.prefix,
                        next=op.i,
                    )
                )
                return op.i
        if op.generic:
            generic.emit(op, frame.out)
        else:
            emit.emit(op, frame.out)
        self._check_end(op)
        self.ops[self.tokens.starts[op.name_token]] = op.spec
        frame.next = op.i
        if frame.region is not None and frame.region.spec.terminator == op.spec.name:
            frame.region.terminated = True
        return op.i

    def _check_end(self, op: OpRead) -> None:
        """What follows an op must be able to start a statement, end a region, or be a location."""
        text = self.texts[op.i]
        first = text[0]
        if first in '%^}"#!\0' or first.isalpha() or text.startswith("{-#"):
            return
        form = [] if op.generic else [f"its form: {op.spec.name} {op.spec.assembly_format}"]
        op.fail(f"expected the end of {op.spec.name}, but found {op.found()}", notes=form)

    def _close(self, frame: Frame) -> int:
        """A region of ours has ended: go on with its op."""
        self.frames.pop()
        assert frame.op is not None
        frame.op.i = frame.end + 1
        return self._advance(self.frames[-1], frame.op)

    def _recover(self, frame: Frame, op: int, problem: Problem) -> int:
        """The token where the next statement starts: first on its line, behind the mistake, at the nesting of the
        op.
        """
        tokens, match = self.tokens, self.tokens.match
        wrong = tokens.at(problem.start)
        index = op + 1
        while index < frame.end:
            text = self.texts[index]
            if text in ")]}>":
                # A closing bracket of something around the op.
                return index if text == "}" and index > wrong else index + 1
            if index > wrong and tokens.first_on_line(index) and (text[0] in '%^"' or text[0].isalpha()):
                frame.next = index
                return index
            index = match[index] + 1 if match[index] > index else index + 1
        return frame.end
