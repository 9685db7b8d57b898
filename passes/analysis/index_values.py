"""What index values can be: an affine form and an interval for every integer SSA value of a function.

Kernels compute addresses in whatever integer type their author had: ``index`` by hand, i32 with divisions and
remainders from Triton. :class:`IndexValues` reads all of it into :class:`~spyrec.passes.analysis.linear.Linear` forms
over the values that cannot be looked into (tile id, loop counters, arguments), never assuming that arithmetic does not
wrap around: where the interval of a result leaves the range of its type, the result is a leaf of its own.

Conditions that hold at a place (the bounds of enclosing loops, the conditions of enclosing ``scf.if``) are *facts*:
linear forms that are at most zero there. ``interval(form, at=op)`` uses them, so that the rows of a ragged last block
are proven to be inside."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from spyrec.mlir import ir
from spyrec.numerics.integers import CMPI_PREDICATES
from spyrec.passes.analysis import kernels, ops
from spyrec.passes.analysis.linear import Atom, Division, Interval, Leaf, Linear

_FACT_STEPS = 2
"""How many facts may be combined to bound one form."""

_UNWRAPPED = ("arith.addi", "arith.subi", "arith.muli", "affine.apply")

_INDEX = Interval.signed(64)

_NEGATED = {"eq": "ne", "ne": "eq", "slt": "sge", "sge": "slt", "sle": "sgt", "sgt": "sle"}
_NEGATED |= {"ult": "uge", "uge": "ult", "ule": "ugt", "ugt": "ule"}


class IndexValues:
    """Forms and intervals of the integer values of ``function`` (a ``func.func``).

    ``implicit_tiles`` is how many compute tiles run a kernel without a ``grid``. Results are remembered by value: make
    a new object after the function has been changed."""

    def __init__(self, function: ir.Operation, implicit_tiles: int = 1) -> None:
        self.function = function
        self.grid = kernels.grid(function) or (implicit_tiles,)
        self._forms: dict[ir.Value, Linear] = {}
        self._values: list[ir.Value] = []
        self._intervals: list[Interval] = []
        self._multiples: list[int] = []

    def form(self, value: ir.Value) -> Linear:
        """``value`` as a linear form. Values of the same form are equal in every execution."""
        found = self._forms.get(value)
        if found is None:
            found = self._forms[value] = self._form(value)
        return found

    def unwrapped(self, value: ir.Value) -> Linear:
        """``value`` as a linear form, as if sums and products by constants on the way to it could not wrap around.

        Right for what is known to fit in the end, such as an address: arithmetic that wraps is exact modulo 2**64.
        """
        found = self._unwrapped(value)
        # Factors that are no numbers of the type have wrapped around themselves.
        numbers = [found.constant, *(factor for _, factor in found.terms)]
        return found if all(number in _INDEX for number in numbers) else self.form(value)

    def _unwrapped(self, value: ir.Value) -> Linear:
        op = kernels.defining(value)
        if op is None or not isinstance(value.type, ir.IndexType):
            return self.form(value)
        operands = [self.unwrapped(operand) for operand in op.operands] if op.name in _UNWRAPPED else []
        match op.name:
            case "arith.addi":
                return operands[0] + operands[1]
            case "arith.subi":
                return operands[0] - operands[1]
            case "arith.muli" if operands[0].is_constant or operands[1].is_constant:
                left, right = operands if operands[1].is_constant else operands[::-1]
                return left.scaled(right.constant)
            case "affine.apply":
                map_ = ir.AffineMapAttr(op.attributes["map"]).value
                dims, symbols = operands[: map_.n_dims], operands[map_.n_dims :]
                made = self.expression(map_.results[0], dims, symbols)
                return self.form(value) if made is None else made
        return self.form(value)

    def interval(self, form: Linear | ir.Value, at: ir.Operation | None = None) -> Interval:
        """All that ``form`` can be, when control is at the op ``at`` (anywhere, if none is given)."""
        if not isinstance(form, Linear):
            form = self.form(form)
        if form.is_constant:
            return Interval.exactly(form.constant)
        facts = self.facts(at) if at is not None else []
        low = -self._upper(form.scaled(-1), facts, _FACT_STEPS)
        return Interval(low, max(low, self._upper(form, facts, _FACT_STEPS)))

    def value(self, leaf: Leaf) -> ir.Value:
        """The SSA value that a leaf stands for."""
        return self._values[leaf.number]

    def substitute(self, old: ir.Value, new: ir.Value) -> None:
        """Replace all uses of ``old`` by ``new``, which always equals it; forms go on to mean the same."""
        form = self._forms[new] = self.form(old)
        for atom, _ in form.terms:
            if isinstance(atom, Leaf) and self._values[atom.number] == old:
                self._values[atom.number] = new
        old.replace_all_uses_with(new)

    def facts(self, at: ir.Operation) -> list[Linear]:
        """Forms that are at most zero whenever control is at ``at``."""
        facts: list[Linear] = []
        inner: ir.Operation = at
        while inner != self.function:
            block = inner.block
            outer = kernels.owner(block)
            if outer.name == "scf.for":
                low, high = outer.operands[0], outer.operands[1]
                counter = self.form(block.arguments[0])
                facts += [self.form(low) - counter, (counter - self.form(high)).plus(1)]
            elif outer.name == "scf.if":
                facts += self._conditions(outer.operands[0], holds=block == outer.regions[0].blocks[0])
            inner = outer
            if inner.name == "builtin.module":
                break
        return facts

    def unreachable(self, at: ir.Operation) -> bool:
        """Whether control never comes to ``at``: a loop around it has no iteration, or it is in the wrong branch."""
        inner = at
        for outer in kernels.around(at, self.function):
            if outer.name == "scf.for":
                low, high = (self.form(operand) for operand in list(outer.operands)[:2])
                if self.interval(high - low, at=outer).high <= 0:
                    return True
            elif outer.name == "scf.if":
                taken = self.form(outer.operands[0])
                in_then = inner.block == outer.regions[0].blocks[0]
                if taken.is_constant and bool(taken.constant) != in_then:
                    return True
            inner = outer
        # What has to hold here cannot: by all that holds here, one of the facts is above zero.
        facts = self.facts(at)
        return any(-self._upper(fact.scaled(-1), facts, _FACT_STEPS) > 0 for fact in facts)

    def materialize(self, form: Linear, location: ir.Location) -> ir.Value:
        """An ``index`` value for ``form``, made at the current insertion point, which its leaves must dominate."""
        if form.is_constant:
            return ops.index_constant(form.constant, location)
        leaves = sorted(set(form.leaves()), key=lambda leaf: leaf.number)
        operands = [self._as_index(self.value(leaf), location) for leaf in leaves]
        if form == Linear.atom(leaves[0]):
            return operands[0]
        expression = affine(form, {leaf: position for position, leaf in enumerate(leaves)})
        return ops.apply(ir.AffineMap.get(len(leaves), 0, [expression]), operands, location)

    def _as_index(self, value: ir.Value, location: ir.Location) -> ir.Value:
        if isinstance(value.type, ir.IndexType):
            return value
        # A form counts a bit as 0 or 1; as a signed number it is 0 or -1.
        cast = ops.zero_extended if _is_bit(value) else ops.index_cast
        return cast(value, ir.IndexType.get(), location)

    # Intervals

    def _upper(self, form: Linear, facts: Sequence[Linear], steps: int) -> int:
        """An upper bound of ``form``: its own interval, or ``form <= form - k * fact`` for a fact (at most zero), k >
        0.
        """
        best = self._plain(form).high
        if not steps:
            return best
        for position, fact in enumerate(facts):
            for atom, factor in fact.terms:
                mine = form.coefficient(atom)
                # Only a multiple that removes a term can help.
                if mine and mine % factor == 0 and mine // factor > 0:
                    rest = form - fact.scaled(mine // factor)
                    others = [*facts[:position], *facts[position + 1 :]]
                    best = min(best, self._upper(rest, others, steps - 1))
        return best

    def _plain(self, form: Linear) -> Interval:
        total = Interval.exactly(form.constant)
        for atom, factor in form.terms:
            if isinstance(atom, Leaf):
                part = self._intervals[atom.number]
            else:
                of = self._plain(atom.of)
                part = of.floordiv(atom.by) if atom.part == "quotient" else self._remainders(atom, of)
            total += part.scaled(factor)
        return total

    def _remainders(self, atom: Division, of: Interval) -> Interval:
        """What a remainder can be: it differs from that of the constant by what all terms are multiples of."""
        step = math.gcd(atom.by, self._step(atom.of))
        found, first = of.mod(atom.by), atom.of.constant % step
        low, high = found.low + (first - found.low) % step, found.high - (found.high - first) % step
        return Interval(low, max(low, high))

    def _multiple(self, atom: Atom) -> int:
        """What an atom is a multiple of."""
        if isinstance(atom, Leaf):
            return self._multiples[atom.number]
        return 1 if atom.part == "quotient" else math.gcd(atom.by, atom.of.constant, self._step(atom.of))

    def _step(self, form: Linear) -> int:
        """What a form differs from its constant by a multiple of."""
        return math.gcd(*(factor * self._multiple(atom) for atom, factor in form.terms))

    # Conditions

    def _conditions(self, condition: ir.Value, *, holds: bool) -> list[Linear]:
        op = kernels.defining(condition)
        if op is None:
            return []
        if op.name == "arith.cmpi" and not _is_bit(op.operands[0]):
            predicate = CMPI_PREDICATES[ir.IntegerAttr(op.attributes["predicate"]).value]
            return self._comparison(predicate if holds else _NEGATED[predicate], op.operands[0], op.operands[1])
        if op.name == ("arith.andi" if holds else "arith.ori"):
            return [fact for operand in op.operands for fact in self._conditions(operand, holds=holds)]
        if op.name == "arith.xori":
            for mine, other in ((0, 1), (1, 0)):
                if self.form(op.operands[other]) == Linear.of(1):
                    return self._conditions(op.operands[mine], holds=not holds)
        return []

    def _comparison(self, predicate: str, left: ir.Value, right: ir.Value) -> list[Linear]:
        a, b = self.form(left), self.form(right)
        if predicate[0] == "u":
            # Without a sign bit on the right, unsigned order bounds the left side on both ends.
            if predicate in ("ugt", "uge"):
                predicate, a, b = {"ugt": "ult", "uge": "ule"}[predicate], b, a
            if self._plain(b).low < 0:
                return []
            return [a.scaled(-1), (a - b).plus(1 if predicate == "ult" else 0)]
        match predicate:
            case "slt":
                return [(a - b).plus(1)]
            case "sle":
                return [a - b]
            case "sgt":
                return [(b - a).plus(1)]
            case "sge":
                return [b - a]
            case "eq":
                return [a - b, b - a]
        return []

    # Forms

    def _leaf(self, value: ir.Value, interval: Interval, multiple: int = 1) -> Linear:
        if interval.low == interval.high:
            return Linear.of(interval.low)
        self._values.append(value)
        self._intervals.append(interval)
        self._multiples.append(multiple)
        return Linear.atom(Leaf(len(self._values) - 1))

    def _form(self, value: ir.Value) -> Linear:
        everything = _all_values(value.type)
        op = kernels.defining(value)
        if op is None:
            return self._block_argument(ir.BlockArgument(value), everything)
        if op.name in kernels.TILE_IDS:
            flat = len(op.results) == 1
            extent = math.prod(self.grid) if flat else self.grid[ir.OpResult(value).result_number]
            return self._leaf(value, Interval(0, extent - 1))
        if op.name == "arith.constant":
            attribute = op.attributes["value"]
            known = _constant(attribute)
            return self._leaf(value, everything) if known is None else Linear.of(known)
        if op.name == "affine.apply":
            made = self._apply(ir.AffineMapAttr(op.attributes["map"]).value, list(op.operands))
            return made if made is not None and self._plain(made) in everything else self._leaf(value, everything)
        rule = _RULES.get(op.name)
        if op.name not in _ON_BITS and any(_is_bit(operand) for operand in op.operands):
            rule = None
        result = rule(self, op) if rule else everything
        if isinstance(result, Linear):
            if self._plain(result) in everything:
                return result
            result = everything
        # An interval beyond the type means that the operation may wrap around.
        return self._leaf(value, result if result in everything else everything)

    def _block_argument(self, argument: ir.BlockArgument, everything: Interval) -> Linear:
        owner = kernels.owner(argument.owner)
        if owner.name == "scf.for" and argument.arg_number == 0:
            low, high = self._plain(self.form(owner.operands[0])), self._plain(self.form(owner.operands[1]))
            return self._leaf(argument, Interval(low.low, max(low.low, high.high - 1)))
        if owner.name != "func.func" or isinstance(argument.type, ir.FloatType):
            return self._leaf(argument, everything)
        most = kernels.promise(argument, "upperbound")
        end = everything.high if most is None else min(most, everything.high)
        return self._leaf(argument, Interval(everything.low, end), kernels.promise(argument, "granularity") or 1)

    def _apply(self, map_: ir.AffineMap, operands: Sequence[ir.Value]) -> Linear | None:
        forms = [self.form(operand) for operand in operands]
        return self.expression(map_.results[0], forms[: map_.n_dims], forms[map_.n_dims :])

    def expression(
        self, expression: ir.AffineExpr, dims: Sequence[Linear], symbols: Sequence[Linear] = ()
    ) -> Linear | None:
        """An affine expression over forms; ``None`` when it is not affine in them (a product of two that both vary)."""
        if isinstance(expression, ir.AffineConstantExpr):
            return Linear.of(expression.value)
        if isinstance(expression, ir.AffineDimExpr):
            return dims[expression.position]
        if isinstance(expression, ir.AffineSymbolExpr):
            return symbols[expression.position]
        assert isinstance(expression, ir.AffineBinaryExpr)
        left = self.expression(expression.lhs, dims, symbols)
        right = self.expression(expression.rhs, dims, symbols)
        if left is None or right is None:
            return None
        if isinstance(expression, ir.AffineAddExpr):
            return left + right
        if isinstance(expression, ir.AffineMulExpr):
            if left.is_constant:
                left, right = right, left
            return left.scaled(right.constant) if right.is_constant else None
        if not right.is_constant or right.constant <= 0:
            return None
        if isinstance(expression, ir.AffineFloorDivExpr):
            return self.quotient(left, right.constant)
        if isinstance(expression, ir.AffineCeilDivExpr):
            return self.quotient(left.plus(right.constant - 1), right.constant)
        return self.remainder(left, right.constant)

    def quotient(self, form: Linear, by: int) -> Linear:
        """``form`` divided by a positive constant, rounded to minus infinity."""
        whole, rest = self._split(form, by)
        if rest is not None:
            whole += Linear.of(rest.constant // by) if rest.is_constant else _division("quotient", rest, by)
        return whole

    def remainder(self, form: Linear, by: int) -> Linear:
        """What :meth:`quotient` leaves; from 0 to ``by - 1``."""
        whole, rest = self._split(form, by)
        if rest is None:
            return form - whole.scaled(by)
        return Linear.of(rest.constant % by) if rest.is_constant else _division("remainder", rest, by)

    def _split(self, form: Linear, by: int) -> tuple[Linear, Linear | None]:
        """``form = by * whole + rest``; no rest is given when it is known to be from 0 to ``by - 1`` and so drops
        out.
        """
        whole = Linear(tuple((a, c // by) for a, c in form.terms if c % by == 0), 0)
        rest = form - whole.scaled(by)
        start = self._plain(rest).low // by
        if self._plain(rest).high // by == start:
            return whole.plus(start), None
        return whole, rest


def _division(part: str, of: Linear, by: int) -> Linear:
    return Linear.atom(Division("quotient" if part == "quotient" else "remainder", of, by))


def affine(form: Linear, positions: dict[Leaf, int]) -> ir.AffineExpr:
    """A form as an expression over dimensions, which stand for its leaves."""
    total: ir.AffineExpr = ir.AffineExpr.get_constant(form.constant)
    for atom, factor in form.terms:
        term: ir.AffineExpr
        if isinstance(atom, Leaf):
            term = ir.AffineExpr.get_dim(positions[atom])
        elif atom.part == "quotient":
            term = ir.AffineExpr.get_floor_div(affine(atom.of, positions), atom.by)
        else:
            term = ir.AffineExpr.get_mod(affine(atom.of, positions), atom.by)
        total = ir.AffineExpr.get_add(total, ir.AffineExpr.get_mul(term, ir.AffineExpr.get_constant(factor)))
    return total


def _all_values(type_: ir.Type) -> Interval:
    """Values of an integer type as this module counts them: i1 is 0 or 1, all wider ones are signed."""
    if isinstance(type_, ir.IntegerType):
        return Interval(0, 1) if type_.width == 1 else Interval.signed(type_.width)
    return Interval.signed(64)


def _constant(attribute: ir.Attribute) -> int | None:
    """The value of an integer constant, of type i1 as 0 or 1."""
    if isinstance(attribute, ir.BoolAttr):
        return int(attribute.value)
    return attribute.value if isinstance(attribute, ir.IntegerAttr) else None


def _is_bit(value: ir.Value) -> bool:
    return isinstance(value.type, ir.IntegerType) and value.type.width == 1


# Rules: the form of a result, or its interval when it has no form. Wrapping around is dealt with by the caller.

_Result = Linear | Interval
_Rule = Callable[[IndexValues, ir.Operation], _Result]


def _operands(values: IndexValues, op: ir.Operation) -> tuple[Linear, Linear]:
    return values.form(op.operands[0]), values.form(op.operands[1])


def _add(values: IndexValues, op: ir.Operation) -> _Result:
    a, b = _operands(values, op)
    return a + b


def _subtract(values: IndexValues, op: ir.Operation) -> _Result:
    a, b = _operands(values, op)
    return a - b


def _multiply(values: IndexValues, op: ir.Operation) -> _Result:
    a, b = _operands(values, op)
    if a.is_constant:
        a, b = b, a
    if b.is_constant:
        return a.scaled(b.constant)
    return values.interval(a) * values.interval(b)


def _unknown(op: ir.Operation) -> Interval:
    return _all_values(op.results[0].type)


def _unsigned(value: ir.Value) -> Interval:
    """Values of the type of ``value`` read without a sign."""
    type_ = value.type
    return Interval(0, (1 << (type_.width if isinstance(type_, ir.IntegerType) else 64)) - 1)


def _corners(rule: Callable[[int, int], int], a: Interval, b: Interval) -> Interval:
    """Results of a rule that is monotonic in each operand."""
    results = [rule(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    return Interval(min(results), max(results))


def _divisor(values: IndexValues, form: Linear) -> Interval | None:
    """What a divisor can be if it is known to be positive. It is not zero: nothing comes after a division by zero."""
    found = values.interval(form)
    low = max(found.low, 1) if found.low == 0 else found.low
    return Interval(low, found.high) if 0 < low <= found.high else None


def _toward_zero(a: int, b: int) -> int:
    return a // b if a >= 0 else -(-a // b)


def _divide(values: IndexValues, op: ir.Operation) -> _Result:
    a, b = _operands(values, op)
    by, x = _divisor(values, b), values.interval(a)
    if by is None:
        return _unknown(op)
    ceiling = op.name.startswith("arith.ceildiv")
    rounds_down = x.low >= 0 or op.name in ("arith.floordivsi", "arith.ceildivsi")
    if b.is_constant and rounds_down:
        return values.quotient(a.plus(b.constant - 1) if ceiling else a, b.constant)
    if x.low < 0 and op.name[-2:] == "ui":
        x = _unsigned(op.operands[0])
    if ceiling:
        return _corners(lambda p, q: -(-p // q), x, by)
    return _corners(int.__floordiv__ if rounds_down else _toward_zero, x, by)


def _remain(values: IndexValues, op: ir.Operation) -> _Result:
    a, b = _operands(values, op)
    by, x = _divisor(values, b), values.interval(a)
    if by is None:
        return _unknown(op)
    if b.is_constant and x.low >= 0:
        return values.remainder(a, b.constant)
    most = by.high - 1
    if op.name == "arith.remui":
        return Interval(0, most if x.low < 0 else min(most, x.high))
    return Interval(max(-most, min(x.low, 0)), min(most, max(x.high, 0)))


def _same(values: IndexValues, op: ir.Operation) -> _Result:
    source = values.form(op.operands[0])
    if _is_bit(op.operands[0]) and op.name in ("arith.extsi", "arith.index_cast"):
        return source.scaled(-1)
    if op.name in ("arith.extui", "arith.index_castui") and (found := values.interval(source)).low < 0:
        wide = _unsigned(op.operands[0])
        return source.plus(wide.high + 1) if found.high < 0 else wide
    return source


def _extreme(values: IndexValues, op: ir.Operation) -> _Result:
    a, b = _operands(values, op)
    x, y = values.interval(a), values.interval(b)
    if op.name[-2:] == "ui" and (x.low < 0 or y.low < 0):
        return _unknown(op)
    pick = min if op.name.startswith("arith.min") else max
    for mine, other in ((a, b), (b, a)):
        difference = values.interval(mine - other)
        if (difference.high <= 0) if pick is min else (difference.low >= 0):
            return mine
    return Interval(pick(x.low, y.low), pick(x.high, y.high))


def _select(values: IndexValues, op: ir.Operation) -> _Result:
    condition, a, b = (values.form(operand) for operand in op.operands)
    if condition.is_constant:
        return a if condition.constant else b
    return a if a == b else values.interval(a).union(values.interval(b))


def _compare(values: IndexValues, op: ir.Operation) -> _Result:
    predicate = CMPI_PREDICATES[ir.IntegerAttr(op.attributes["predicate"]).value]
    a, b = _operands(values, op)
    difference = values.interval(a - b)
    if predicate[0] == "u":
        if values.interval(a).low < 0 or values.interval(b).low < 0:
            return Interval(0, 1)
        predicate = "s" + predicate[1:]
    always, never = {
        "eq": (difference == Interval(0, 0), 0 not in difference),
        "ne": (0 not in difference, difference == Interval(0, 0)),
        "slt": (difference.high < 0, difference.low >= 0),
        "sle": (difference.high <= 0, difference.low > 0),
        "sgt": (difference.low > 0, difference.high <= 0),
        "sge": (difference.low >= 0, difference.high < 0),
    }[predicate]
    return Interval(1, 1) if always else Interval(0, 0) if never else Interval(0, 1)


def _shift_left(values: IndexValues, op: ir.Operation) -> _Result:
    a, b = _operands(values, op)
    by = values.interval(b)
    if not 0 <= by.low <= by.high < 63:
        return _unknown(op)
    return a.scaled(1 << b.constant) if b.is_constant else values.interval(a) * Interval(1 << by.low, 1 << by.high)


def _shift_right(values: IndexValues, op: ir.Operation) -> _Result:
    a, b = _operands(values, op)
    by, x = values.interval(b), values.interval(a)
    if not 0 <= by.low <= by.high < 63:
        return _unknown(op)
    if op.name == "arith.shrui" and x.low < 0:
        return _corners(int.__rshift__, _unsigned(op.operands[0]), by)
    return values.quotient(a, 1 << b.constant) if b.is_constant else _corners(int.__rshift__, x, by)


def _and(values: IndexValues, op: ir.Operation) -> _Result:
    a, b = _operands(values, op)
    if a.is_constant:
        a, b = b, a
    if b.is_constant and b.constant >= 0:
        mask = b.constant
        # A mask of low bits is a remainder, of negative numbers too.
        return values.remainder(a, mask + 1) if mask & (mask + 1) == 0 else Interval(0, mask)
    x, y = values.interval(a), values.interval(b)
    return Interval(0, min(x.high, y.high)) if x.low >= 0 and y.low >= 0 else _unknown(op)


# Ops whose rules hold for i1, whose one bit is a value when extended by zeros and a sign elsewhere.
_ON_BITS = frozenset(
    ("arith.andi", "arith.extsi", "arith.extui", "arith.index_cast", "arith.index_castui", "arith.select")
)

_RULES: dict[str, _Rule] = {
    "arith.addi": _add,
    "arith.subi": _subtract,
    "arith.muli": _multiply,
    "arith.divsi": _divide,
    "arith.divui": _divide,
    "arith.floordivsi": _divide,
    "arith.ceildivsi": _divide,
    "arith.ceildivui": _divide,
    "arith.remsi": _remain,
    "arith.remui": _remain,
    "arith.index_cast": _same,
    "arith.index_castui": _same,
    "arith.extsi": _same,
    "arith.extui": _same,
    "arith.trunci": _same,
    "arith.minsi": _extreme,
    "arith.maxsi": _extreme,
    "arith.minui": _extreme,
    "arith.maxui": _extreme,
    "arith.select": _select,
    "arith.cmpi": _compare,
    "arith.shli": _shift_left,
    "arith.shrsi": _shift_right,
    "arith.shrui": _shift_right,
    "arith.andi": _and,
}
