"""Where the block around a place in a text ends, for messages about what is missing there."""

from __future__ import annotations

import re

_PIECE = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n\r]*|[{}]|^[ \t]*\^[\w$.-]+', re.MULTILINE)
_OPENS = re.compile(r'(?:^|[={])\s*"?([a-z_]+\.[a-z_0-9.]+)\b"?(?!\s*=[^=])', re.MULTILINE)
_LOOK_BACK = 20_000


def closing(text: str, start: int, *, inside: bool) -> int:
    """The offset where the innermost block around ``start`` ends: its closing brace, or the next block's label.

    ``inside`` says that ``start`` is an op of the block; else it is the op around it, whose first empty region is
    meant. ``len(text)`` where none is found.
    """
    opened: list[int] = []
    depth = -1
    for piece in _PIECE.finditer(text):
        word, at = piece[0].strip(), piece.end() - len(piece[0].strip())
        if depth < 0 and at >= start:
            depth = len(opened)
        if word == "{":
            opened.append(at)
        elif word == "}" and opened:
            began = opened.pop()
            ends = len(opened) < depth if inside else len(opened) == depth and _empty(text, began, at)
            if depth >= 0 and ends:
                return at
        elif word[:1] == "^" and inside and at > start and depth == len(opened):
            return at
    return len(text)


def owner(text: str, brace: int) -> str:
    """The op whose region the closing brace at ``brace`` ends, as far as its name can be seen; else empty."""
    opened: list[int] = []
    for piece in _PIECE.finditer(text, 0, brace):
        if piece[0] == "{":
            opened.append(piece.start())
        elif piece[0] == "}" and opened:
            opened.pop()
    before = text[max(0, opened[-1] - _LOOK_BACK) : opened[-1]] if opened else ""
    found = _OPENS.findall(before)
    return found[-1] if found else ""


def _empty(text: str, began: int, at: int) -> bool:
    """Whether nothing but space and comments stands between two braces."""
    return not re.sub(r"//[^\n\r]*", "", text[began + 1 : at]).strip()
