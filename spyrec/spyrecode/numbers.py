"""Integers that a launch decides, as arithmetic on its arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spyrec import numerics, sets
from spyrec.numerics import scalars
from spyrec.spyrecode.reading import Entry


@dataclass(frozen=True)
class Op:
    """An integer op on ``bits``-wide operands, which are the results of an affine ``map`` of what comes before it;
    its result is ``result_bits`` wide.
    """

    name: str
    bits: int
    result_bits: int
    map: str

    def value(self, before: Sequence[int]) -> int:
        """The result. Raises ``NumericsError`` for a division by zero."""
        operands = _values(self.map, before)
        cast = scalars.resize(self.name, self.bits, self.result_bits)
        if cast is not None:
            return cast(*operands)
        function = scalars.binary(self.name, self.bits)
        if function is None:
            raise numerics.UnknownOp(self.name)
        return function(*operands)


@dataclass(frozen=True)
class Numbers:
    """The results of an affine ``map`` of ``terms``: numbers of arguments, and what ops make of earlier terms."""

    terms: tuple[int | Op, ...]
    map: str

    @property
    def arguments(self) -> tuple[int, ...]:
        """The arguments that the numbers are made of."""
        return tuple(term for term in self.terms if isinstance(term, int))

    def values(self, arguments: Mapping[int, int | float]) -> list[int] | None:
        """The numbers for the values of the arguments; None where one divides by zero or lacks a value."""
        found: list[int] = []
        try:
            for term in self.terms:
                found.append(int(arguments[term]) if isinstance(term, int) else term.value(found))
        except (KeyError, numerics.NumericsError):
            return None
        return _values(self.map, found)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data."""
        terms = [term if isinstance(term, int) else list(vars(term).values()) for term in self.terms]
        return {"terms": terms, "map": self.map}

    @staticmethod
    def from_json(data: Entry) -> Numbers:
        """Rebuild what :meth:`to_json` gave. Raises ``InvalidKernel`` naming the entry that is wrong."""
        terms: list[int | Op] = []
        for entry in data.get("terms").items():
            terms.append(_op(entry, len(terms)) if isinstance(entry.value, list) else entry.count())
        return Numbers(tuple(terms), _map(data.get("map"), len(terms))[0])


def _values(map_: str, operands: Sequence[int]) -> list[int]:
    return [value for value in sets.parse_map(map_).values(operands) if value is not None]


def _op(entry: Entry, before: int) -> Op:
    parts = entry.items()
    if len(parts) != 4:
        entry.fail("an op is its name, two widths and a map")
    bits, result_bits = (part.integer(1, 64) for part in parts[1:3])
    name = parts[0].text()
    map_, results = _map(parts[3], before)
    arity = 1 if scalars.resize(name, bits, result_bits) else 2 if scalars.binary(name, bits) else 0
    if results != arity:
        parts[0].fail(f"no operation '{name}' of {results} values")
    return Op(name, bits, result_bits, map_)


def _map(entry: Entry, dims: int) -> tuple[str, int]:
    try:
        found = sets.parse_map(entry.text())
    except sets.AffineSyntaxError as problem:
        entry.fail(str(problem))
    if (found.dims, found.symbols) != (dims, 0):
        entry.fail(f"a map of {found.dims} dimensions and {found.symbols} symbols, not of {dims}")
    return entry.text(), len(found.results)
