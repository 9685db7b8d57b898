"""Forms as arithmetic on what the launch gives: for the host, which knows no IR."""

from __future__ import annotations

from collections.abc import Sequence

from spyrec.mlir import ir
from spyrec.numerics import scalars
from spyrec.passes.analysis import kernels
from spyrec.passes.analysis.index_values import IndexValues, affine
from spyrec.passes.analysis.linear import Leaf, Linear

_BOUNDED = 1 << 62
"""An interval that reaches further bounds nothing."""


class Launched:
    """Collects the arguments of a function, and ops on them, of which forms are affine expressions."""

    def __init__(self, function: ir.Operation, values: IndexValues) -> None:
        self.function = function
        self.values = values
        self.terms: list[ir.Attribute] = []
        self._places: dict[ir.Value, int | None] = {}

    def expression(self, form: Linear) -> ir.AffineExpr | None:
        """The form over the terms; ``None`` when something else than the launch decides it."""
        places = {leaf: self._place(self.values.value(leaf)) for leaf in set(form.leaves())}
        known = {leaf: place for leaf, place in places.items() if place is not None}
        return affine(form, known) if len(known) == len(places) else None

    def bound(self, form: Linear, at: ir.Operation, *, upper: bool) -> ir.AffineExpr | None:
        """A bound of the form at ``at``: counters of loops and what else varies are at one of their ends."""
        while True:
            replaced = Linear.of(form.constant)
            for atom, factor in form.terms:
                replaced += self._end(Linear.atom(atom), at, upper=upper == (factor > 0)).scaled(factor)
            if replaced == form:
                return self.expression(form)
            form = replaced

    def attribute(self, results: Sequence[ir.AffineExpr]) -> ir.Attribute:
        """Terms and results, for the function's signature."""
        map_ = ir.AffineMap.get(len(self.terms), 0, list(results))
        return ir.DictAttr.get({"terms": ir.ArrayAttr.get(self.terms), "map": ir.AffineMapAttr.get(map_)})

    def _end(self, form: Linear, at: ir.Operation, *, upper: bool) -> Linear:
        if self.expression(form) is not None:
            return form
        atom, _ = form.terms[0]
        value = self.values.value(atom) if isinstance(atom, Leaf) else None
        if value is not None and isinstance(value.owner, ir.Block):
            loop = kernels.owner(value.owner)
            if loop.name == "scf.for" and ir.BlockArgument(value).arg_number == 0:
                low, high = (self.values.form(operand) for operand in list(loop.operands)[:2])
                return high.plus(-1) if upper else low
        interval = self.values.interval(form, at=at)
        end = interval.high if upper else interval.low
        return form if abs(end) >= _BOUNDED else Linear.of(end)

    def _place(self, value: ir.Value) -> int | None:
        """The term that is ``value``."""
        if value not in self._places:
            op = kernels.defining(value)
            self._places[value] = self._argument(ir.BlockArgument(value)) if op is None else self._made(op)
        return self._places[value]

    def _argument(self, argument: ir.BlockArgument) -> int | None:
        if kernels.owner(argument.owner) != self.function or not _bits(argument.type):
            return None
        return self._add(ir.IntegerAttr.get(_i64(), argument.arg_number))

    def _made(self, op: ir.Operation) -> int | None:
        if len(op.results) != 1 or not all(_bits(value.type) for value in [*op.results, *op.operands]):
            return None
        forms = [self.values.form(operand) for operand in op.operands]
        bits, result_bits, name = _bits(op.operands[0].type) if forms else 0, _bits(op.results[0].type), op.name
        if name == "affine.apply":
            map_ = ir.AffineMapAttr(op.attributes["map"]).value
            form = self.values.expression(map_.results[0], forms[: map_.n_dims], forms[map_.n_dims :])
            forms, name = [] if form is None else [form], "arith.index_cast"
        if not forms or not (scalars.resize(name, bits, result_bits) or scalars.binary(name, bits)):
            return None
        operands = [self.expression(form) for form in forms]
        known = [operand for operand in operands if operand is not None]
        if len(known) < len(operands):
            return None
        operand_map = ir.AffineMapAttr.get(ir.AffineMap.get(len(self.terms), 0, known))
        widths = [ir.IntegerAttr.get(_i64(), width) for width in (bits, result_bits)]
        return self._add(ir.ArrayAttr.get([ir.StringAttr.get(name), *widths, operand_map]))

    def _add(self, term: ir.Attribute) -> int:
        self.terms.append(term)
        return len(self.terms) - 1


def _bits(type_: ir.Type) -> int:
    """The width of an integer; 0 for what is none, or a condition."""
    if isinstance(type_, ir.IndexType):
        return 64
    return type_.width if isinstance(type_, ir.IntegerType) and 1 < type_.width <= 64 else 0


def _i64() -> ir.Type:
    return ir.IntegerType.get_signless(64)
