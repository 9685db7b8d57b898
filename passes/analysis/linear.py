"""Integer expressions in one normal form, and intervals of integers. No MLIR in here.

A :class:`Linear` is ``constant + sum(coefficient * atom)``. An atom is a leaf (a value that is not looked into, known
by its number), or the quotient or remainder of a linear expression by a positive constant, both rounding to minus
infinity. Equal expressions compare equal, so that what cancels is gone: ``(3 * t + 3) - 3 * t`` is the constant 3."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from spyrec.records import dataclass


@dataclass(frozen=True)
class Interval:
    """The integers from ``low`` to ``high``, both included; never empty."""

    low: int
    high: int

    @staticmethod
    def signed(bits: int) -> Interval:
        """All values of a signed integer of ``bits`` bits."""
        return Interval(-(1 << (bits - 1)), (1 << (bits - 1)) - 1)

    @staticmethod
    def exactly(value: int) -> Interval:
        return Interval(value, value)

    def __contains__(self, other: object) -> bool:
        if isinstance(other, Interval):
            return self.low <= other.low and other.high <= self.high
        return isinstance(other, int) and self.low <= other <= self.high

    def __add__(self, other: Interval) -> Interval:
        return Interval(self.low + other.low, self.high + other.high)

    def __mul__(self, other: Interval) -> Interval:
        corners = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(min(corners), max(corners))

    def scaled(self, factor: int) -> Interval:
        return self * Interval.exactly(factor)

    def union(self, other: Interval) -> Interval:
        return Interval(min(self.low, other.low), max(self.high, other.high))

    def floordiv(self, divisor: int) -> Interval:
        """Quotients by a positive constant, rounded to minus infinity."""
        return Interval(self.low // divisor, self.high // divisor)

    def mod(self, divisor: int) -> Interval:
        """Remainders of :meth:`floordiv`."""
        if self.low // divisor == self.high // divisor:
            return Interval(self.low % divisor, self.high % divisor)
        return Interval(0, divisor - 1)

    def __str__(self) -> str:
        return str(self.low) if self.low == self.high else f"{self.low}..{self.high}"


@dataclass(frozen=True)
class Leaf:
    """A value that is not looked into, by its number."""

    number: int

    @property
    def key(self) -> tuple[object, ...]:
        return (0, self.number)


@dataclass(frozen=True)
class Division:
    """``of`` divided by the positive constant ``by``, rounding to minus infinity: its quotient or its remainder."""

    part: Literal["quotient", "remainder"]
    of: Linear
    by: int

    @property
    def key(self) -> tuple[object, ...]:
        return (1 if self.part == "quotient" else 2, self.by, self.of.key)


Atom = Leaf | Division


@dataclass(frozen=True)
class Linear:
    """``constant + sum(coefficient * atom)``; terms are sorted, and none is zero."""

    terms: tuple[tuple[Atom, int], ...]
    constant: int

    @staticmethod
    def of(value: int) -> Linear:
        return Linear((), value)

    @staticmethod
    def atom(atom: Atom) -> Linear:
        return Linear(((atom, 1),), 0)

    @property
    def key(self) -> tuple[object, ...]:
        return (self.constant, tuple((atom.key, factor) for atom, factor in self.terms))

    @property
    def is_constant(self) -> bool:
        return not self.terms

    @property
    def without_constant(self) -> Linear:
        return Linear(self.terms, 0)

    def coefficient(self, atom: Atom) -> int:
        return next((factor for other, factor in self.terms if other == atom), 0)

    def leaves(self) -> Iterator[Leaf]:
        """All leaves, inside divisions too; one may come several times."""
        for atom, _ in self.terms:
            if isinstance(atom, Leaf):
                yield atom
            else:
                yield from atom.of.leaves()

    @property
    def _divides(self) -> bool:
        """Whether another sum may change how a term is written."""
        return any(isinstance(atom, Division) for atom, _ in self.terms)

    def __add__(self, other: Linear) -> Linear:
        if not other.terms and not self._divides:
            return self.plus(other.constant)
        if not self.terms and not other._divides:
            return other.plus(self.constant)
        return _sum(self.constant + other.constant, [*self.terms, *other.terms])

    def __sub__(self, other: Linear) -> Linear:
        return self + other.scaled(-1)

    def scaled(self, factor: int) -> Linear:
        if factor == 0:
            return Linear.of(0)
        return Linear(tuple((atom, c * factor) for atom, c in self.terms), self.constant * factor)

    def plus(self, constant: int) -> Linear:
        return Linear(self.terms, self.constant + constant)


def _sum(constant: int, terms: Iterable[tuple[Atom, int]]) -> Linear:
    total: dict[Atom, int] = {}
    for atom, factor in terms:
        total[atom] = total.get(atom, 0) + factor
    total = {atom: factor for atom, factor in total.items() if factor}
    for atom, factor in total.items():
        if not isinstance(atom, Division):
            continue
        change = _exchange(atom, factor, total)
        if change is not None:
            added, more = change
            rest = [(a, f) for a, f in total.items() if a != atom]
            return _sum(constant + added, [*rest, *more])
    kept = sorted(total.items(), key=lambda term: _order(term[0]))
    return Linear(tuple(kept), constant)


def _exchange(atom: Division, factor: int, total: dict[Atom, int]) -> tuple[int, list[tuple[Atom, int]]] | None:
    """A constant and terms to write for ``factor * atom``, with an eye on the other terms; ``None``: as it is.

    Both rules follow from ``x = by * (x div by) + (x mod by)``, and both make a quotient disappear: MLIR writes
    remainders without ``mod``, and bounds of a difference of two large numbers are worth nothing."""
    if atom.part == "remainder":
        # factor * by * (x div by) + factor * (x mod by) = factor * x
        quotient = Division("quotient", atom.of, atom.by)
        if total.get(quotient) == factor * atom.by:
            whole = atom.of.scaled(factor)
            return whole.constant, [*whole.terms, (quotient, -factor * atom.by)]
        return None
    # k * x - k * by * (x div by) = k * (x mod by), for as much of x as there is
    k, left = divmod(-factor, atom.by)
    if left or not atom.of.terms:
        return None
    if all(total.get(a, 0) * f * k > 0 and abs(total[a]) >= abs(f * k) for a, f in atom.of.terms):
        whole = atom.of.scaled(-k)
        return whole.constant, [*whole.terms, (Division("remainder", atom.of, atom.by), k)]
    return None


def _order(atom: Atom) -> str:
    # Keys nest tuples of unequal lengths and types; their text orders them all, and the order only has to be stable.
    return repr(atom.key)
