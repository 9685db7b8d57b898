"""Integers of a run without data: known ones, those that differ between cores, and those that only a launch knows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from spyrec.numerics.errors import DivisionByZero

Function = Callable[..., int]


class Per(tuple[int, ...]):
    """An integer of each core of a run."""

    __slots__ = ()


class Sym:
    """An integer that is not known: a leaf (a scalar argument, an element loaded from LX) or a function of others,
    of known integers, and of those of each core: then it is another one on each.

    Two are equal when they are the same expression over the same leaves, so units that compute the same value agree.
    A leaf is a multiple of ``granularity``, and at most ``upperbound``: a launch keeps what arguments promise.
    """

    def __init__(
        self,
        name: object,
        of: Scalar | None = None,
        args: tuple[Value, ...] = (),
        *,
        granularity: int = 1,
        upperbound: int | None = None,
    ) -> None:
        self.name = name
        self.of = of
        self.args = args
        self.asked: object = None
        """By whom its value was asked for last, if there was one: ``found``."""
        self.found: int | Per = 0
        self.granularity = granularity
        self.upperbound = upperbound
        self._hash = hash((name, args))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Sym) and self._hash == other._hash and self.name == other.name and self.args == other.args
        )

    def admitted(self, value: int) -> int:
        """The largest value up to ``value`` that the leaf may have."""
        most = value if self.upperbound is None else min(value, self.upperbound)
        return most // self.granularity * self.granularity

    @cached_property
    def parts(self) -> tuple[Sym, ...]:
        """All unknowns in it, itself the last."""
        inner = (part for arg in self.args if isinstance(arg, Sym) for part in arg.parts)
        return (*dict.fromkeys(inner), self)

    @cached_property
    def leaves(self) -> tuple[Sym, ...]:
        """The unknowns that it is a function of."""
        return tuple(part for part in self.parts if part.of is None)

    @cached_property
    def constants(self) -> tuple[int | Per, ...]:
        """The known integers in it."""
        inner: dict[int | Per, None] = {}
        for arg in self.args:
            inner |= dict.fromkeys(arg.constants if isinstance(arg, Sym) else (arg,))
        return tuple(inner)

    @cached_property
    def picks_bits(self) -> bool:
        """Whether it looks at single bits of an unknown."""
        named = self.name[0] if isinstance(self.name, tuple) else self.name
        return str(named).startswith("arith.shr") or any(arg.picks_bits for arg in self.args if isinstance(arg, Sym))

    def by(self, leaf: Sym, known: Known, core: int) -> int | Function | None:
        """Its value on number ``core`` of the cores: a function of that of ``leaf``, or an integer without it."""
        if self is leaf or self == leaf:
            return lambda value: value
        found = known.get(self)
        if found is not None:
            return found[core] if isinstance(found, Per) else found
        if self.of is None:
            return None
        fn = self.of.fn
        args: list[int | Function] = []
        for arg in self.args:
            one = arg.by(leaf, known, core) if isinstance(arg, Sym) else arg[core] if isinstance(arg, Per) else arg
            if one is None:
                return None
            args.append(one)
        if any(map(callable, args)):
            return _composed(fn, args)
        try:
            return fn(*args)
        except (ArithmeticError, DivisionByZero):
            return None


def _composed(fn: Function, args: Sequence[int | Function]) -> Function:
    """``fn`` of a value on which some arguments depend."""
    match args:
        case [inner]:
            return _of_one(fn, inner)
        case [inner, int(other)]:
            return _of_one(lambda value: fn(value, other), inner)
        case [int(other), inner]:
            return _of_one(lambda value: fn(other, value), inner)
    return lambda value: fn(*(arg(value) if callable(arg) else arg for arg in args))


def _of_one(fn: Function, inner: int | Function) -> Function:
    assert callable(inner)
    return lambda value: fn(inner(value))


Value = int | Sym | Per
Known = dict[Sym, int | Per]


class Diverges(Exception):
    """Control or an address in LX differs between the cores of a run: ``keys`` has one entry for each core."""

    def __init__(self, keys: Sequence[object]) -> None:
        super().__init__("cores differ")
        self.keys = keys


_MOST_KEPT = 1 << 12


class Scalar:
    """``fn`` with a ``name`` that identifies it. Results are kept: runs compute the same ones over and over."""

    def __init__(self, name: object, fn: Function) -> None:
        self.name = name
        self.fn = fn
        self._kept: dict[tuple[Value, ...], Value] = {}

    def __call__(self, *args: Value) -> Value:
        found = self._kept.get(args)
        if found is None:
            found = self._apply(args)
            if len(self._kept) < _MOST_KEPT:
                self._kept[args] = found
        return found

    def _apply(self, args: tuple[Value, ...]) -> Value:
        known = [arg for arg in args if not isinstance(arg, Sym)]
        if len(known) < len(args):
            return Sym(self.name, self, args)
        many = next((arg for arg in known if isinstance(arg, Per)), None)
        if many is None:
            return self.fn(*known)
        columns = (arg if isinstance(arg, Per) else (arg,) * len(many) for arg in known)
        return uniform(Per(map(self.fn, *columns)))

    def known(self, *args: int | Per) -> int | Per:
        """What it is of known integers."""
        value = self(*args)
        assert not isinstance(value, Sym)
        return value


def uniform(value: Per) -> int | Per:
    """One integer if all cores have the same."""
    first = value[0]
    return first if all(v == first for v in value) else value
