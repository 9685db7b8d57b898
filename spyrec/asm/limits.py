"""What is refused before MLIR sees it, because its parser or printer would take the process down.

Both recurse without bound. Depth of brackets is the obvious case. Depth and size also come from aliases that mention
earlier aliases, one line each, and from runs of signs, which MLIR's affine parser takes one stack frame at a time. And
the parser of ``linalg.generic`` takes it on trust that iterator types are strings, the verifier of ``linalg.transpose``
that a permutation has a largest element: what lies behind an empty one it takes for the number of loops.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from spyrec.asm.cursor import definitions
from spyrec.asm.lexer import Tokens
from spyrec.asm.problem import Problem

#: Deepest nesting of regions, and of all brackets together (through aliases too).
MAX_REGIONS = 512
MAX_BRACKETS = 4096
#: Most tokens that one alias may stand for, the aliases in it written out.
MAX_EXPANSION = 4_000_000
#: Longest run of minus signs.
MAX_SIGNS = 64

_SIGNS = re.compile(rf"(?:-\s*){{{MAX_SIGNS + 1}}}")


def check(tokens: Tokens) -> None:
    """Raise :class:`Problem` where the text goes beyond a limit."""
    _brackets(tokens)
    if _SIGNS.search(tokens.text):
        _signs(tokens)
    _aliases(tokens)
    if "iterator_types" in tokens.text:
        _iterator_types(tokens)
    if "linalg.transpose" in tokens.text:
        _permutations(tokens)


def _brackets(tokens: Tokens) -> None:
    texts, match = tokens.texts, tokens.match
    depth = regions = 0
    counted: set[int] = set()
    for index in tokens.brackets:
        partner = match[index]
        if partner < 0:
            continue
        if partner < index:
            depth -= 1
            if partner in counted:
                regions -= 1
            continue
        depth += 1
        if depth > MAX_BRACKETS:
            _fail(tokens, f"brackets are nested more than {MAX_BRACKETS} deep here", index)
        # A module around everything does not count: MLIR's printer writes one where the user need not.
        if texts[index] == "{" and not tokens.is_dictionary(index) and texts[index - 1] != "module":
            regions += 1
            counted.add(index)
            if regions > MAX_REGIONS:
                _fail(tokens, f"regions are nested more than {MAX_REGIONS} deep here", index)


def _signs(tokens: Tokens) -> None:
    run = 0
    for index, text in enumerate(tokens.texts):
        run = run + 1 if text == "-" else 0
        if run > MAX_SIGNS:
            _fail(tokens, f"there are more than {MAX_SIGNS} signs in a row here", index)


def _aliases(tokens: Tokens) -> None:
    """Depth and size of each alias, those that it mentions written out."""
    known: dict[str, tuple[int, int]] = {}
    for name, first, after in definitions(tokens):
        deepest = size = depth = 0
        for index in range(first, after):
            text = tokens.texts[index]
            partner = tokens.match[index]
            depth += (partner > index) - (-1 < partner < index)
            inner_depth, inner_size = known.get(text, (0, 1))
            deepest = max(deepest, depth + inner_depth)
            size += inner_size
        text = tokens.texts[name]
        if deepest > MAX_BRACKETS or size > MAX_EXPANSION:
            _fail(tokens, f"{text} is nested too deeply or too large with the aliases in it written out", name)
        known[text] = (deepest, size)


def _iterator_types(tokens: Tokens) -> None:
    texts, match = tokens.texts, tokens.match
    for index, text in enumerate(texts):
        if text != "iterator_types" or texts[index + 1] != "=" or texts[index + 2] != "[" or match[index + 2] < 0:
            continue
        for element in range(index + 3, match[index + 2]):
            first = texts[element][0]
            if not (first == '"' or texts[element] == "," or texts[element].startswith("#linalg.iterator_type")):
                if texts[element] in ("<", ">") or (texts[element - 1] == "<" and texts[element].isalpha()):
                    continue
                message = f'an iterator type is a string such as "parallel", but this is {texts[element]}'
                raise Problem("syntax", message, tokens.starts[element], tokens.end(element))


def _permutations(tokens: Tokens) -> None:
    texts = tokens.texts
    empty = {texts[name] for name, first, _ in definitions(tokens) if _is_empty(texts, first)}
    inside = False
    for index, text in enumerate(texts):
        if text in ("linalg.transpose", '"linalg.transpose"'):
            inside = True
        elif inside and text == "permutation" and texts[index + 1] == "=":
            inside = False
            if _is_empty(texts, index + 2) or texts[index + 2] in empty:
                message = "linalg.transpose of a tensor without dimensions is not read: MLIR dies of it"
                note = "the result is the operand itself; linalg.broadcast with dimensions = [] copies it"
                raise Problem("wrong-attribute", message, tokens.starts[index], tokens.end(index), (note,))


def _is_empty(texts: Sequence[str], first: int) -> bool:
    """Whether the array of integers that starts at token ``first`` is empty."""
    return texts[first : first + 2] == ["[", "]"] or texts[first : first + 4] == ["array", "<", "i64", ">"]


def _fail(tokens: Tokens, message: str, index: int) -> None:
    raise Problem("too-deep", message, tokens.starts[index], tokens.end(index))
