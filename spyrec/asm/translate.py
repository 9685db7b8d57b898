"""Types and attributes of ours: custom spelling to what MLIR reads.

One :class:`Translator` serves one text. Everything in it that is not ours is copied.
"""

from __future__ import annotations

import bisect
import re
from typing import TYPE_CHECKING, NoReturn, cast

from spyrec.asm.cursor import Cursor, definitions
from spyrec.asm.lexer import Tokens
from spyrec.asm.nearest import nearest
from spyrec.asm.state import ReadState
from spyrec.ods.spec import RecordSpec

if TYPE_CHECKING:
    from spyrec.asm.grammar import Grammar
    from spyrec.asm.state import OpRead

_DIMENSIONS = re.compile(r"[\dx?*\[\]]+")
#: How deep types and attributes of ours may stand inside one another.
MAX_DEPTH = 64


_GAP = re.compile(r'("(?:[^"\\]|\\.)*")|(?:\s|//[^\n\r]*)+')


def _one_line(text: str) -> str:
    """The text without comments and line breaks: rules about parameters look at it."""
    if text.isprintable() and "//" not in text:
        return text
    return _GAP.sub(lambda m: m[1] or " ", text).strip()


class Translator:
    """Translates stretches of tokens.

    ``hoisted``: affine maps and sets that stood inside a type or attribute of ours, where MLIR cannot read them, with
    the alias that replaces each and the token where it stood first. ``remarks``: (token, sentence) about spellings that
    are kept. ``nameless``: SSA names (as in the generic text) of block arguments that need not keep them.
    """

    def __init__(self, tokens: Tokens, grammar: Grammar) -> None:
        self.tokens = tokens
        self.grammar = grammar
        self.hoisted: dict[str, tuple[str, int]] = {}
        self._hoisted: dict[str, str] = {}
        self.remarks: list[tuple[int, str]] = []
        self.nameless: set[str] = set()
        self._types: dict[str, str] = {}
        self._fixed: dict[str, str] = {}
        self._scopes = 0
        self._aliases: dict[str, tuple[int, int]] | None = None

    def new_scope(self) -> str:
        """A prefix that no SSA name of another scope has."""
        self._scopes += 1
        return f"$s{self._scopes}."

    def plain(self, first: int, after: int) -> str:
        """Generic text of tokens outside any type or attribute of ours."""
        marked = self.tokens.marked
        at = bisect.bisect_left(marked, first)
        if at == len(marked) or marked[at] >= after:
            return self.tokens.slice(first, after)
        return self._walk(first, after, 0, marked[at : bisect.bisect_left(marked, after)])

    def inside(self, first: int, after: int, depth: int) -> str:
        """Generic text of tokens that stand inside a type or attribute of ours, so that affine maps and sets are
        hoisted.
        """
        return _one_line(self._walk(first, after, depth, range(first, after)))

    def type(self, first: int, after: int) -> str:
        """As :meth:`plain`, for types: the same few are written again and again."""
        text = self.tokens.slice(first, after)
        known = self._types.get(text)
        if known is None:
            known = self._types[text] = self.plain(first, after)
        return known

    def fixed(self, text: str) -> str:
        """Generic text of the type that a constraint fixes."""
        known = self._fixed.get(text)
        if known is None:
            record = self.grammar.records.get(text)
            known = self._fixed[text] = record.generic({}) if record else text
        return known

    def _walk(self, first: int, after: int, depth: int, stops: range | list[int]) -> str:
        tokens, texts = self.tokens, self.tokens.texts
        out: list[str] = []
        position = tokens.starts[first]
        done = first
        for index in stops:
            if index < done:
                continue
            text = texts[index]
            if text[0] in "!#" and text[1:].partition(".")[0] in self.grammar.dialects:
                out.append(tokens.text[position : tokens.starts[index]])
                made, done = self.named(index, depth + 1)
            elif depth and text in ("affine_map", "affine_set") and texts[index + 1] == "<":
                out.append(tokens.text[position : tokens.starts[index]])
                made, done = self._hoist(index)
            else:
                continue
            out.append(made)
            position = tokens.end(done - 1)
        out.append(tokens.text[position : tokens.end(after - 1)])
        return "".join(out)

    def _hoist(self, index: int) -> tuple[str, int]:
        after = Cursor(self.tokens, index).past(index + 1)
        text = _one_line(self.tokens.slice(index, after))
        if text not in self.hoisted:
            alias = f"#spyrec_hoisted_{len(self.hoisted)}"
            self.hoisted[text], self._hoisted[alias] = (alias, index), text
        return self.hoisted[text][0], after

    def named(self, index: int, depth: int = 1) -> tuple[str, int]:
        """Generic text of the type or attribute whose name (with sigil) is token ``index``, and the index after it."""
        name = self.tokens.texts[index]
        if "." not in name:
            return self._spelled_out(index, depth)
        if name not in self.grammar.records:
            self._unknown(name, index)
        bits = self.grammar.records[name].bits
        container = self._container(index) if bits else ""
        if container:
            return self.grammar.records[name].carrier(container), index + 1
        return self.record(name, index + 1, depth, index)

    def _unknown(self, name: str, index: int) -> NoReturn:
        near = self.grammar.nearest_record(name)
        kind = "type" if name[0] == "!" else "attribute"
        hint = [f"did you mean {near}?"] if near else []
        raise Cursor(self.tokens, index).problem(f"there is no {kind} {name}", id="unknown-type", notes=hint)

    def _spelled_out(self, index: int, depth: int) -> tuple[str, int]:
        """As :meth:`named`, in MLIR's longer spelling: ``!ktdp<access_tile<4xindex>>``."""
        texts = self.tokens.texts
        name, end = f"{texts[index]}.{texts[index + 2]}", self.tokens.match[index + 1]
        if name not in self.grammar.records:
            self._unknown(name, index + 2)
        container = self._container(index) if self.grammar.records[name].bits else ""
        if container:
            made, after = self.grammar.records[name].carrier(container), index + 3
        else:
            made, after = self.record(name, index + 3, depth, index + 2)
        if after != end:
            Cursor(self.tokens, after).fail(f"expected '>', but found '{texts[after]}'")
        return made, end + 1

    def _container(self, index: int) -> str:
        """``memref`` or ``vector`` when the type at a token is the element of one; else empty."""
        texts = self.tokens.texts
        at = index - 1
        while at > 0 and _DIMENSIONS.fullmatch(texts[at]):
            at -= 1
        return texts[at - 1] if at > 0 and texts[at] == "<" and texts[at - 1] in ("memref", "vector") else ""

    def record(self, name: str, body: int, depth: int, name_token: int | None = None) -> tuple[str, int]:
        """As :meth:`named`, when the name is known or implied and what follows it starts at token ``body``."""
        spec = self.grammar.records[name]
        state = ReadState(self, spec, body, depth)
        if depth > MAX_DEPTH:
            state.fail(f"types and attributes are nested more than {MAX_DEPTH} deep here", name_token, id="too-deep")
        todo = state.todo
        todo.extend(reversed(self.grammar.record(name)))
        while todo:
            # The formats of types and attributes only have elements that need no more than a ReadState.
            todo.pop().read(cast("OpRead", state))
        params = {p.name: state.attrs[p.name][0] if p.name in state.attrs else None for p in spec.params}
        first = body if name_token is None else name_token
        return self._finish(state, spec, params, first), state.i

    def _finish(self, state: ReadState, spec: RecordSpec, params: dict[str, str | None], first: int) -> str:
        for p in spec.params:
            if params[p.name] is None and not p.optional:
                state.fail(f"{spec.sigil}{spec.name} needs {p.name}: {p.doc}", first, state.i)
        if spec.problem is not None and (wrong := spec.problem(self._resolved(params))) is not None:
            state.fail(wrong, first, state.i, id="wrong-type")
        if spec.newest is not None:
            newest = spec.newest(params)
            if newest is not None:
                return self.grammar.records[f"{spec.sigil}{newest[0]}"].generic(newest[1])
            written = self.tokens.slice(first, state.i)
            self.remarks.append((first, f"{written} has no equivalent in the current dialect; it is kept as it is"))
        return spec.generic(params)

    def _resolved(self, params: dict[str, str | None]) -> dict[str, str | None]:
        """Parameters with what aliases stand for in place of their names."""
        return {n: self._behind(t) if t and t[0] == "#" else t for n, t in params.items()}

    def _behind(self, text: str) -> str:
        """The text of the value of an alias; other text as it is."""
        if text in self._hoisted:
            return self._hoisted[text]
        return _one_line(self.tokens.slice(*self.aliases[text])) if text in self.aliases else text

    @property
    def aliases(self) -> dict[str, tuple[int, int]]:
        """The tokens of the value of each alias that the text defines."""
        if self._aliases is None:
            texts = self.tokens.texts
            self._aliases = {texts[name]: (first, after) for name, first, after in definitions(self.tokens)}
        return self._aliases

    def location(self, name: str) -> tuple[int, int] | None:
        """The tokens between the parentheses of ``name = loc(...)``."""
        first, after = self.aliases.get(name, (0, 0))
        return (first + 2, after - 1) if after > first + 2 and self.tokens.texts[first] == "loc" else None

    def alias(self, use: int) -> tuple[int, int]:
        """The tokens of the value that the alias at token ``use`` stands for."""
        aliases = self.aliases
        seen: set[str] = set()
        name = self.tokens.texts[use]
        while name in aliases and name not in seen:
            seen.add(name)
            first, after = aliases[name]
            name = self.tokens.texts[first]
            if after > first + 1 or name[0] != "#":
                return first, after
        near = nearest(self.tokens.texts[use], aliases)
        hint = [f"did you mean {near}?"] if near else []
        raise Cursor(self.tokens, use).problem(
            f"nothing defines {self.tokens.texts[use]}", id="undefined-name", notes=hint
        )
