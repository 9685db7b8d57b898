"""Walking over tokens: looking ahead, expecting, skipping whole types and attributes, and saying what was found
instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NoReturn

from spyrec.asm.lexer import END, Tokens
from spyrec.asm.problem import Problem

Notes = Sequence["str | tuple[int, int, str]"]
#: Words that start an attribute which has a body in angle brackets and maybe a type behind it.
_TYPED_BODIES = frozenset({"dense", "sparse", "dense_resource", "opaque"})
_BODIES = frozenset({"array", "affine_map", "affine_set", "strided"})


class Cursor:
    """A position ``i`` in tokens. ``texts`` is the list of token texts, the fast way to look ahead."""

    __slots__ = ("i", "texts", "tokens")

    def __init__(self, tokens: Tokens, i: int) -> None:
        self.tokens = tokens
        self.texts = tokens.texts
        self.i = i

    # -- small steps --------------------------------------------------------------------------------------------------

    def accept(self, text: str) -> bool:
        """Step over a token if it is ``text``."""
        if self.texts[self.i] != text:
            return False
        self.i += 1
        return True

    def expect(self, text: str) -> None:
        """Step over ``text`` or fail."""
        if self.texts[self.i] != text:
            self.fail(f"expected '{text}', but found {self.found()}")
        self.i += 1

    def found(self, index: int | None = None) -> str:
        """How a message names the token at the cursor (or at ``index``)."""
        text = self.texts[self.i if index is None else index]
        if text is END:
            return "the end of the text"
        return f"'{text}'" if len(text) <= 40 else f"'{text[:37]}...'"

    def problem(
        self, message: str, first: int | None = None, after: int | None = None, *, id: str = "syntax", notes: Notes = ()
    ) -> Problem:
        """A :class:`Problem` about tokens ``first`` to ``after`` (exclusive); the token at the cursor unless stated."""
        tokens = self.tokens
        first = self.i if first is None else first
        if first >= tokens.count:
            # Point behind the last token: the place where something is missing.
            end = tokens.end(tokens.count - 1) if tokens.count else 0
            return Problem("truncated" if id == "syntax" else id, message, end, end + 1, notes)
        last = max(first, (after if after is not None else first + 1) - 1)
        return Problem(id, message, tokens.starts[first], tokens.end(min(last, tokens.count - 1)), notes)

    def fail(
        self, message: str, first: int | None = None, after: int | None = None, *, id: str = "syntax", notes: Notes = ()
    ) -> NoReturn:
        """Raise :meth:`problem`."""
        raise self.problem(message, first, after, id=id, notes=notes)

    # -- whole types and attributes -----------------------------------------------------------------------------------

    def past(self, index: int) -> int:
        """Index after the group that the bracket at ``index`` opens."""
        match = self.tokens.match[index]
        if match < 0:
            self.fail(f"this '{self.texts[index]}' is never closed", index)
        return match + 1

    def at_type(self) -> bool:
        """Whether a type may start here."""
        char = self.texts[self.i][0]
        return char.isalpha() or char in "!("

    def skip_type(self, index: int) -> int:
        """Index after the type that starts at ``index``."""
        text = self.texts[index]
        char = text[0]
        if char == "(":
            index = self.past(index)
            if self.texts[index] != "->":
                self.fail(f"expected '->' of a function type, but found {self.found(index)}", index)
            index += 1
            return self.past(index) if self.texts[index] == "(" else self.skip_type(index)
        if not (char.isalpha() or (char == "!" and len(text) > 1)):
            self.fail(f"expected a type, but found {self.found(index)}", index)
        index += 1
        if self.texts[index] == "<" and self.tokens.adjacent(index):
            return self.past(index)
        return index

    def skip_attribute(self, index: int) -> int:
        """Index after the attribute (typed if it is) that starts at ``index``."""
        texts = self.texts
        text = texts[index]
        char = text[0]
        if char == '"' or text in ("true", "false", "unit"):
            return index + 1
        if char == "-" or char.isdigit():
            index = min(index + (2 if char == "-" else 1), self.tokens.count)
            return self.skip_type(index + 1) if texts[index] == ":" else index
        if char == "@":
            index += 1
            while texts[index] == "::":
                index = min(index + 2, self.tokens.count)
            return index
        if char in "[{":
            return self.past(index)
        if text in _TYPED_BODIES and texts[index + 1] == "<":
            index = self.past(index + 1)
            return self.skip_type(index + 1) if texts[index] == ":" else index
        if (text in _BODIES and texts[index + 1] == "<") or (text == "loc" and texts[index + 1] == "("):
            return self.past(index + 1)
        if char == "#" and len(text) > 1:
            index += 1
            return self.past(index) if texts[index] == "<" and self.tokens.adjacent(index) else index
        if char.isalpha() or char in "!(":
            return self.skip_type(index)
        raise self.problem(f"expected an attribute, but found {self.found(index)}", index)

    def top_level(self, text: str, first: int, after: int) -> int | None:
        """The first token ``text`` among tokens ``first`` to ``after`` that no bracket between them encloses."""
        index = first
        while index < after:
            if self.texts[index] == text:
                return index
            index = max(index, self.tokens.match[index]) + 1
        return None

    def split(self, first: int, after: int) -> list[tuple[int, int]]:
        """The parts between the commas of tokens ``first`` to ``after``, commas inside brackets aside; empty for no
        tokens.
        """
        if first >= after:
            return []
        texts, match = self.texts, self.tokens.match
        parts: list[tuple[int, int]] = []
        start = index = first
        while index < after:
            if texts[index] == ",":
                parts.append((start, index))
                start = index + 1
            elif match[index] > index:
                index = match[index]
            index += 1
        parts.append((start, after))
        return parts


def definitions(tokens: Tokens) -> Iterator[tuple[int, int, int]]:
    """Definitions of aliases, ``#name = value`` and ``!name = type``: the token of the name, the first of the value,
    the one after.

    They stand outside all brackets. A value that cannot be told ends after one token.
    """
    texts, match = tokens.texts, tokens.match
    cursor = Cursor(tokens, 0)
    index = 0
    while index < tokens.count:
        if texts[index][0] in "#!" and texts[index + 1] == "=":
            try:
                after = cursor.skip_attribute(index + 2)
            except Problem:
                after = index + 3
            yield index, index + 2, min(after, tokens.count)
            index = after
        else:
            index = match[index] + 1 if match[index] > index else index + 1
