"""Options of passes: typed dataclass fields, read from and written to MLIR's pipeline spelling.

``depth: int = option(2, "prose")`` is at once the field's default, its documentation, the command line's
``--resolve-views=depth=2`` and the pipeline's ``resolve-views{depth=2}``. A field ``tile_sizes`` is spelled
``tile-sizes`` (``tile_sizes`` is read as well).

Types that a field may have: ``bool``, ``int``, ``float``, ``str``, ``Literal["a", "b"]``, ``tuple[T, ...]`` of those
(spelled ``1,2,3``), and each of them ``| None`` (spelled ``none``).
"""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Iterator
from typing import Any, Literal

from spyrec.errors import UsageError

_DOC = "spyrec.doc"


def option(default: Any, doc: str) -> Any:
    """Declare one option of a pass: a dataclass field with ``default`` (immutable) and a sentence of documentation."""
    return dataclasses.field(default=default, metadata={_DOC: doc})


@dataclasses.dataclass(frozen=True)
class OptionSpec:
    """One declared option: its field, its spelling, its type as Python sees it, its default, its sentence."""

    field: str
    type: Any
    default: Any
    doc: str

    @property
    def spelling(self) -> str:
        """The name on the command line and in pipelines."""
        return self.field.replace("_", "-")

    @property
    def type_text(self) -> str:
        """The type in words, for listings."""
        return type_text(self.type)


def specs(cls: type) -> tuple[OptionSpec, ...]:
    """The options of a pass class, in order of declaration."""
    return _specs(cls)


@functools.cache
def _specs(cls: Any) -> tuple[OptionSpec, ...]:
    if not dataclasses.is_dataclass(cls):
        return ()
    hints = typing.get_type_hints(cls)
    return tuple(
        OptionSpec(f.name, hints[f.name], f.default, f.metadata[_DOC])
        for f in dataclasses.fields(cls)
        if _DOC in f.metadata
    )


def type_text(kind: Any) -> str:
    """A field's type in words: ``int``, ``'a' or 'b'``, ``list of int``, ``int or none``."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is Literal:
        return " or ".join(repr(a) for a in arguments)
    if origin is tuple:
        return f"list of {type_text(arguments[0])}"
    if origin in (typing.Union, types.UnionType):
        return " or ".join("none" if a is types.NoneType else type_text(a) for a in arguments)
    return str(getattr(kind, "__name__", kind))


def parse_value(kind: Any, text: str) -> Any:
    """Read ``text`` as a value of the type ``kind``. Raises ValueError with what was expected."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is Literal:
        for choice in arguments:
            if text == str(choice):
                return choice
        raise ValueError(f"expected {type_text(kind)}, got '{text}'")
    if origin is tuple:
        return tuple(parse_value(arguments[0], item) for item in _items(text))
    if origin in (typing.Union, types.UnionType):
        if text == "none":
            return None
        (inner,) = (a for a in arguments if a is not types.NoneType)
        return parse_value(inner, text)
    if kind is bool:
        if text.lower() not in ("true", "false", "1", "0"):
            raise ValueError(f"expected true or false, got '{text}'")
        return text.lower() in ("true", "1")
    if kind is int:
        try:
            return int(text, 0)
        except ValueError:
            raise ValueError(f"expected an integer, got '{text}'") from None
    if kind is float:
        try:
            return float(text)
        except ValueError:
            raise ValueError(f"expected a number, got '{text}'") from None
    if kind is str:
        return text
    raise TypeError(f"a pass option cannot have the type {kind!r}")


def print_value(value: Any) -> str:
    """The inverse of :func:`parse_value`."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ",".join(print_value(v) for v in value)
    text = str(value)
    if text == "" or any(c in ' {}"' for c in text):
        return "{" + text + "}"
    return text


def parse_options(cls: type, name: str, text: str) -> dict[str, Any]:
    """Read the text between the braces of ``name{...}`` into keyword arguments for ``cls``.

    Raises :class:`UsageError` on an unknown option (names the nearest), a repeated one and a value of the wrong type.
    """
    known = {spec.field: spec for spec in specs(cls)}
    result: dict[str, Any] = {}
    for key, value in _pairs(text, name):
        spec = known.get(key.replace("-", "_"))
        if spec is None:
            import difflib

            near = difflib.get_close_matches(key, [s.spelling for s in known.values()], 1)
            hint = f"; did you mean '{near[0]}'?" if near else "" if known else ": it has none"
            raise UsageError(f"pass '{name}' has no option '{key}'{hint}")
        if spec.field in result:
            raise UsageError(f"option '{spec.spelling}' of pass '{name}' is given twice")
        if value is None:
            if spec.type is not bool:
                raise UsageError(f"option '{spec.spelling}' of pass '{name}' needs a value ({spec.type_text})")
            result[spec.field] = True
            continue
        try:
            result[spec.field] = parse_value(spec.type, value)
        except ValueError as error:
            raise UsageError(f"option '{spec.spelling}' of pass '{name}': {error}") from None
    return result


def print_options(instance: object, *, defaults: bool = False) -> str:
    """The options of a pass that differ from their defaults (all with ``defaults``) as ``{a=1 b=2}``; empty if none."""
    pairs = [
        f"{spec.spelling}={print_value(getattr(instance, spec.field))}"
        for spec in specs(type(instance))
        if defaults or getattr(instance, spec.field) != spec.default
    ]
    return "{" + " ".join(pairs) + "}" if pairs else ""


def _pairs(text: str, name: str) -> Iterator[tuple[str, str | None]]:
    """Split ``a=1 b={x y} c="q r" d`` into keys and values; a value's outer braces or quotes are removed."""
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        start = at
        while at < len(text) and text[at] != "=" and not text[at].isspace():
            at += 1
        key = text[start:at]
        if not key:
            raise UsageError(f"options of pass '{name}': expected NAME=VALUE, got '{text[start:]}'")
        if at == len(text) or text[at] != "=":
            yield key, None
            continue
        start = at = at + 1
        depth, quote = 0, ""
        while at < len(text) and (depth or quote or not text[at].isspace()):
            c = text[at]
            if quote:
                quote = "" if c == quote else quote
            elif c in "\"'":
                quote = c
            elif c == "{":
                depth += 1
            elif c == "}":
                depth -= 1
            at += 1
        if depth or quote:
            raise UsageError(f"options of pass '{name}': unbalanced '{quote or '{'}' in the value of '{key}'")
        value = text[start:at]
        if len(value) >= 2 and (
            (value[0] == "{" and value[-1] == "}") or (value[0] in "\"'" and value[-1] == value[0])
        ):
            value = value[1:-1]
        yield key, value


def _items(text: str) -> list[str]:
    return [item.strip() for item in text.split(",")] if text.strip() else []
