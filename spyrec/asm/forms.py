"""Attributes in the short text of a format, and in the text that MLIR reads: each :class:`Form` in both directions.

``parse`` gives generic text, ``show`` takes it. Generic text is what stands behind ``name =`` in a generic op or
between the angle brackets of a type or attribute of ours.
"""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

from spyrec.ods.spec import Constraint, Form

if TYPE_CHECKING:
    from spyrec.asm.state import ReadState, ShowState

_WIDTHS = {"index": 64}
_HEX_FLOAT = re.compile(r"0[xX][0-9a-fA-F]+$")
_INTEGER = re.compile(r"-?(?:0[xX][0-9a-fA-F]+|\d+)$")
_DENSE = re.compile(r"array<i64(?::\s*(?P<items>[^>]*))?>$")


def starts(state: ReadState, constraint: Constraint) -> bool:
    """Whether the token at the cursor can begin this attribute (decides optional groups)."""
    text = state.texts[state.i]
    char = text[0]
    form = constraint.form
    if char == "#":
        return form not in (Form.SYMBOL, Form.KEYWORD, Form.UNIT, Form.BOOL, Form.INTEGER, Form.FLOAT, Form.STRING)
    if form in (Form.INTEGER, Form.FLOAT):
        return char == "-" or char.isdigit()
    if form is Form.STRING:
        return char == '"'
    if form is Form.SYMBOL:
        return char == "@"
    if form is Form.ARRAY:
        return char == "["
    if form is Form.I64_ARRAY:
        return char == "[" or text == "array"
    if form is Form.KEYWORD:
        return text in constraint.cases
    if form is Form.STRIPPED:
        return char == "<"
    if form is Form.MAP or form is Form.SET:
        return text in ("affine_map", "affine_set")
    if form is Form.BOOL:
        return text in ("true", "false")
    if form is Form.UNIT:
        return False
    return char.isalpha() or char.isdigit() or char in '"@[{!(-'


def parse(state: ReadState, constraint: Constraint) -> str:
    """Read an attribute at the cursor and step over it; the generic text."""
    form = constraint.form
    text = state.texts[state.i]
    if form is Form.UNIT:
        return "unit"
    if text[0] == "#" and form is not Form.STRIPPED and not (form is Form.KEYWORD and "." in text):
        return _full(state)  # an alias may stand for a keyword, an attribute of a dialect is none
    if form is Form.INTEGER:
        return f"{parse_integer(state, constraint.fixed or 'i64')} : {constraint.fixed or 'i64'}"
    if form is Form.FLOAT:
        return f"{_number(state)} : {constraint.fixed or 'f64'}"
    if form is Form.I64_ARRAY and text == "[":
        return dense(parse_list(state))
    if form is Form.KEYWORD:
        word = parse_keyword(state, constraint.cases)
        return f'"{word}"' if constraint.fixed is None else f"{constraint.cases.index(word)} : {constraint.fixed}"
    if form is Form.SYMBOL:
        return _symbol(state, constraint)
    if form is Form.STRIPPED and text == "<":
        return state.record_body(f"#{constraint.classes[0]}")
    if form is Form.STRING and text[0] != '"':
        state.fail(f"expected a string, but found {state.found()}")
    if form is Form.BOOL and text not in ("true", "false"):
        state.fail(f"expected true or false, but found {state.found()}")
    if (form is Form.MAP and text != "affine_map") or (form is Form.SET and text != "affine_set"):
        state.fail(f"expected {constraint.description}, but found {state.found()}")
    if form is Form.TYPE:
        return state.type()
    return _full(state)


def _full(state: ReadState) -> str:
    first = state.i
    state.i = state.skip_attribute(first)
    state.refuse_locations(first, state.i)
    colon = state.top_level(":", first, state.i)
    if colon is None:
        return state.translate(first, state.i)
    # The type is looked up behind " : " later, whatever white space the text has there.
    return f"{state.translate(first, colon)} : {state.translate(colon + 1, state.i)}"


def parse_integer(state: ReadState, type_text: str) -> int:
    """A decimal or hexadecimal integer that fits its type."""
    first = state.i
    negative = state.accept("-")
    text = state.texts[state.i]
    if not _INTEGER.match(text):
        state.fail(f"expected an integer, but found {state.found()}")
    state.i += 1
    # int() refuses thousands of digits; anything of that length is out of range anyhow.
    value = int(text, 0) if len(text) < 100 and not text.startswith("0") else _leading_zero(text)
    value = -value if negative else value
    width = _WIDTHS.get(type_text) or int(type_text.lstrip("isu") or 64)
    # Lists of i64 are signed whatever their type says; other integers without a sign hold either reading of their bits.
    unsigned = type_text.startswith("ui") or (type_text.startswith("i") and width < 64)
    if not -(1 << (width - 1)) <= value < (1 << (width - (0 if unsigned else 1))):
        shown = str(value) if len(text) < 40 else f"this number of {len(text)} digits"
        state.fail(f"{shown} does not fit {type_text}", first, state.i, id="number-range")
    return value


def _leading_zero(text: str) -> int:
    if len(text) >= 100:
        return 1 << 200
    return int(text, 16) if text[1:2] in ("x", "X") else int(text)


def _number(state: ReadState) -> str:
    sign = "-" if state.accept("-") else ""
    text = state.texts[state.i]
    if not text[0].isdigit():
        state.fail(f"expected a number, but found {state.found()}")
    state.i += 1
    if _HEX_FLOAT.match(text):
        return sign + text
    return sign + (text if "." in text else f"{text}.0")


def parse_list(state: ReadState) -> list[int]:
    """``[1, -2]``."""
    state.expect("[")
    values: list[int] = []
    while not state.accept("]"):
        if values:
            state.expect(",")
        values.append(parse_integer(state, "i64"))
    return values


def parse_keyword(state: ReadState, cases: tuple[str, ...]) -> str:
    """One of a few words; a near miss is suggested."""
    text = state.texts[state.i]
    if text not in cases:
        near = difflib.get_close_matches(text, cases, 1)
        hint = [f"did you mean '{near[0]}'?"] if near else []
        state.fail(f"expected one of {', '.join(cases)}, but found {state.found()}", notes=hint)
    state.i += 1
    return text


def _symbol(state: ReadState, constraint: Constraint) -> str:
    text = state.texts[state.i]
    if text[0] != "@" or len(text) < 2:
        state.fail(f"expected a symbol such as @name, but found {state.found()}")
    first = state.i
    state.i = state.skip_attribute(first)
    if not constraint.defines:
        return state.tokens.slice(first, state.i)
    if state.i > first + 1:
        state.fail("a symbol that is defined here has one name, without '::'", first, state.i)
    return text[1:] if text[1] == '"' else f'"{text[1:]}"'


def dense(values: list[int]) -> str:
    """Generic text of a dense i64 array."""
    return f"array<i64: {', '.join(map(str, values))}>" if values else "array<i64>"


def dense_values(text: str) -> list[int]:
    """The entries of a dense i64 array from its generic text. Raises ValueError for other text."""
    match = _DENSE.match(text)
    if match is None:
        raise ValueError(f"{text} is no dense i64 array")
    items = match["items"]
    return [int(v, 0) for v in items.split(",")] if items else []


def show(state: ShowState, constraint: Constraint, text: str) -> str:
    """The short text for generic text ``text``; whatever does not have the shape of its form is shown in full."""
    form = constraint.form
    if form is Form.UNIT:
        return ""
    if form is Form.INTEGER or form is Form.FLOAT:
        kind = constraint.fixed or ("i64" if form is Form.INTEGER else "f64")
        return text.removesuffix(f" : {kind}")
    if form is Form.I64_ARRAY:
        try:
            return f"[{', '.join(map(str, dense_values(text)))}]"
        except ValueError:
            return state.custom_text(text)
    if form is Form.KEYWORD:
        return _show_keyword(constraint, text)
    if form is Form.SYMBOL:
        return _show_symbol(text) if constraint.defines else text
    if form is Form.STRIPPED:
        return state.short_record(state.custom_text(text), constraint)
    return state.custom_text(text)


def _show_keyword(constraint: Constraint, text: str) -> str:
    if constraint.fixed is None:
        return text.strip('"')
    number = text.partition(" ")[0]
    return constraint.cases[int(number)] if number.isdigit() and int(number) < len(constraint.cases) else text


def _show_symbol(text: str) -> str:
    name = text[1:-1] if text.startswith('"') else text
    plain = re.fullmatch(r"[A-Za-z_][\w$.]*", name, re.ASCII)
    return f"@{name}" if plain else f'@"{name}"'
