"""Integers of a run without data: known ones, those that differ between cores, and those that only a launch knows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from spyrec.numerics.errors import DivisionByZero

Function = Callable[..., int]

_ON_BITS = frozenset((name, 1) for name in ("arith.andi", "arith.ori", "arith.xori"))
"""Names of functions of conditions, whose value is that of the conditions."""


class Sym:
    """An integer that is not known: a leaf (a scalar argument, an element loaded from LX) or a function of others.

    Two are equal when they are the same expression over the same leaves, so units that compute the same value agree.
    A leaf is a multiple of ``granularity``, and at most ``upperbound``: a launch keeps what arguments promise.
    """

    __slots__ = ("_hash", "args", "fn", "granularity", "name", "upperbound")

    def __init__(
        self,
        name: object,
        fn: Function | None = None,
        args: tuple[Value, ...] = (),
        *,
        granularity: int = 1,
        upperbound: int | None = None,
    ) -> None:
        self.name = name
        self.fn = fn
        self.args = args
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

    def leaves(self) -> Iterator[Sym]:
        """The unknowns that it is a function of."""
        if self.fn is None:
            yield self
        for arg in self.args:
            if isinstance(arg, Sym):
                yield from arg.leaves()

    def constants(self) -> Iterator[int]:
        """The known integers in it."""
        for arg in self.args:
            if isinstance(arg, Sym):
                yield from arg.constants()
            elif isinstance(arg, int):
                yield arg

    def picks_bits(self) -> bool:
        """Whether it looks at single bits of an unknown."""
        named = self.name[0] if isinstance(self.name, tuple) else self.name
        return str(named).startswith("arith.shr") or any(arg.picks_bits() for arg in self.args if isinstance(arg, Sym))

    def value(self, known: dict[Sym, int]) -> int | None:
        """Its value, if ``known`` says what it is made of."""
        found = known.get(self)
        if found is not None or self.fn is None:
            return found
        values = []
        for arg in self.args:
            value = arg.value(known) if isinstance(arg, Sym) else arg
            if not isinstance(value, int):
                return None
            values.append(value)
        try:
            return self.fn(*values)
        except (ArithmeticError, DivisionByZero):
            return None


class Per(tuple["int | Sym", ...]):
    """An integer of each core of a run."""

    __slots__ = ()


Value = int | Sym | Per


class Diverges(Exception):
    """Control or an address in LX differs between the cores of a run: ``keys`` has one entry for each core."""

    def __init__(self, keys: Sequence[object]) -> None:
        super().__init__("cores differ")
        self.keys = keys


def apply(name: object, fn: Function, args: tuple[Value, ...]) -> Value:
    """``fn`` of ``args``; ``name`` identifies it."""
    for arg in args:
        if type(arg) is not int:
            break
    else:
        return fn(*args)
    many = next((arg for arg in args if isinstance(arg, Per)), None)
    if many is None:
        return Sym(name, fn, args)
    rows = (tuple(a[k] if isinstance(a, Per) else a for a in args) for k in range(len(many)))
    return uniform(Per(apply(name, fn, row) for row in rows))  # type: ignore[misc]


def uniform(value: Per) -> Value:
    """One integer if all cores have the same."""
    first = value[0]
    return first if all(v == first for v in value) else value


_FAR = (10**3, 10**6, 10**9)
"""Values at which what grows without bounds has grown."""

_MOST = 8
"""So many values of a leaf are kept for what is chosen later."""


class Choices:
    """Stands in for what is not known. ``script`` says which option to take, in order; then ``default`` does. ``bits``
    gives integers of which a program looks at single bits.

    ``taken`` has, for each choice, the option and how many there were.
    """

    def __init__(
        self,
        script: Sequence[int] = (),
        default: Callable[[int, int], int] = lambda number, options: 0,
        bits: Callable[[], int] = lambda: -1,
    ) -> None:
        self._script = script
        self._default = default
        self._bits = bits
        self.taken: list[tuple[int, int]] = []
        self.known: dict[Sym, int] = {}
        self._open: dict[Sym, list[int]] = {}
        """Leaves that more than one value would suit: what is chosen next may tell them apart."""

    def integer(self, sym: Sym, options: Sequence[int]) -> int:
        """A value for ``sym``: what it is by earlier choices, else one of ``options``."""
        found = sym.value(self.known)
        if found is not None:
            return found
        if sym.fn is not None and sym.name in _ON_BITS:
            # Branches on two conditions may have been joined in one unit and not in another.
            return sym.fn(*(self.integer(arg, (0, 1)) if isinstance(arg, Sym) else arg for arg in sym.args))
        options = self._possible(sym, options)
        number = len(self.taken)
        option = self._script[number] if number < len(self._script) else self._default(number, len(options))
        option %= len(options)
        self.taken.append((option, len(options)))
        return self._make(sym, options[option])

    def plain(self, sym: Sym, value: int) -> int:
        """As :meth:`integer`, with nothing to choose."""
        found = sym.value(self.known)
        return self._make(sym, self._possible(sym, (value,))[0]) if found is None else found

    def _possible(self, sym: Sym, options: Sequence[int]) -> Sequence[int]:
        """Those of ``options`` that earlier choices leave ``sym``, or else others that they do."""
        free = self._free(sym)
        if len(free) != 1 or free[0] not in self._open:
            return options
        results = dict.fromkeys(self._with(sym, free[0], value) for value in self._open[free[0]])
        left = [result for result in results if result is not None]
        return [option for option in options if option in results] or left or options

    def _make(self, sym: Sym, target: int) -> int:
        """Let ``sym`` be ``target``: by the values of its leaves where some are found, so that all that depends on them
        agrees.
        """
        free = self._free(sym)
        if sym.fn is None:
            target = self.known[sym] = sym.admitted(target)
        elif free:
            leaf = free[0]
            for other in free[1:]:
                self.known[other] = self._open[other][0] if other in self._open else other.admitted(1)
            found: dict[int, list[int]] = {}
            for value in dict.fromkeys(map(leaf.admitted, self._open.get(leaf) or self._tries(sym, target))):
                result = self._with(sym, leaf, value)
                if result is not None:
                    found.setdefault(result, []).append(value)
                if result == target and len(found[target]) == _MOST:
                    break
            if found and target not in found and min(found) < target < max(found):
                found = {}
            if found:
                # What seems to have bounds goes to the nearest one: the remainder by 5 is never 7, and what follows
                # from that is no fault.
                target = min(found, key=lambda result: abs(result - target))
                self._open[leaf] = found[target][:_MOST]
                if len(self._open[leaf]) == 1:
                    self.known[leaf] = self._open[leaf][0]
        self.known[sym] = target
        return target

    def _free(self, sym: Sym) -> list[Sym]:
        return [leaf for leaf in dict.fromkeys(sym.leaves()) if leaf not in self.known]

    def _with(self, sym: Sym, leaf: Sym, value: int) -> int | None:
        """What ``sym`` is where ``leaf`` is ``value``."""
        self.known[leaf] = value
        result = sym.value(self.known)
        del self.known[leaf]
        return result

    def _tries(self, sym: Sym, target: int) -> Iterator[int]:
        """Values of a leaf of ``sym`` for which it may be ``target``, and others that show how far it goes."""
        if sym.picks_bits():
            yield from (self._bits() for _ in range(8))
            yield from (0, -1)
        constants = [*dict.fromkeys(sym.constants())][:8]
        yield target
        yield from (target * c for c in constants)
        yield from (target + c for c in constants)
        yield from (target - c for c in constants)
        yield from (c + d for c in constants for d in (-1, 1))
        yield from range(65)
        yield from (target * factor for factor in range(2, 130))
        yield from _FAR
