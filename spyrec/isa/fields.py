"""Bit fields and records: the words in which the tables of instructions and of the binary's structures are written.

A record is some 64-bit little-endian words; a field is a run of bits in one of them (or several equal runs, for lists).
Bit 0 is the lowest. Bits that no field claims are reserved and are 0.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any

from spyrec.records import dataclass

WORD = 64


class FieldError(ValueError):
    """A value does not fit its field, or bits mean nothing; the message names the field. ``place`` is the unit's label
    and the index of the instruction, where it is in one.
    """

    place: tuple[str, int] | None = None


class Kind(enum.Enum):
    """How the bits of a field are read; the value is the word that the documentation uses."""

    UNSIGNED = "unsigned"
    SIGNED = "two's complement"
    REGISTER = "scalar register"
    BASE = "scalar register, or none (all ones)"
    VECTOR = "vector register"
    BUFFER = "number of a buffer, or none (all ones)"
    CHANNEL = "number of a channel"
    UNIT = "number of a unit"
    TARGET = "word of this unit's code at which an instruction starts"
    CODE = "code"
    COUNT = "number of records that follow"


OPTIONAL = frozenset({Kind.BASE, Kind.BUFFER})


@dataclass(frozen=True)
class Field:
    """``width`` bits from bit ``low`` of word ``word``.

    ``codes`` are the names of a ``CODE`` field by their code. ``repeat`` > 1 makes the field a list: equal runs
    side by side (in the following words when a word is full) of which as many count as ``length`` says
    (``rank``: the counts of the instruction; ``arity``: the sources of the micro-op), the others being 0.
    """

    name: str
    kind: Kind
    word: int
    low: int
    width: int
    prose: str
    codes: Mapping[int, Any] = field(default_factory=dict)
    repeat: int = 1
    length: str = ""

    @cached_property
    def names(self) -> Mapping[Any, int]:
        """``codes`` the other way round."""
        return {name: code for code, name in self.codes.items()}

    @cached_property
    def places(self) -> list[tuple[int, int]]:
        """Word and lowest bit of each run."""
        first = self.word * WORD + self.low
        return [divmod(first + i * self.width, WORD) for i in range(self.repeat)]

    def to_bits(self, value: Any) -> int:
        """``value`` (one entry of a list) as ``width`` bits. Raises :class:`FieldError` when it does not fit."""
        top = 1 << self.width
        if self.kind is Kind.CODE:
            if value not in self.names:
                raise FieldError(f"{self.name}: {value!r} is not one of {', '.join(map(str, self.names))}")
            return self.names[value]
        if value is None and self.optional:
            return top - 1
        if not isinstance(value, int) or isinstance(value, bool):
            raise FieldError(f"{self.name}: {value!r} is not an integer")
        if self.kind is Kind.SIGNED:
            if not -(top >> 1) <= value < top >> 1:
                raise FieldError(f"{self.name}: {value} does not fit in {self.width} bits, sign included")
            return value & (top - 1)
        limit = self.limit
        if not 0 <= value < limit:
            raise FieldError(f"{self.name}: {value} is not in 0..{limit - 1}")
        return value

    def from_bits(self, bits: int) -> Any:
        """The value of ``bits``. Raises :class:`FieldError` for a code or a register that does not exist."""
        top = 1 << self.width
        if self.kind is Kind.CODE:
            if bits not in self.codes:
                raise FieldError(f"{self.name}: code {bits} means nothing")
            return self.codes[bits]
        if self.kind is Kind.SIGNED:
            return bits - top if bits >= top >> 1 else bits
        if self.optional and bits == top - 1:
            return None
        if bits >= self.limit:
            raise FieldError(f"{self.name}: {bits} is not in 0..{self.limit - 1}")
        return bits

    @cached_property
    def plain_below(self) -> int:
        """Numbers from 0 to below this one, if any, are their own bits, and what most fields hold."""
        if self.kind is Kind.CODE or self.repeat > 1:
            return 0
        return 1 << (self.width - 1) if self.kind is Kind.SIGNED else self.limit

    @cached_property
    def optional(self) -> bool:
        """Whether the value may be absent: then all bits are 1."""
        return self.kind in OPTIONAL

    @cached_property
    def limit(self) -> int:
        """One more than the largest unsigned value."""
        top = 1 << self.width
        if self.optional:
            top -= 1
        if self.kind in (Kind.REGISTER, Kind.BASE):
            return min(top, REGISTERS)
        if self.kind is Kind.VECTOR:
            return min(top, VECTOR_REGISTERS)
        return top


REGISTERS = 32
VECTOR_REGISTERS = 64


@dataclass(frozen=True)
class Record:
    """``words`` words. ``make`` builds the Python object from the fields by name; ``None`` keeps the dictionary."""

    name: str
    words: int
    fields: tuple[Field, ...]
    prose: str
    make: Callable[..., Any] | None = None


def pack(record: Record, values: Mapping[str, Any]) -> list[int]:
    """The words of ``record`` for ``values``, one per field (a sequence for lists). Raises :class:`FieldError`."""
    words = [0] * record.words
    for f in record.fields:
        value = values[f.name]
        if type(value) is int and 0 <= value < f.plain_below:
            word, low = f.places[0]
            words[word] |= value << low
            continue
        items: Sequence[Any] = value if f.repeat > 1 else (value,)
        if len(items) > f.repeat:
            raise FieldError(f"{f.name}: {len(items)} entries, at most {f.repeat} fit")
        for item, (word, low) in zip(items, f.places, strict=False):
            words[word] |= f.to_bits(item) << low
    return words


def unpack(record: Record, words: Sequence[int], lengths: Callable[[str, Mapping[str, Any]], int]) -> dict[str, Any]:
    """The values of the fields in ``words``, the inverse of :func:`pack`.

    ``lengths(what, values so far)`` says how many entries of a list count. Raises :class:`FieldError`, for
    reserved bits and entries beyond the length that are not 0 too.
    """
    values: dict[str, Any] = {}
    rest = list(words)
    for f in record.fields:
        bits = []
        for word, low in f.places:
            bits.append(words[word] >> low & (1 << f.width) - 1)
            rest[word] &= ~(((1 << f.width) - 1) << low)
        if f.repeat == 1:
            values[f.name] = f.from_bits(bits[0])
            continue
        length = lengths(f.length, values)
        if any(bits[length:]):
            raise FieldError(f"{f.name}: entries beyond the first {length} are not 0")
        values[f.name] = tuple(f.from_bits(b) for b in bits[:length])
    for number, word in enumerate(rest):
        if word:
            raise FieldError(f"reserved bits of word {number} are not 0 ({word:#x})")
    return values
