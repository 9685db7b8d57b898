"""Expressions over the steps of a box, and which of its points satisfy them.

A box has extents; a *step* in a dimension runs from 0 to its extent. What kernels say about tiles (subscripts, sets,
bounds of views) becomes expressions that are linear in the steps, over numbers that the run knows. A condition on one
step alone is a bound of a clip; the others make a set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from spyrec import sets
from spyrec.mlir import ir
from spyrec.passes.analysis.index_values import IndexValues
from spyrec.passes.analysis.linear import Interval, Linear
from spyrec.records import dataclass


@dataclass(frozen=True)
class Step:
    """``rest + sum(factor * step)``; ``factors`` has (dimension, factor), sorted, none of them 0."""

    factors: tuple[tuple[int, int], ...]
    rest: Linear

    @staticmethod
    def of(rest: Linear | int) -> Step:
        """What does not depend on the steps."""
        return Step((), Linear.of(rest) if isinstance(rest, int) else rest)

    @staticmethod
    def along(dimension: int, start: Linear) -> Step:
        """The step of a dimension, counted from ``start``."""
        return Step(((dimension, 1),), start)

    def __add__(self, other: Step) -> Step:
        total = dict(self.factors)
        for dimension, factor in other.factors:
            total[dimension] = total.get(dimension, 0) + factor
        return Step(tuple(sorted((d, f) for d, f in total.items() if f)), self.rest + other.rest)

    def __sub__(self, other: Step) -> Step:
        return self + other.scaled(-1)

    def scaled(self, factor: int) -> Step:
        """``factor`` times as much."""
        return Step(tuple((d, f * factor) for d, f in self.factors) if factor else (), self.rest.scaled(factor))

    def plus(self, constant: int) -> Step:
        """``constant`` more."""
        return Step(self.factors, self.rest.plus(constant))


@dataclass(frozen=True)
class Division:
    """What keeps an expression from being linear: ``of``, of which nothing is a multiple of ``by``, divided by it."""

    of: Step
    by: int


Names = Mapping[str, Step]


class Steps:
    """Expressions over the steps of a box of ``extents``, at the op ``at``: new ops are made before it."""

    def __init__(self, values: IndexValues, at: ir.Operation, extents: Sequence[int]) -> None:
        self.values = values
        self.at = at
        self.extents = tuple(extents)
        self.obstacle: Division | None = None

    def reach(self, step: Step) -> Interval:
        """All that ``step`` can be."""
        total = self.values.interval(step.rest, at=self.at)
        for dimension, factor in step.factors:
            total += Interval(0, max(0, self.extents[dimension] - 1)).scaled(factor)
        return total

    def expression(self, expression: sets.Expression, names: Names) -> Step | None:
        """``expression`` as a linear one; ``None`` when it is none, and then ``obstacle`` may say why."""
        self.obstacle = None
        return expression.fold(Step.of, names.__getitem__, self._apply)

    def _apply(self, operator: str, arguments: Sequence[Step]) -> Step | None:
        if operator == "neg":
            return arguments[0].scaled(-1)
        left, right = arguments
        if operator in "+-":
            return left + (right if operator == "+" else right.scaled(-1))
        if operator == "*":
            return self._product(left, right)
        if right.factors or not right.rest.is_constant or right.rest.constant <= 0:
            return None
        by = right.rest.constant
        if operator == "ceildiv":
            left = left.plus(by - 1)
        return self._divided(left, by, remainder=operator == "mod")

    def _product(self, left: Step, right: Step) -> Step | None:
        for one, other in ((left, right), (right, left)):
            if not one.factors and one.rest.is_constant:
                return other.scaled(one.rest.constant)
        return None if left.factors or right.factors else Step.of(self.product(left.rest, right.rest))

    def _divided(self, step: Step, by: int, *, remainder: bool) -> Step | None:
        # step = by * whole + rest, where rest does not leave by * quotient .. by * quotient + by - 1
        whole = Step(tuple((d, f // by) for d, f in step.factors if f % by == 0), self.values.quotient(step.rest, by))
        rest = Step(tuple((d, f) for d, f in step.factors if f % by), self.values.remainder(step.rest, by))
        reach = self.reach(rest)
        quotient = reach.low // by
        if quotient == reach.high // by:
            return rest.plus(-quotient * by) if remainder else whole.plus(quotient)
        self.obstacle = Division(rest, by)
        return None

    # Numbers that only the run knows

    def product(self, left: Linear, right: Linear) -> Linear:
        """The product of two numbers, computed here if both vary."""
        if left.is_constant:
            left, right = right, left
        if right.is_constant:
            return left.scaled(right.constant)
        return self._computed("arith.muli", left, right)

    def largest(self, forms: Iterable[Linear]) -> Linear:
        """The largest of some numbers."""
        return self._extreme(forms, "arith.maxsi")

    def smallest(self, forms: Iterable[Linear]) -> Linear:
        """The smallest of some numbers."""
        return self._extreme(forms, "arith.minsi")

    def _extreme(self, forms: Iterable[Linear], name: str) -> Linear:
        kept: list[Linear] = []
        for form in forms:
            if not any(self._wins(other, form, name) for other in kept):
                kept = [other for other in kept if not self._wins(form, other, name)] + [form]
        best = kept[0]
        for form in kept[1:]:
            best = self._computed(name, best, form)
        return best

    def _wins(self, one: Linear, other: Linear, name: str) -> bool:
        difference = self.values.interval(one - other, at=self.at)
        return difference.low >= 0 if name == "arith.maxsi" else difference.high <= 0

    def _computed(self, name: str, left: Linear, right: Linear) -> Linear:
        operands = [self.value(left), self.value(right)]
        with ir.InsertionPoint(self.at):
            made = ir.Operation.create(name, results=[ir.IndexType.get()], operands=operands, loc=self.at.location)
        return self.values.form(made.results[0])

    def value(self, form: Linear) -> ir.Value:
        """An ``index`` value before the op."""
        with ir.InsertionPoint(self.at):
            return self.values.materialize(form, self.at.location)


@dataclass(frozen=True)
class Selection:
    """Points of a box: ``lower`` and ``upper`` bounds per dimension (``None``: those of the box), and ``set``, if there
    is one, with the values of its symbols.
    """

    lower: tuple[Linear | None, ...]
    upper: tuple[Linear | None, ...]
    set: ir.Attribute | None
    symbols: tuple[Linear, ...]
    is_empty: bool

    @property
    def is_whole(self) -> bool:
        """Whether all points of the box are selected."""
        return self.set is None and not any(b is not None for b in (*self.lower, *self.upper))

    @property
    def is_clipped(self) -> bool:
        """Whether a bound leaves out points."""
        return any(b is not None for b in (*self.lower, *self.upper))


class Selector:
    """Collects conditions that points of a box have to satisfy.

    All points that do are among the first ``steps.extents`` of the box, whose own ``extents`` may be larger.
    """

    def __init__(self, steps: Steps, extents: Sequence[int]) -> None:
        self.steps = steps
        self._lower: list[list[Linear]] = [[] for _ in extents]
        self._upper: list[list[Linear]] = [
            [Linear.of(used)] if used < extent else [] for used, extent in zip(steps.extents, extents, strict=True)
        ]
        self._others: list[tuple[Callable[[_Symbols], ir.AffineExpr], bool]] = []
        self._empty = 0 in steps.extents

    def require(self, constraint: sets.Constraint, names: Names) -> None:
        """Keep the points for which a constraint holds."""
        step = self.steps.expression(constraint.expression, names)
        if step is not None:
            self.at_least_0(step)
            if constraint.equality:
                self.at_least_0(step.scaled(-1))
            return
        expression = constraint.expression
        self._others.append((lambda symbols: symbols.expression(expression, names), constraint.equality))

    def at_least_0(self, step: Step) -> None:
        """Keep the points where ``step`` is not negative."""
        reach = self.steps.reach(step)
        if reach.low >= 0:
            return
        self._empty |= reach.high < 0
        if not step.factors and 1 in self.steps.extents:
            # With one step only, which is 0, "at least 0" is "above the step".
            self._upper[self.steps.extents.index(1)].append(step.rest.plus(1))
            return
        if len(step.factors) != 1:
            self._others.append((lambda symbols: symbols.step(step), False))
            return
        ((dimension, factor),) = step.factors
        quotient = self.steps.values.quotient
        if factor > 0:  # step >= ceil(-rest / factor)
            self._lower[dimension].append(quotient(step.rest.scaled(-1).plus(factor - 1), factor))
        else:  # step <= floor(rest / -factor)
            self._upper[dimension].append(quotient(step.rest, -factor).plus(1))

    def finish(self) -> Selection:
        """The points that are left; what has to be computed for that is computed before the op."""
        extents = self.steps.extents
        lower = tuple(self.steps.largest(forms) if forms else None for forms in self._lower)
        upper = tuple(self.steps.smallest(forms) if forms else None for forms in self._upper)
        interval = self.steps.values.interval
        for low, high, extent in zip(lower, upper, extents, strict=True):
            low, high = low or Linear.of(0), high or Linear.of(extent)
            self._empty |= interval(high - low, at=self.steps.at).high <= 0
        symbols = _Symbols()
        conditions = [(make(symbols), equality) for make, equality in self._others]
        if not conditions:
            return Selection(lower, upper, None, (), self._empty)
        return Selection(lower, upper, symbols.set(conditions, len(extents)), tuple(symbols.forms), self._empty)


class _Symbols:
    """The numbers in a set that are not constant, each a symbol of its own."""

    def __init__(self) -> None:
        self.forms: list[Linear] = []

    def step(self, step: Step) -> ir.AffineExpr:
        total: ir.AffineExpr = ir.AffineExpr.get_constant(step.rest.constant)
        varying = step.rest.without_constant
        if varying.terms:
            if varying not in self.forms:
                self.forms.append(varying)
            total = ir.AffineExpr.get_add(total, ir.AffineExpr.get_symbol(self.forms.index(varying)))
        for dimension, factor in step.factors:
            constant = ir.AffineExpr.get_constant(factor)
            term = ir.AffineExpr.get_mul(ir.AffineExpr.get_dim(dimension), constant)
            total = ir.AffineExpr.get_add(total, term)
        return total

    def expression(self, expression: sets.Expression, names: Names) -> ir.AffineExpr:
        made = expression.fold(ir.AffineExpr.get_constant, lambda name: self.step(names[name]), _affine)
        assert made is not None
        return made

    def set(self, conditions: Sequence[tuple[ir.AffineExpr, bool]], rank: int) -> ir.Attribute:
        dims, symbols = (", ".join(f"{c}{k}" for k in range(n)) for c, n in (("d", rank), ("s", len(self.forms))))
        sides = ", ".join(f"{side} {'==' if equality else '>='} 0" for side, equality in conditions)
        made: ir.Attribute = ir.Attribute.parse(f"affine_set<({dims})[{symbols}] : ({sides})>")
        return made


def _affine(operator: str, arguments: Sequence[ir.AffineExpr]) -> ir.AffineExpr:
    if operator == "neg":
        return ir.AffineExpr.get_mul(arguments[0], ir.AffineExpr.get_constant(-1))
    left, right = arguments
    if operator == "-":
        return ir.AffineExpr.get_add(left, _affine("neg", [right]))
    made: ir.AffineExpr = {
        "+": ir.AffineExpr.get_add,
        "*": ir.AffineExpr.get_mul,
        "floordiv": ir.AffineExpr.get_floor_div,
        "ceildiv": ir.AffineExpr.get_ceil_div,
        "mod": ir.AffineExpr.get_mod,
    }[operator](left, right)
    return made
