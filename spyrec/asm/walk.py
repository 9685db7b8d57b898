"""One walk over a text, from one token that concerns our dialects to the next: what reader and printer have in common.

Everything in between is copied. Regions of ops of ours are stretches of their own, kept on a stack.
"""

from __future__ import annotations

import bisect
from dataclasses import dataclass
from typing import Generic, TypeVar

from spyrec.asm.lexer import Tokens

#: What stands before a quoted name in patterns of the ``pdl`` dialect: that of an op to match, or of a function.
_NAMING_WORDS = frozenset({"operation", "apply_native_constraint", "apply_native_rewrite"})


@dataclass(kw_only=True)
class Frame:
    """A stretch of statements: the whole text, or a region of an op of ours.

    ``end`` is the token that closes it, ``default`` the dialect whose ops are written there without it. ``nested`` is
    the end of the innermost upstream braces met so far: names without a dialect inside those are not ours.
    """

    end: int
    default: str | None = None
    nested: int = -1

    @property
    def renames(self) -> bool:
        """Whether SSA names change here."""
        return False


_F = TypeVar("_F", bound=Frame)


class Walker(Generic[_F]):
    """A walk over ``tokens``; ``frames`` are the stretches around the current token, innermost last."""

    tokens: Tokens
    texts: list[str]
    frames: list[_F]

    def next_stop(self, frame: _F, token: int) -> int:
        """The next token from ``token`` on that is not just copied; the end of the frame if that comes first."""
        tokens, texts = self.tokens, self.texts
        at = bisect.bisect_left(tokens.marked, token)
        stop = min(tokens.marked[at] if at < len(tokens.marked) else tokens.count, frame.end)
        renames = frame.renames
        if not (renames or frame.default):
            return stop
        for index in range(token, stop):
            text = texts[index]
            if text[0] == "%" and renames and len(text) > 1:
                return index
            if text == "{" and index > frame.nested:
                frame.nested = tokens.match[index]
            elif frame.default and index > frame.nested and self.is_short_op(frame, index):
                return index
        return stop

    def is_short_op(self, frame: _F, index: int) -> bool:
        """Whether a word without a dialect names an op of the frame's default dialect (or fails to)."""
        return False

    def names_a_pattern(self, index: int) -> bool:
        """Whether the quoted name at a token is part of a ``pdl`` pattern, so that no op starts there."""
        return index > 0 and self.texts[index - 1].rpartition(".")[2] in _NAMING_WORDS
