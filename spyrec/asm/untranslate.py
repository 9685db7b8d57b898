"""Types and attributes of ours: what MLIR prints to custom spelling."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from spyrec.asm.cursor import Cursor
from spyrec.asm.lexer import Tokens
from spyrec.asm.problem import Problem
from spyrec.asm.state import ShowState
from spyrec.ods.spec import Constraint, Form, ParamSpec

if TYPE_CHECKING:
    from spyrec.asm.grammar import Grammar
    from spyrec.asm.state import OpShow

_GENERIC_OP = re.compile(
    r"""[\s,;:]*(?:\b(?:has|got|found|see)\s+)?(?:%[\w:#]+(?:,\s*%[\w:#]+)*\s*=\s*)?"[a-z_]\w*\.[\w.]+"\(.*""",
    re.DOTALL,
)


class Untranslator:
    """Translates texts of types and attributes; remembers them, since the same few come again and again.

    ``aliases``: what each ``#name`` of the text stands for. ``inlined``: whether a directive printed the value of an
    alias instead of its name.
    """

    def __init__(self, grammar: Grammar, aliases: dict[str, str] | None = None) -> None:
        self.grammar = grammar
        self.aliases = aliases or {}
        self.inlined = False
        self._known: dict[str, str] = {}
        self._bits = "|".join(sorted({r.bits for r in grammar.records.values() if r.bits})) or "(?!)"
        self._carrier = re.compile(
            rf"""(?P<string>"(?:[^"\\\n]|\\.)*")"""
            rf"|(?:(?<=x)|(?<=memref<))vector<1x(?P<element>{self._bits})>"
            rf"|(?P<vector>vector<(?:[\d?x\[\]]*x)?)1x(?P<lane>{self._bits})>"
        )
        self._carried = {r.bits: f"!{r.name}" for r in grammar.records.values() if r.bits}
        names = "|".join(map(re.escape, grammar.dialects)) or "(?!)"
        self._ours = re.compile(rf"[!#](?:{names})\.")

    def text(self, text: str) -> str:
        """Custom text of a type or attribute."""
        known = self._known.get(text)
        if known is None:
            shown = self.uncarried(text)
            known = self._known[text] = self._walk(shown) if self._ours.search(shown) else shown
        return known

    def sentence(self, text: str) -> str:
        """A message with the types and attributes in it in custom spelling; as it is when they cannot be read (they may
        be in custom spelling already). Ops in MLIR's generic form, which nobody wrote, are cut off at its end.
        """
        text = _GENERIC_OP.sub("", text)
        try:
            return self.text(text)
        except (Problem, ValueError):
            return text

    def uncarried(self, text: str) -> str:
        """Text of any length with the types in it whose bits are carried by others, strings aside."""
        if not any(f"1x{bits}" in text for bits in self._carried):
            return text
        return self._carrier.sub(self._shown, text)

    def _shown(self, match: re.Match[str]) -> str:
        if match["element"]:
            return self._carried[match["element"]]
        return f"{match['vector']}{self._carried[match['lane']]}>" if match["lane"] else match[0]

    def resolve(self, text: str) -> str:
        """What an alias stands for; other text stays as it is."""
        if text not in self.aliases:
            return text
        self.inlined = True
        return self.aliases[text]

    def short(self, text: str, constraint: Constraint) -> str:
        """Custom text without what the only class that ``constraint`` allows says anyhow."""
        for name in constraint.classes:
            for sigil in "!#":
                record = self.grammar.records.get(f"{sigil}{name}")
                if record is None or not text.startswith(f"{sigil}{name}"):
                    continue
                rest = text[len(name) + 1 :]
                if rest.startswith("<") and len(constraint.classes) == 1:
                    return rest
                if not rest and not record.params:
                    return record.mnemonic
        return text

    def parts(self, text: str) -> list[str]:
        """The elements of a bracketed list."""
        tokens = Tokens(text, ())
        split = Cursor(tokens, 0).split(1, tokens.count - 1)
        return [tokens.slice(first, after) for first, after in split]

    def _walk(self, text: str) -> str:
        tokens = Tokens(text, self.grammar.dialects)
        out: list[str] = []
        position = done = 0
        for index in tokens.marked:
            name = tokens.texts[index]
            if index < done or name not in self.grammar.ir_records:
                continue
            out.append(text[position : tokens.starts[index]])
            made, done = self.record(tokens, index)
            out.append(made)
            position = tokens.end(done - 1)
        out.append(text[position:])
        return "".join(out)

    def record(self, tokens: Tokens, index: int) -> tuple[str, int]:
        """Custom text of the type or attribute whose name (as MLIR knows it) is token ``index``, and the index after
        it.
        """
        spec = self.grammar.ir_records[tokens.texts[index]]
        public = f"{spec.sigil}{spec.name}"
        after = index + 1
        if not spec.params or tokens.texts[after] != "<":
            return public, after
        cursor = Cursor(tokens, after)
        after = cursor.past(after)
        params = [tokens.slice(a, b) for a, b in cursor.split(index + 2, after - 1)]
        if len(params) != len(spec.params) or not all(map(_is_generic, spec.params, params)):
            # In custom spelling already, as messages may have it.
            return public + tokens.slice(index + 1, after), after
        attrs = {
            p.name: text for p, text in zip(spec.params, params, strict=False) if not (p.optional and text == "unit")
        }
        out = [public]
        state = ShowState(self, out, attrs, space=False)
        state.todo.extend(reversed(self.grammar.record(public)))
        while state.todo:
            state.todo.pop().show(cast("OpShow", state))
        return "".join(out), after


def _is_generic(param: ParamSpec, text: str) -> bool:
    """Whether the text of a parameter is as MLIR prints it."""
    if param.optional and text == "unit":
        return True
    match param.constraint.form:
        case Form.INTEGER:
            return text.endswith(f" : {param.constraint.fixed or 'i64'}")
        case Form.KEYWORD:
            return text.startswith('"')
        case Form.ARRAY:
            return text[0] in "[#"
        case Form.SET:
            return text.startswith(("#", "affine_set<"))
    return True
