"""Affine expressions and integer sets, read from the text that MLIR prints for them.

An expression is kept in postfix order, so that nothing here recurses, however deeply it is nested.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

T = TypeVar("T")

_MAP = re.compile(r"affine_map<\((?P<dims>[^)]*)\)(?:\[(?P<symbols>[^\]]*)\])? -> \((?P<body>.*)\)>", re.DOTALL)
_SET = re.compile(r"affine_set<\((?P<dims>[^)]*)\)(?:\[(?P<symbols>[^\]]*)\])? : \((?P<body>.*)\)>", re.DOTALL)
_TOKEN = re.compile(r"\s*(?:(?P<number>\d+)|(?P<word>[A-Za-z_]\w*)|(?P<mark>>=|==|[-+*(),]))")
_ZERO = re.compile(r"\s*0\s*(?:,\s*|$)")
_BINDS = {"+": 1, "-": 1, "*": 2, "floordiv": 2, "ceildiv": 2, "mod": 2, "neg": 3}


class AffineSyntaxError(ValueError):
    """The text is no integer set, or no affine map, in the spelling that MLIR prints."""


class Linear(NamedTuple):
    """``sum(factors[name] * name) + constant``; factors are not 0."""

    factors: Mapping[str, int]
    constant: int

    def plus(self, other: Linear, times: int = 1) -> Linear:
        """The sum of this and ``times`` the other."""
        factors = dict(self.factors)
        for name, factor in other.factors.items():
            factors[name] = factors.get(name, 0) + times * factor
        return Linear({n: f for n, f in factors.items() if f}, self.constant + times * other.constant)

    def times(self, factor: int) -> Linear:
        """The product with a number."""
        return Linear({}, 0).plus(self, factor)


@dataclass(frozen=True)
class Expression:
    """An affine expression: numbers, names (``d0``, ``s1``) and operators in postfix order.

    ``floordiv``, ``ceildiv`` and ``mod`` round to minus infinity, plus infinity, and the remainder that is not
    negative, as in MLIR; ``neg`` has one operand.
    """

    steps: tuple[int | str, ...]

    def fold(
        self, number: Callable[[int], T], name: Callable[[str], T], apply: Callable[[str, Sequence[T]], T | None]
    ) -> T | None:
        """The value in any algebra: of numbers, of names, of operators on one or two values; None when one gives
        None.
        """
        stack: list[T] = []
        for step in self.steps:
            if isinstance(step, int):
                stack.append(number(step))
            elif step not in _BINDS:
                stack.append(name(step))
            else:
                count = 1 if step == "neg" else 2
                arguments = stack[-count:]
                del stack[-count:]
                made = apply(step, arguments)
                if made is None:
                    return None
                stack.append(made)
        return stack.pop()

    def value(self, values: Mapping[str, int]) -> int | None:
        """The number for these values of the names; None where it divides by 0."""
        return self.fold(lambda n: n, lambda n: values[n], _calculate)

    @functools.cached_property
    def linear(self) -> Linear | None:
        """The expression as a linear form; None when it holds a quotient, a remainder or a product of names."""
        return self.linear_in({})

    def linear_in(self, values: Mapping[str, int]) -> Linear | None:
        """The expression as a linear form of the names that ``values`` does not know; a quotient or a remainder of
        numbers is one, too.
        """
        return self.fold(
            lambda n: Linear({}, n), lambda n: Linear({}, values[n]) if n in values else Linear({n: 1}, 0), _linear
        )


def _calculate(operator: str, arguments: Sequence[int]) -> int | None:
    if operator == "neg":
        return -arguments[0]
    left, right = arguments
    if operator in _EXACT:
        return _EXACT[operator](left, right)
    return _ROUNDED[operator](left, right) if right else None


_EXACT: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
}
_ROUNDED: dict[str, Callable[[int, int], int]] = {
    "floordiv": lambda a, b: a // b,
    "ceildiv": lambda a, b: -(-a // b),
    "mod": lambda a, b: a % b,
}


def _linear(operator: str, arguments: Sequence[Linear]) -> Linear | None:
    if operator == "neg":
        return arguments[0].times(-1)
    left, right = arguments
    if operator in "+-":
        return left.plus(right, 1 if operator == "+" else -1)
    if operator == "*" and not (left.factors and right.factors):
        return left.times(right.constant) if left.factors else right.times(left.constant)
    if left.factors or right.factors:
        return None
    number = _calculate(operator, [left.constant, right.constant])
    return None if number is None else Linear({}, number)


class Constraint(NamedTuple):
    """``expression == 0`` or ``expression >= 0``; ``text`` is the expression as MLIR prints it."""

    expression: Expression
    equality: bool
    text: str

    def holds(self, values: Mapping[str, int]) -> bool:
        """Whether it is true for these values (false where it divides by 0)."""
        value = self.expression.value(values)
        return value is not None and (value == 0 if self.equality else value >= 0)


@dataclass(frozen=True, eq=False)
class IntegerSet:
    """The points of dimensions ``d0, d1, ...`` for which all constraints hold, for values of symbols ``s0, s1, ...``

    Sets of one text are one object (:func:`parse`), and are compared as such.
    """

    dims: int
    symbols: int
    constraints: tuple[Constraint, ...]

    def holds(self, point: Sequence[int], symbols: Sequence[int] = ()) -> bool:
        """Whether ``point`` belongs to the set for these values of the symbols."""
        values = {f"d{k}": v for k, v in enumerate(point)} | {f"s{k}": v for k, v in enumerate(symbols)}
        return all(c.holds(values) for c in self.constraints)


@dataclass(frozen=True)
class AffineMap:
    """Expressions of dimensions ``d0, d1, ...`` and symbols ``s0, s1, ...``"""

    dims: int
    symbols: int
    results: tuple[Expression, ...]

    def values(self, operands: Sequence[int | None]) -> list[int | None]:
        """The results for the values of dimensions, then symbols; None for what depends on one that is None."""
        names = [f"d{k}" for k in range(self.dims)] + [f"s{k}" for k in range(self.symbols)]
        known = dict(zip(names, operands, strict=True))
        out: list[int | None] = []
        for result in self.results:
            used = {n: known[n] for n in result.steps if isinstance(n, str) and n in known}
            numbers = {n: v for n, v in used.items() if v is not None}
            out.append(result.value(numbers) if len(numbers) == len(used) else None)
        return out


@functools.lru_cache(maxsize=4096)
def parse(text: str) -> IntegerSet:
    """The set in ``affine_set<(d0, d1)[s0] : (d0 >= 0, ...)>``, as MLIR prints it. Raises
    :class:`AffineSyntaxError`.
    """
    dims, symbols, body = _split(_SET, text, "integer set")
    return IntegerSet(len(dims), len(symbols), _Parser(body, {*dims, *symbols}).constraints())


@functools.lru_cache(maxsize=4096)
def parse_map(text: str) -> AffineMap:
    """The map in ``affine_map<(d0)[s0] -> (d0 + s0, 0)>``, as MLIR prints it. Raises :class:`AffineSyntaxError`."""
    dims, symbols, body = _split(_MAP, text, "affine map")
    return AffineMap(len(dims), len(symbols), _Parser(body, {*dims, *symbols}).results())


def _split(pattern: re.Pattern[str], text: str, what: str) -> tuple[list[str], list[str], str]:
    """Names of dimensions, names of symbols, and the rest."""
    found = pattern.fullmatch(text)
    if found is None:
        raise AffineSyntaxError(f"{text[:80]} is no {what}")
    dims, symbols = ([n.strip() for n in (found[g] or "").split(",") if n.strip()] for g in ("dims", "symbols"))
    numbered = [f"d{k}" for k in range(len(dims))], [f"s{k}" for k in range(len(symbols))]
    if (dims, symbols) != numbered:
        raise AffineSyntaxError(f"the names of {text[:80]} are not those that MLIR prints")
    return dims, symbols, found["body"]


class _Parser:
    """Reads constraints, or the results of a map, by operator precedence."""

    def __init__(self, text: str, names: set[str]) -> None:
        self.text = text
        self.names = names

    def constraints(self) -> tuple[Constraint, ...]:
        """``expression >= 0, expression == 0, ...``"""
        out: list[Constraint] = []
        at = 0
        while at < len(self.text):
            start = at
            at, relation = self._expression(at)
            after = _ZERO.match(self.text, at)
            if relation not in (">=", "==") or after is None:
                raise AffineSyntaxError(f"cannot read the constraints {self.text[:80]}")
            text = self.text[start : at - len(relation)].strip()
            out.append(Constraint(Expression(self._end()), relation == "==", text))
            at = after.end()
        return tuple(out)

    def results(self) -> tuple[Expression, ...]:
        """``expression, expression, ...``"""
        out: list[Expression] = []
        at = 0
        while at < len(self.text):
            at, separator = self._expression(at)
            if separator not in (",", ""):
                raise AffineSyntaxError(f"cannot read the results {self.text[:80]}")
            out.append(Expression(self._end()))
        return tuple(out)

    def _expression(self, at: int) -> tuple[int, str]:
        """Read up to a comma, a relation or the end: the offset behind that, and what it was."""
        self._begin()
        while at < len(self.text):
            token = _TOKEN.match(self.text, at)
            if token is None:
                raise AffineSyntaxError(f"cannot read {self.text[at : at + 80]}")
            at = token.end()
            mark = token["mark"]
            if mark in (",", ">=", "=="):
                return at, mark
            if token["number"] is not None or token["word"] in self.names:
                self._operand(int(token["number"]) if token["number"] is not None else token["word"])
            elif mark == "(":
                self.operators.append("(")
            elif mark == ")":
                self._close()
            else:
                self._operator(token["word"] or mark)
        return at, ""

    def _begin(self) -> None:
        self.steps: list[int | str] = []
        self.operators: list[str] = []
        self.wanted = True  # an operand, not an operator

    def _operand(self, step: int | str) -> None:
        if not self.wanted:
            raise AffineSyntaxError(f"an operator is missing in {self.text[:80]}")
        self.steps.append(step)
        self.wanted = False

    def _operator(self, operator: str) -> None:
        if self.wanted:
            if operator != "-":
                raise AffineSyntaxError(f"an operand is missing in {self.text[:80]}")
            self.operators.append("neg")
            return
        if operator not in _BINDS:
            raise AffineSyntaxError(f"{operator} is no affine operator")
        self._reduce(_BINDS[operator])
        self.operators.append(operator)
        self.wanted = True

    def _reduce(self, level: int) -> None:
        while self.operators and self.operators[-1] != "(" and _BINDS[self.operators[-1]] >= level:
            self.steps.append(self.operators.pop())

    def _close(self) -> None:
        self._reduce(0)
        if self.wanted or not self.operators:
            raise AffineSyntaxError(f"a parenthesis does not match in {self.text[:80]}")
        self.operators.pop()

    def _end(self) -> tuple[int | str, ...]:
        self._reduce(0)
        if self.wanted or self.operators:
            raise AffineSyntaxError(f"a constraint is not complete in {self.text[:80]}")
        return tuple(self.steps)
