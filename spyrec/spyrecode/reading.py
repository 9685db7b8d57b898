"""Typed access to JSON that came from outside: every failure is an ``InvalidKernel`` that names the member and
the entry.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

from spyrec.errors import Diagnostic, InvalidKernel, Severity

T = TypeVar("T")
MAX_INTEGER = 1 << 63


def corrupt(where: str, what: str) -> NoReturn:
    """Raise ``InvalidKernel`` with id ``corrupt-artifact`` for ``what`` in member or entry ``where``."""
    raise InvalidKernel([Diagnostic(Severity.ERROR, f"{where}: {what}", "corrupt-artifact")])


def parse(data: bytes, name: str) -> Entry:
    """The JSON document in ``data``, the member called ``name``."""
    try:
        return Entry(json.loads(data.decode(), parse_constant=_no_constant), name)
    except UnicodeDecodeError as error:
        corrupt(name, f"byte {error.start:#x} is not UTF-8")
    except json.JSONDecodeError as error:
        corrupt(name, f"line {error.lineno}, column {error.colno}: {error.msg}")
    except (ValueError, RecursionError) as error:
        corrupt(name, f"it is no JSON that can be read: {error}")


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON number")


def dump(value: object, *, compact: bool = False) -> bytes:
    """``value`` as the JSON of an artifact: UTF-8, keys in the order given, one trailing newline; ``compact`` on
    one line.
    """
    text = json.dumps(
        value, ensure_ascii=False, indent=None if compact else 1, separators=(",", ":") if compact else None
    )
    return (text + "\n").encode()


class Entry:
    """A value somewhere in a document; ``path`` says where."""

    def __init__(self, value: object, path: str) -> None:
        self.value = value
        self.path = path

    def fail(self, what: str) -> NoReturn:
        """Refuse this entry."""
        corrupt(self.path, what)

    def _expected(self, what: str) -> NoReturn:
        shown = repr(self.value)
        self.fail(f"expected {what}, found {shown if len(shown) <= 60 else shown[:57] + '...'}")

    def members(self) -> Mapping[str, Any]:
        """The object that this entry has to be."""
        if not isinstance(self.value, dict):
            self._expected("an object")
        return self.value

    def get(self, key: str) -> Entry:
        """Member ``key`` of the object."""
        members = self.members()
        if key not in members:
            self.fail(f"'{key}' is missing")
        return Entry(members[key], f"{self.path}: {key}")

    def only(self, *keys: str) -> None:
        """Refuse members of the object other than ``keys``."""
        for key in self.members():
            if key not in keys:
                self.fail(f"'{key}' is no entry here; known: {', '.join(keys)}")

    def items(self) -> list[Entry]:
        """The entries of the list that this has to be."""
        if not isinstance(self.value, list):
            self._expected("a list")
        return [Entry(v, f"{self.path}[{i}]") for i, v in enumerate(self.value)]

    def map(self, read: Callable[[Entry], T]) -> tuple[T, ...]:
        """``read`` of each entry of the list."""
        return tuple(read(item) for item in self.items())

    def text(self) -> str:
        """The string that this has to be."""
        if not isinstance(self.value, str):
            self._expected("a string")
        return self.value

    def choice(self, allowed: Sequence[str]) -> str:
        """The string that this has to be, one of ``allowed``."""
        value = self.text()
        if value not in allowed:
            self._expected(f"one of {', '.join(allowed)}")
        return value

    def integer(self, low: int = -MAX_INTEGER, high: int = MAX_INTEGER - 1) -> int:
        """The integer from ``low`` to ``high`` that this has to be."""
        if not isinstance(self.value, int) or isinstance(self.value, bool) or not low <= self.value <= high:
            self._expected(f"an integer from {low} to {high}")
        return self.value

    def count(self) -> int:
        """An integer from 0 up."""
        return self.integer(low=0)

    def flag(self) -> bool:
        """The truth value that this has to be."""
        if not isinstance(self.value, bool):
            self._expected("true or false")
        return self.value

    def maybe(self, read: Callable[[Entry], T]) -> T | None:
        """``read`` of this entry; None for null."""
        return None if self.value is None else read(self)

    def decimal(self) -> int:
        """The number from 0 up that this has to be as a string of decimal digits, and nothing but digits."""
        value = self.value
        if not isinstance(value, str) or not value.isascii() or not value.isdigit() or len(value) > 20:
            self._expected("a decimal number as a string")
        return int(value)
