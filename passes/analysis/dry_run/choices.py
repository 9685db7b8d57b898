"""What stands in for integers that only a launch or data know: choices that agree with one another.

A value is chosen for a symbol when control asks for it. Then values of its leaves are looked for with which it has that
value, so that whatever else depends on them agrees; more than one is kept where more than one would suit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from spyrec.numerics.errors import DivisionByZero
from spyrec.passes.analysis.dry_run.values import Diverges, Function, Known, Per, Sym, uniform

_ON_BITS = frozenset((name, 1) for name in ("arith.andi", "arith.ori", "arith.xori"))
"""Names of functions of conditions, whose value is that of the conditions."""

_FAR = (10**3, 10**6, 10**9)
"""Values at which what grows without bounds has grown."""

_MOST = 8
"""So many values of a leaf are kept for what is chosen later."""

Open = dict[Sym, tuple[tuple[int, ...], ...]]
"""Values that would suit a leaf, on each core or, where there is one entry, on all."""


@dataclass
class Answer:
    """What a symbol is, and what gets known or stays open with that."""

    result: int | Per
    known: Known
    open: Open = field(default_factory=dict)


class Choices:
    """Stands in for what is not known. ``script`` says which option to take, in order; then ``default`` does. ``bits``
    gives integers of which a program looks at single bits. ``answers`` are kept for other runs.

    ``taken`` has, for each choice, the option and how many there were; ``drew``: whether bits have been asked for.
    """

    def __init__(
        self,
        script: Sequence[int] = (),
        default: Callable[[int, int], int] = lambda number, options: 0,
        bits: Callable[[], int] = lambda: -1,
        answers: Answers | None = None,
    ) -> None:
        self._script = script
        self._default = default
        self._bits = bits
        self._answers = Answers() if answers is None else answers
        self.taken: list[tuple[int, int]] = []
        self.drew = False
        self.known: Known = {}
        self.cores = 1
        self._open: Open = {}
        """Leaves that more than one value would suit: what is chosen next may tell them apart."""

    def after(self, earlier: Choices) -> Choices:
        """These choices, the first of which are those that another run has made."""
        self.taken, self.drew = earlier.taken.copy(), earlier.drew
        self.known, self._open = earlier.known.copy(), earlier._open.copy()
        return self

    def integer(self, sym: Sym, options: Sequence[int]) -> int | Per:
        """A value for ``sym``: what it is by earlier choices, else one of ``options``. Raises :class:`Diverges`."""
        found = self._find(sym)
        if found is not None:
            return found
        if sym.of is not None and sym.name in _ON_BITS:
            # Branches on two conditions may have been joined in one unit and not in another.
            args = [self.integer(arg, (0, 1)) if isinstance(arg, Sym) else arg for arg in sym.args]
            return sym.of.known(*args)
        left = self._possible(sym, tuple(options))
        if any(one != left[0] for one in left):
            raise Diverges(left)
        option = self.option(len(self.taken), len(left[0]))
        self.taken.append((option, len(left[0])))
        return self._make(sym, left[0][option])

    def option(self, number: int, options: int) -> int:
        """Which of so many options choice ``number`` takes."""
        option = self._script[number] if number < len(self._script) else self._default(number, options)
        return option % options

    def plain(self, sym: Sym, value: int) -> int | Per:
        """As :meth:`integer`, with nothing to choose."""
        found = self._find(sym)
        if found is not None:
            return found
        return self._make(sym, uniform(Per(left[0] for left in self._possible(sym, (value,)))))

    def _find(self, sym: Sym) -> int | Per | None:
        """Its value by what is known. More gets known, and nothing else, so it stays."""
        if sym.asked is self:
            return sym.found
        found = self.known.get(sym)
        if found is None and sym.of is not None:
            values: list[int | Per] = []
            for arg in sym.args:
                value = self._find(arg) if isinstance(arg, Sym) else arg
                if value is None:
                    return None
                values.append(value)
            try:
                found = sym.of.known(*values)
            except (ArithmeticError, DivisionByZero):
                return None
        if found is not None:
            sym.asked, sym.found = self, found
        return found

    def _possible(self, sym: Sym, options: tuple[int, ...]) -> Sequence[tuple[int, ...]]:
        """Those of ``options`` that earlier choices leave ``sym``, or else others that they do; on each core."""
        free = self._free(sym)
        if len(free) != 1 or free[0] not in self._open:
            return [options]
        key = sym, options, self._state(sym)
        found = self._answers.left.get(key)
        if found is None:
            alike: dict[object, tuple[int, ...]] = {}
            cores = self._cores(sym, self.known)
            for core, numbers in enumerate(cores):
                if numbers not in alike:
                    fn = _safe(sym.by(free[0], self.known, core))
                    alike[numbers] = _left(options, [fn(value) for value in self._values(free[0], core)])
            found = self._answers.left[key] = [alike[numbers] for numbers in cores]
        return found

    def _make(self, sym: Sym, target: int | Per) -> int | Per:
        """Let ``sym`` be ``target``: by the values of its leaves where some are found, so that all that depends on them
        agrees.
        """
        if sym.picks_bits:
            self.drew = True
            answer = self._answer(sym, target, [*(self._bits() for _ in range(8)), 0, -1])
        else:
            key = sym, target, self._state(sym)
            found = self._answers.made.get(key)
            answer = self._answers.made[key] = self._answer(sym, target, []) if found is None else found
        self.known |= answer.known
        self._open |= answer.open
        return answer.result

    def _answer(self, sym: Sym, target: int | Per, bits: list[int]) -> Answer:
        free = self._free(sym)
        if sym.of is None:
            assert isinstance(target, int)
            target = sym.admitted(target)
        if sym.of is None or not free:
            return Answer(target, {sym: target})
        leaf = free[0]
        known: Known = {}
        for other in free[1:]:
            firsts = (values[0] if values else other.admitted(1) for values in self._open.get(other, ((),)))
            known[other] = uniform(Per(firsts))
        found: list[_Suiting] = []
        alike: dict[object, _Suiting] = {}
        for core, numbers in enumerate(self._cores(sym, self.known | known)):
            wanted = target[core] if isinstance(target, Per) else target
            if (numbers, wanted) not in alike:
                one = _Suiting(sym, leaf, self.known | known, core)
                one.look(wanted, self._values(leaf, core), found[-2:], bits)
                alike[numbers, wanted] = one
            found.append(alike[numbers, wanted])
        kept = [one.values for one in found]
        if all(len(values) == 1 for values in kept):
            known[leaf] = uniform(Per(values[0] for values in kept))
        known[sym] = uniform(Per(one.result for one in found))
        same = all(values == kept[0] for values in kept)
        return Answer(known[sym], known, {leaf: (kept[0],) if same else tuple(kept)})

    def _free(self, sym: Sym) -> list[Sym]:
        return [leaf for leaf in sym.leaves if leaf not in self.known]

    def _state(self, sym: Sym) -> object:
        """All on which an answer about ``sym`` depends."""
        return tuple(map(self.known.get, sym.parts)), tuple(map(self._open.get, sym.leaves))

    def _values(self, leaf: Sym, core: int) -> tuple[int, ...]:
        """The values that are open for a leaf."""
        values = self._open.get(leaf, ((),))
        return values[core] if len(values) > 1 else values[0]

    def _cores(self, sym: Sym, known: Known) -> Sequence[object]:
        """The numbers that make ``sym`` what it is on each core, or once where it does not depend on the core."""
        rows: list[Sequence[object]] = [arg for part in sym.parts for arg in part.args if isinstance(arg, Per)]
        rows += [values for part in sym.parts if isinstance(values := known.get(part), Per)]
        rows += [open_ for leaf in sym.leaves if len(open_ := self._open.get(leaf, ())) > 1]
        return list(zip(*rows, strict=True)) if rows else [()]


@dataclass
class Answers:
    """What choices have been answered with, by the symbol, what was asked for and what was known."""

    made: dict[object, Answer] = field(default_factory=dict)
    left: dict[object, list[tuple[int, ...]]] = field(default_factory=dict)


def _safe(fn: int | Function | None) -> Callable[[int], int | None]:
    """A function that has no value where a division has none."""
    if not callable(fn):
        return lambda value: fn

    def at(value: int) -> int | None:
        try:
            return fn(value)
        except (ArithmeticError, DivisionByZero):
            return None

    return at


def _left(options: tuple[int, ...], results: Sequence[int | None]) -> tuple[int, ...]:
    known = tuple(dict.fromkeys(result for result in results if result is not None))
    return tuple(option for option in options if option in known) or known or options


class _Suiting:
    """The ``values`` of ``leaf`` with which ``sym`` is ``result`` on number ``core`` of the cores."""

    def __init__(self, sym: Sym, leaf: Sym, known: Known, core: int) -> None:
        self.sym = sym
        self.leaf = leaf
        self.known = known
        self.core = core
        self.fn = _safe(sym.by(leaf, known, core))
        self.result = 0
        self.values: tuple[int, ...] = ()

    @cached_property
    def parts(self) -> list[Callable[[int], int | None]]:
        """All of which the symbol is made, by the leaf."""
        return [_safe(part.by(self.leaf, self.known, self.core)) for part in self.sym.parts if part is not self.leaf]

    def look(self, target: int, values: tuple[int, ...], before: Sequence[_Suiting], bits: list[int]) -> None:
        """Find the target, or what comes nearest to it: among ``values``, or else by trying. ``before`` are the two
        cores before.

        What seems to have bounds goes to the nearest one: the remainder by 5 is never 7, and what follows from that is
        no fault.
        """
        found: dict[int, list[int]] = {}
        some = values or self._moved(target, before) or _tries(self.sym, self.leaf, self.core, target, bits)
        for value in dict.fromkeys(some):
            result = self.fn(value)
            if result is not None:
                found.setdefault(result, []).append(value)
                if result == target and len(found[target]) == _MOST:
                    break
        if not found or (target not in found and min(found) < target < max(found)):
            self.result, self.values = target, values
        else:
            self.result = min(found, key=lambda result: abs(result - target))
            self.values = tuple(found[self.result][:_MOST])

    def _moved(self, target: int, before: Sequence[_Suiting]) -> tuple[int, ...]:
        """The values of the core before, moved on so that all parts come out as there; none if that is not found."""
        last = before[-1] if before else self
        if last.result != target or not last.values:
            return ()
        steps = [0, 1, -1]
        if before[0].values:
            steps.insert(0, last.values[0] - before[0].values[0])
        for step in steps:
            values = tuple(self.leaf.admitted(value + step) for value in last.values)
            if all(
                new(value) == old(other)
                for new, old in zip(self.parts, last.parts, strict=True)
                for value, other in zip(values, last.values, strict=True)
            ):
                return values
        return ()


def _tries(sym: Sym, leaf: Sym, core: int, target: int, bits: list[int]) -> Iterator[int]:
    """Values of a leaf of ``sym`` for which it may be ``target``, and others that show how far it goes."""
    constants = [*dict.fromkeys(c[core] if isinstance(c, Per) else c for c in sym.constants)][:8]
    tries: list[int] = [*bits, target]
    tries += [*(target * c for c in constants), *(target + c for c in constants), *(target - c for c in constants)]
    tries += [c + d for c in constants for d in (-1, 1)]
    return map(leaf.admitted, (*tries, *range(65), *(target * factor for factor in range(2, 130)), *_FAR))
