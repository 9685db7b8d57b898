"""What is the same known number in every lane is computed now, by the rules of this compiler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from spyrec import numerics
from spyrec.mlir import arith, ir
from spyrec.ods import literals
from spyrec.passes.analysis import folds, kernels, ops
from spyrec.passes.analysis.structured import Structured, structured
from spyrec.passkit import Pass, PassContext

_Known = dict[ir.Value, numerics.Array]


@dataclass
class FoldConstants(Pass):
    """Evaluate operations on tensors of one constant with the compiler's own numerics.

    Upstream folds ``math`` operations on constants with the C library of the machine that compiles, whose last bit is
    not that of the executors and the simulator. So constants are folded here, by the same functions that execute them,
    before anything else gets to see them, also where they come through loops and ifs that upstream will dissolve;
    nothing is left for upstream to fold.

    IR before::

        %c = arith.constant dense<3.0> : tensor<4x64xf32>
        %t = math.tanh %c : tensor<4x64xf32>
        %r = linalg.generic {...} ins(%x : ...) outs(%e : ...) { ... %h = math.exp %two : f32 ... }

    IR after::

        %t = arith.constant dense<0.995054781> : tensor<4x64xf32>
        %r = linalg.generic {...} ins(%x : ...) outs(%e : ...) { ... %h = arith.constant 7.38905621 : f32 ... }

    Arithmetic right shifts by what may be the width or more, which give the sign, are bounded: upstream would take
    ``x >> x`` for 0.

    Leaves alone integer scalars outside of bodies, which ``simplify-indices`` deals with, products that a sum folds,
    which are not rounded, and divisions by zero. Refuses nothing.
    """

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        known: _Known = {}
        # Ops of a body come after the op that has it, and its yield after them; by then all that they use is known.
        for inner in kernels.walk(op):
            if inner.name == "arith.constant":
                _learn(inner.results[0], inner.attributes["value"], known)
            elif inner.name == "tensor.splat":
                ctx.statistics["ops folded"] += _replace(inner, known.get(inner.operands[0]), known)
            elif inner.name == "scf.for":
                _enter_loop(inner, known)
            elif inner.name == "scf.yield":
                _leave(inner, known)
            elif inner.name == "linalg.yield":
                ctx.statistics["ops folded"] += _finish(inner, known)
            elif (seen := structured(inner)) is not None:
                _enter(seen, known)
            elif inner.name in numerics.SCALAR_OPS:
                folded = 0
                if _has_lanes(inner) and not _is_summed(inner):
                    folded = _replace(inner, _evaluate(inner, known), known)
                    ctx.statistics["ops folded"] += folded
                if not folded and inner.name == "arith.shrsi":
                    ctx.statistics["shifts bounded"] += _bound(inner, known)


def _learn(result: ir.Value, attribute: ir.Attribute, known: _Known) -> None:
    """Note the value of a constant: a scalar, or a tensor that holds one number everywhere."""
    if isinstance(attribute, ir.DenseElementsAttr):
        if not attribute.is_splat:
            return
        attribute = attribute.get_splat_value()
    value = literals.scalar(attribute)
    if value is not None:
        known[result] = value


def _trips(loop: ir.Operation, known: _Known) -> int | None:
    """How often a loop runs, if that is known."""
    low, high, step = (known.get(operand) for operand in list(loop.operands)[:3])
    if low is None or high is None or step is None or int(step) <= 0 or "unsignedCmp" in loop.attributes:
        return None
    return len(range(int(low), int(high), int(step)))


def _enter_loop(loop: ir.Operation, known: _Known) -> None:
    """Let what a loop carries be its init, where upstream would put the init there: in a loop that runs once, and where
    every iteration hands on what it got.
    """
    once = _trips(loop, known) == 1
    block = loop.regions[0].blocks[0]
    end = kernels.terminator(block)
    inits = list(loop.operands)[3:]
    for argument, init, given in zip(list(block.arguments)[1:], inits, end.operands, strict=True):
        if init in known and (once or given in (argument, init)):
            known[argument] = known[init]


def _leave(end: ir.Operation, known: _Known) -> None:
    """What comes out of a loop that runs once or never, or of an if whose branch is known."""
    around = kernels.parent(end)
    assert around is not None
    given = list(end.operands)
    if around.name == "scf.for":
        trips = _trips(around, known)
        inits = list(around.operands)[3:]
        arguments = list(around.regions[0].blocks[0].arguments)[1:]
        for result, argument, init, value in zip(around.results, arguments, inits, given, strict=True):
            source = init if trips == 0 or value in (argument, init) else value if trips == 1 else None
            if source is not None and source in known:
                known[result] = known[source]
    elif around.name == "scf.if" and around.operands[0] in known:
        taken = around.regions[0 if bool(known[around.operands[0]]) else 1].blocks
        if len(taken) and taken[0] == end.block:
            known.update({r: known[v] for r, v in zip(around.results, given, strict=True) if v in known})


def _enter(op: Structured, known: _Known) -> None:
    """Let the arguments of a body be what is known of the operands."""
    if not op.is_parallel:
        return
    for argument, operand in zip(op.body.arguments, [*op.inputs, *op.outputs], strict=False):
        if operand in known:
            known[argument] = known[operand]


def _finish(op: ir.Operation, known: _Known) -> int:
    """At the end of a body: replace the op around it when all its results are known."""
    around = kernels.parent(op)
    seen = structured(around) if around is not None else None
    if seen is None or not seen.is_parallel or not seen.op.results:
        return 0
    values = [known.get(operand) for operand in op.operands]
    if any(value is None for value in values):
        return 0
    with ir.InsertionPoint(seen.op):
        for result, value in zip(seen.op.results, values, strict=True):
            assert value is not None
            result.replace_all_uses_with(_constant(result.type, value, seen.op.location, known))
    seen.op.erase()
    return 1


def _has_lanes(op: ir.Operation) -> bool:
    """Whether the op computes floats or tensors, or stands in a body."""
    around = kernels.parent(op)
    if around is not None and around.name.startswith("linalg."):
        return True
    return isinstance(op.results[0].type, ir.RankedTensorType | ir.FloatType)


def _is_summed(op: ir.Operation) -> bool:
    """Whether the op is a product that a sum folds: it is not rounded, and a constant would be."""
    around = kernels.parent(op)
    seen = structured(around) if op.name == folds.PRODUCT and around is not None else None
    if seen is None or seen.is_parallel:
        return False
    found = [folds.fold(seen, output) for output in range(len(seen.outputs))]
    products = [one.product for one in found if one is not None]
    return any(product is not None and product == op for product in products)


def _evaluate(op: ir.Operation, known: _Known) -> numerics.Array | None:
    """What ``op`` makes of constants; ``None`` when that is not known."""
    operands = [known.get(operand) for operand in op.operands]
    if op.name == "arith.select" and operands[0] is not None and operands[0].ndim == 0:
        return operands[1] if bool(operands[0]) else operands[2]
    attributes = {name: _plain(op.attributes[name]) for name in op.attributes}
    if any(operand is None for operand in operands):
        return None
    result = str(ops.element(op.results[0]))
    try:
        return numerics.apply(
            op.name, *(value for value in operands if value is not None), result_type=result, attrs=attributes
        )
    except numerics.NumericsError:
        return None


def _plain(attribute: ir.Attribute) -> object:
    number = isinstance(attribute, ir.IntegerAttr | ir.FloatAttr)
    return attribute.value if number else attribute  # type: ignore[attr-defined]


def _replace(op: ir.Operation, value: numerics.Array | None, known: _Known) -> int:
    """Put a constant in place of ``op``. Bodies of named ops are theirs to write: there the value is only noted."""
    if value is None:
        return 0
    known[op.results[0]] = value
    if _is_in_named(op):
        return 0
    with ir.InsertionPoint(op):
        op.results[0].replace_all_uses_with(_constant(op.results[0].type, value, op.location, known))
    op.erase()
    return 1


def _bound(shift: ir.Operation, known: _Known) -> int:
    """Keep an arithmetic right shift below the width, which changes nothing: a longer one gives the sign, too. To
    upstream a longer one is nothing at all, so that it takes ``x >> x`` for 0.
    """
    amount = shift.operands[1]
    width = numerics.scalar_type(str(ops.element(amount))).bits
    maker = kernels.defining(amount)
    limits = [amount, *(maker.operands if maker is not None and maker.name == "arith.minui" else ())]
    if any(limit in known and 0 <= int(known[limit]) < width for limit in limits) or _is_in_named(shift):
        return 0
    with ir.InsertionPoint(shift):
        most = np.asarray(width - 1).astype(numerics.dtype(str(ops.element(amount))))
        limit = _constant(amount.type, most, shift.location, known)
        shift.operands[1] = arith.MinUIOp(amount, limit, loc=shift.location).result
    return 1


def _is_in_named(op: ir.Operation) -> bool:
    """Whether ``op`` stands in the body of a named op, which is the op's to write."""
    around = kernels.parent(op)
    return around is not None and around.name.startswith("linalg.") and around.name != "linalg.generic"


def _constant(type_: ir.Type, value: numerics.Array, location: ir.Location, known: _Known) -> ir.Value:
    """``arith.constant`` of a scalar type, or of a tensor that holds ``value`` everywhere."""
    element = type_.element_type if isinstance(type_, ir.RankedTensorType) else type_
    with location:
        attribute = literals.attribute(element, value)
        if isinstance(type_, ir.RankedTensorType):
            attribute = ir.DenseElementsAttr.get_splat(type_, attribute)
    made = ops.constant(type_, attribute, location)
    known[made] = value
    return made
