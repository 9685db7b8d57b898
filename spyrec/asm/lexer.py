"""MLIR text as a flat list of tokens, with brackets matched and the tokens that concern our dialects marked.

The lexer is coarse on purpose: statements of upstream dialects are copied as they are, so only what separates them from
ours must be recognised exactly: strings, comments, brackets, SSA names and dotted names. ``4x64xf16`` is one word,
``?x8`` two tokens.
"""

from __future__ import annotations

import bisect
import functools
import re
from collections.abc import Iterable

from spyrec.asm.problem import Problem

_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
#: What text never holds: control characters other than white space, and halves of surrogate pairs (bytes that were not
#: UTF-8).
_NOT_TEXT = re.compile("[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff]")
#: Stands after the last token, so that looking ahead needs no bounds check; no token is equal to it.
END = "\0"


@functools.lru_cache(maxsize=16)
def _pattern(dialects: tuple[str, ...]) -> re.Pattern[str]:
    ours = "|".join(map(re.escape, dialects)) or r"(?!)"
    return re.compile(
        rf"""
          (//[^\n\r]*)                                                          # 1 comment
        | (                                                                     # 2 of interest to a reader or printer
            [!\#]? (?:{ours}) \. [A-Za-z_$][\w$.]*
          | [!\#] (?:{ours}) (?=<)
          | "(?:{ours})\.[\w$.]+" (?=\s*\()
          | loc (?=\s*\()
          )
        | ( [(\[{{<] (?!-\#) | [)\]}}] )                                        # 3 bracket
        | [A-Za-z_][\w$.]*
        | % (?:[0-9]+|[A-Za-z_$.-][\w$.-]*) (?:\#[0-9]+)?
        | [0-9]+\.[0-9]* (?:[eE][-+]?[0-9]+)? | [0-9][\w$]*
        | -> | >= | <= | == | ::
        | (>)                                                                   # 4 closing angle
        | "(?:[^"\\\n]|\\.)*"
        | [!\#^] (?:[0-9]+|[A-Za-z_$.-][\w$.-]*)
        | @ (?: [A-Za-z_][\w$.]* | "(?:[^"\\\n]|\\.)*" )
        | \{{-\# .*? \#-\}}
        | \S
        """,
        re.VERBOSE | re.ASCII | re.DOTALL,
    )


class Tokens:
    """The tokens of a text.

    ``texts[i]`` and ``starts[i]`` are a token and its offset; one sentinel :data:`END` follows the last (index
    ``count``). ``match[i]`` is the partner of a bracket, -1 for other tokens and for a ``<`` or ``>`` that is no
    bracket. ``marked`` lists, in order, the tokens that name something of the given dialects, and ``loc`` before a
    parenthesis; ``brackets`` all brackets.

    Raises :class:`Problem` for what is not text, unterminated strings and brackets that do not match.
    """

    def __init__(self, text: str, dialects: Iterable[str]) -> None:
        if (bad := _NOT_TEXT.search(text)) is not None:
            code = ord(bad[0])
            kind = "a byte that is not UTF-8" if code >= 0xD800 else f"the control character 0x{code:02X}"
            raise Problem("not-text", f"{kind} stands here: this is not text", bad.start(), bad.end())
        self.text = text
        self.texts: list[str] = []
        self.starts: list[int] = []
        self.marked: list[int] = []
        self.brackets: list[int] = []
        brackets = self.brackets
        texts, starts, marked = self.texts, self.starts, self.marked
        add, start = texts.append, starts.append
        for found in _pattern(tuple(dialects)).finditer(text):
            group = found.lastindex
            if group is None:
                add(found[0])
                start(found.start())
            elif group != 1:
                if group == 2:
                    marked.append(len(texts))
                else:
                    brackets.append(len(texts))
                add(found[0])
                start(found.start())
        self.count = len(texts)
        self.texts.append(END)
        self.starts.append(len(text))
        self.match = [-1] * (self.count + 1)
        if '"' in texts:
            quote = self.starts[texts.index('"')]
            raise Problem("syntax", "this string has no closing quote on its line", quote, quote + 1)
        self._pair()

    def end(self, index: int) -> int:
        """Offset after the last character of a token."""
        return self.starts[index] + len(self.texts[index])

    def slice(self, first: int, after: int) -> str:
        """The text from token ``first`` to the token before ``after``, as written."""
        last = after - 1
        return self.text[self.starts[first] : self.starts[last] + len(self.texts[last])] if after > first else ""

    def first_on_line(self, index: int) -> bool:
        """Whether only white space (or a comment's end) stands before the token on its line."""
        return index == 0 or "\n" in self.text[self.end(index - 1) : self.starts[index]]

    def adjacent(self, index: int) -> bool:
        """Whether the token follows its predecessor without a gap."""
        return index > 0 and self.end(index - 1) == self.starts[index]

    def at(self, offset: int) -> int:
        """Index of the token that holds ``offset``, or of the next one."""
        index = bisect.bisect_right(self.starts, offset) - 1
        if index < 0 or (index < self.count and offset >= self.end(index)):
            index += 1
        return min(index, self.count)

    def _pair(self) -> None:
        texts, match = self.texts, self.match
        stack: list[int] = []
        for index in self.brackets:
            text = texts[index]
            if text in _CLOSING:
                stack.append(index)
                continue
            if text == ">":
                if stack and texts[stack[-1]] == "<":
                    match[index] = stack[-1]
                    match[stack.pop()] = index
                continue
            # A "<" that a closing bracket of another kind ends was a comparison, not a bracket.
            while stack and texts[stack[-1]] == "<":
                stack.pop()
            if not stack:
                self._fail("syntax", f"this '{text}' closes nothing", index)
            opening = stack.pop()
            if _CLOSING[texts[opening]] != text:
                place = (self.starts[opening], self.end(opening), f"this '{texts[opening]}' is still open")
                expected = f"expected '{_CLOSING[texts[opening]]}' before this '{text}'"
                raise Problem("syntax", expected, self.starts[index], self.end(index), [place])
            match[index] = opening
            match[opening] = index
        hard = [i for i in stack if texts[i] != "<"]
        if stack and (hard or stack[-1] > self.count - 32):
            opening = max(hard[-1] if hard else -1, stack[-1] if stack[-1] > self.count - 32 else -1)
            place = (self.starts[opening], self.end(opening), f"this '{texts[opening]}' is still open")
            last = self.end(self.count - 1)
            raise Problem("truncated", "the text ends too early", last, last, [place])

    def is_dictionary(self, index: int) -> bool:
        """Whether the ``{`` at ``index`` opens an attribute dictionary: ``{}``, or a key and then ``=``, ``,`` or
        ``}``.
        """
        key = self.texts[index + 1]
        if key == "}":
            return True
        return (key[0] == '"' or key[0].isalpha() or key[0] == "_") and self.texts[index + 2] in ("=", ",", "}")

    def _fail(self, id: str, message: str, index: int) -> None:
        raise Problem(id, message, self.starts[index], self.end(index))
