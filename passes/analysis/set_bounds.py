"""Integer sets of views and tiles, with numbers for their symbols: bounds per dimension, and what else holds."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from spyrec import sets
from spyrec.mlir import ir
from spyrec.passes.analysis.linear import Linear
from spyrec.passes.analysis.steps import Step, Steps
from spyrec.sets import NotABox


@dataclass(frozen=True)
class _Shape:
    """A set taken apart: per dimension its constraints of that dimension alone, as (factor, the rest, equality); and
    the others.
    """

    points: sets.IntegerSet
    bounds: tuple[tuple[tuple[int, sets.Expression, bool], ...], ...]
    others: tuple[sets.Constraint, ...]


@dataclass(frozen=True)
class Bounds:
    """``low`` and ``high`` (both included) per dimension; points also satisfy ``others``, whose symbols ``symbols``
    names. ``box`` is what is known to hold all points when all bounds are constant.
    """

    low: tuple[Linear, ...]
    high: tuple[Linear, ...]
    others: tuple[sets.Constraint, ...]
    symbols: Mapping[str, Step]

    @property
    def box(self) -> sets.Box | None:
        """The bounds as numbers."""
        if not all(form.is_constant for form in (*self.low, *self.high)):
            return None
        return sets.Box(tuple(form.constant for form in self.low), tuple(form.constant for form in self.high))


def bounds(attribute: ir.Attribute, symbols: Sequence[Linear], steps: Steps) -> Bounds:
    """The bounds of the set in an attribute. Raises :class:`NotABox` for a dimension that has none.

    ``symbols`` are the values of its symbols (further ones are ignored), ``steps`` computes what varies.
    """
    shape = _taken_apart(str(attribute))
    names = {f"s{k}": Step.of(form) for k, form in enumerate(symbols)}
    low: list[Linear] = []
    high: list[Linear] = []
    for dimension, found in enumerate(shape.bounds):
        ends: tuple[list[Linear], list[Linear]] = ([], [])
        for factor, expression, equality in found:
            rest = steps.expression(expression, names)
            if rest is None:
                raise NotABox(f"the bounds of d{dimension} are no affine expressions")
            # factor * d + rest >= 0
            for f, r in ((factor, rest.rest), (-factor, rest.rest.scaled(-1)))[: 1 + equality]:
                if f > 0:
                    ends[0].append(steps.values.quotient(r.scaled(-1).plus(f - 1), f))
                else:
                    ends[1].append(steps.values.quotient(r, -f))
        if not all(ends):
            known = all(form.is_constant for form in symbols)
            span = _spans(str(attribute), tuple(form.constant for form in symbols) if known else ())[dimension]
            if span is None:
                raise NotABox(f"d{dimension} is not bounded on both sides")
            ends[0].append(Linear.of(span[0]))
            ends[1].append(Linear.of(span[1]))
        low.append(steps.largest(ends[0]))
        high.append(steps.smallest(ends[1]))
    return Bounds(tuple(low), tuple(high), shape.others, names)


def lowest(attribute: ir.Attribute, found: Bounds, steps: Steps) -> tuple[Linear, ...]:
    """The lowest point of each dimension that the set really has. Raises :class:`NotABox` when that is not known."""
    if not found.others:
        return found.low
    values: list[int | str] = []
    for name, step in found.symbols.items():
        if not step.rest.is_constant and steps.values.interval(step.rest, at=steps.at).low < 0:
            raise NotABox(f"{name} may be negative, so that it is not known where its lowest points are")
        values.append(step.rest.constant if step.rest.is_constant else name)
    spans = sets.Points.of(str(attribute), values).spans()
    if any(span is None for span in spans):
        low = _lows(str(attribute), tuple(values))
        if low is None:
            raise NotABox("it is not known where its lowest points are")
        return tuple(Linear.of(number) for number in low)
    return tuple(Linear.of(span[0]) for span in spans if span is not None)


def _lows(text: str, values: Sequence[int | str]) -> Sequence[int] | None:
    """Lowest coordinates, where the corner of the constant lower bounds is a point for all parameters."""
    shape = _taken_apart(text)
    corner: list[int] = []
    for found in shape.bounds:
        known = [e.linear for f, e, equality in found if f == 1 or equality]
        constants = [-form.constant for form in known if form is not None and not form.factors]
        if not constants:
            return None
        corner.append(max(constants))
    names = {f"d{k}": n for k, n in enumerate(corner)}
    numbers = {f"s{k}": n for k, n in enumerate(values) if isinstance(n, int)}
    for constraint in shape.others:
        form = constraint.expression.linear_in({**names, **numbers})
        if form is None or constraint.equality or form.constant < 0 or any(f < 0 for f in form.factors.values()):
            return None
    return corner


@functools.lru_cache(maxsize=1024)
def _taken_apart(text: str) -> _Shape:
    found = sets.parse(text)
    bounds: list[list[tuple[int, sets.Expression, bool]]] = [[] for _ in range(found.dims)]
    others: list[sets.Constraint] = []
    for constraint in found.constraints:
        form = constraint.expression.linear
        if (
            form is not None
            and not form.factors
            and (form.constant == 0 or (form.constant > 0 and not constraint.equality))
        ):
            continue
        factors = _factors(constraint.expression, found.dims)
        used = [] if factors is None else [d for d, factor in enumerate(factors) if factor]
        if factors is None or len(used) != 1:
            others.append(constraint)
            continue
        at_zero = constraint.expression.fold(
            lambda n: sets.Expression((n,)),
            lambda name: sets.Expression((0,) if name[0] == "d" else (name,)),
            lambda operator, arguments: sets.Expression((*(s for a in arguments for s in a.steps), operator)),
        )
        assert at_zero is not None
        bounds[used[0]].append((factors[used[0]], at_zero, constraint.equality))
    return _Shape(found, tuple(map(tuple, bounds)), tuple(others))


def _factors(expression: sets.Expression, dims: int) -> tuple[int, ...] | None:
    """Factors of the dimensions, when the expression is linear in them."""
    nothing = (0,) * dims

    def apply(operator: str, arguments: Sequence[tuple[tuple[int, ...], int | None]]) -> _Known | None:
        numbers = [number for _, number in arguments]
        vectors = [vector for vector, _ in arguments]
        if operator == "neg":
            number = numbers[0]
            return tuple(-f for f in vectors[0]), None if number is None else -number
        if operator in "+-":
            sign = 1 if operator == "+" else -1
            return tuple(a + sign * b for a, b in zip(*vectors, strict=True)), None
        if operator == "*":
            for one, other in ((0, 1), (1, 0)):
                number = numbers[one]
                if number is not None:
                    return tuple(f * number for f in vectors[other]), None
        return None if any(map(any, vectors)) else (nothing, None)

    def name(text: str) -> _Known:
        return tuple(int(text == f"d{k}") for k in range(dims)), None

    found = expression.fold(lambda n: (nothing, n), name, apply)
    return None if found is None else found[0]


_Known = tuple[tuple[int, ...], int | None]


@functools.lru_cache(maxsize=256)
def _spans(text: str, symbols: tuple[int, ...]) -> list[tuple[int, int] | None]:
    found = sets.parse(text)
    if found.symbols > len(symbols):
        return [None] * found.dims
    return sets.Points.of(text, symbols).spans()
