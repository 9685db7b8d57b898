"""Integer address arithmetic as affine maps of tile id, loop counters and arguments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from spyrec.mlir import ir
from spyrec.passes.analysis import kernels, ops, scalars, support
from spyrec.passes.analysis.index_values import IndexValues
from spyrec.passes.analysis.linear import Leaf, Linear
from spyrec.passkit import Pass, PassContext

_UNSIGNED = {"arith.divui": "arith.divsi", "arith.remui": "arith.remsi", "arith.ceildivui": "arith.ceildivsi"}
_SIGNED_PREDICATE = {6: 2, 7: 3, 8: 4, 9: 5}
"""arith.cmpi: ult, ule, ugt, uge and their signed counterparts."""


@dataclass
class SimplifyIndices(Pass):
    """Replace integer arithmetic by what it is known to compute.

    Frontends compute addresses and conditions in i32, divide and take remainders that ranges show to be superfluous,
    and recompute the same number in several ways. After this pass every integer that has an affine form is one
    ``affine.apply`` of the values that have none, comparisons are of ``index`` values, and unsigned operations on what
    is never negative are signed (the units' ALU is).

    IR before, in a kernel on 32 tiles::

        %t = arith.index_cast %tile : index to i32
        %o = arith.muli %t, %c128 : i32
        %q = arith.divsi %o, %c64 : i32
        %r = arith.index_cast %q : i32 to index

    IR after::

        %r = affine.apply affine_map<(d0) -> (d0 * 2)>(%tile)

    What may wrap around, divide by what varies, or depends on floats stays as it is. Refuses nothing.
    """

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        if not kernels.has_body(op):
            return
        values = IndexValues(op, implicit_tiles=ctx.device.cores)
        for inner in list(scalars.outside_bodies(op)):
            if _is_candidate(inner):
                _simplify(inner, values)
        ctx.statistics["ops removed"] += scalars.erase_dead(op)


def _is_candidate(op: ir.Operation) -> bool:
    if op.name not in support.SCALAR_OPS or op.name == "arith.constant":
        return False
    type_ = op.results[0].type
    return isinstance(type_, ir.IndexType | ir.IntegerType)


def _simplify(op: ir.Operation, values: IndexValues) -> None:
    result = op.results[0]
    form = values.form(result)
    itself = len(form.terms) == 1 and form.constant == 0 and _stands_for(form, result, values)
    with ir.InsertionPoint(op):
        if not itself:
            _replace(result, values.materialize(form, op.location), op.location)
        elif op.name == "arith.cmpi":
            _compare(op, values)
        elif op.name in _UNSIGNED and all(values.interval(operand).low >= 0 for operand in op.operands):
            signed = ir.Operation.create(
                _UNSIGNED[op.name], results=[result.type], operands=list(op.operands), loc=op.location
            )
            values.substitute(result, signed.results[0])


def _stands_for(form: Linear, value: ir.Value, values: IndexValues) -> bool:
    """Whether the one term of ``form`` is the leaf that was made for ``value`` itself."""
    atom, factor = form.terms[0]
    return isinstance(atom, Leaf) and factor == 1 and values.value(atom) == value


def _replace(old: ir.Value, new: ir.Value, location: ir.Location) -> None:
    """Use the ``index`` value ``new`` for ``old``, of whatever integer type that is."""
    if isinstance(old.type, ir.IntegerType):
        maker = kernels.defining(new)
        if maker is not None and maker.name == "arith.constant":
            new = ops.constant(old.type, ir.IntegerAttr(maker.attributes["value"]).value, location)
        elif old.type.width == 1:
            return
        else:
            new = ops.index_cast(new, old.type, location)
    if new != old:
        old.replace_all_uses_with(new)


def _compare(op: ir.Operation, values: IndexValues) -> None:
    """A comparison of ``index`` values, signed where unsigned order says the same."""
    left, right = op.operands
    if isinstance(left.type, ir.IntegerType) and left.type.width == 1:
        return
    predicate = ir.IntegerAttr(op.attributes["predicate"]).value
    if predicate in _SIGNED_PREDICATE:
        if values.interval(left).low < 0 or values.interval(right).low < 0:
            return
        predicate = _SIGNED_PREDICATE[predicate]
    elif isinstance(left.type, ir.IndexType):
        return
    operands = [values.materialize(values.form(operand), op.location) for operand in (left, right)]
    compared = ops.compare(predicate, operands[0], operands[1], op.location)
    values.substitute(op.results[0], compared)
