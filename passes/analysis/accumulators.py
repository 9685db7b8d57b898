"""What a loop carries of a fold that it does piece by piece: its type, where it starts, and what it is at the end.

Sums and products of elements narrower than f32 are carried in f32, so that what is rounded per piece is rounded where
f32 is, and to the type of the result once. All other folds are exact, or f32 and wider already.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spyrec.mlir import arith, ir
from spyrec.passes.analysis import kernels, ops
from spyrec.passes.analysis.folds import Fold, fold
from spyrec.passes.analysis.structured import structured
from spyrec.passes.analysis.tiling import combiner

IN_PARTS = "dataflow.sums_in_parts"
"""The attribute of a function in which a carried sum or product is rounded once per piece."""


def rounds(op: ir.Operation) -> bool:
    """Whether a loop that does the fold ``op`` piece by piece rounds once per piece: sums and products of floats do."""
    seen = structured(op)
    assert seen is not None
    found = [(combiner(op, k), ops.element(output)) for k, output in enumerate(seen.outputs)]
    return any(isinstance(type_, ir.FloatType) and c is not None and c.kind in ("add", "mul") for c, type_ in found)


def start(op: ir.Operation, position: int, instead: Mapping[ir.Value, ir.Value]) -> ir.Value:
    """What the loop starts with for an output of the fold ``op``, at the current insertion point; ``instead`` of some
    values others stand.
    """
    seen = structured(op)
    assert seen is not None
    init = instead.get(seen.outputs[position], seen.outputs[position])
    return _cast(init, _type(op, position), op.location)


def finish(carried: ir.Value, type_: ir.Type, location: ir.Location) -> ir.Value:
    """What the loop carried, as the fold's own type."""
    return _cast(carried, ir.RankedTensorType(type_).element_type, location)


def widen(op: ir.Operation, outputs: Sequence[ir.Value]) -> None:
    """Make the fold ``op`` add to ``outputs``, which may be wider than its own."""
    seen = structured(op)
    assert seen is not None
    end = kernels.terminator(seen.body)
    for position, output in enumerate(outputs):
        op.operands[len(seen.inputs) + position] = output
        op.results[position].set_type(output.type)
        accumulator = seen.output_argument(position)
        assert accumulator is not None
        wide = ir.RankedTensorType(output.type).element_type
        if wide == accumulator.type:
            continue
        found = fold(seen, position)
        assert found is not None
        with ir.InsertionPoint(found.op):
            accumulator.set_type(wide)
            operands: list[ir.Value] = [accumulator, accumulator]
            operands[found.position] = _wide_term(found, wide)
            new = ir.Operation.create(found.op.name, results=[wide], operands=operands, loc=found.op.location)
        end.operands[position] = new.results[0]
        if not kernels.is_used(found.op):
            found.op.erase()


def _wide_term(found: Fold, wide: ir.Type) -> ir.Value:
    """What is folded, in the wide type. A product under a sum is not rounded, so it is the factors that are cast."""
    parts: list[ir.Value] = [arith.ExtFOp(wide, part, loc=found.op.location).result for part in found.parts]
    if len(parts) == 1:
        return parts[0]
    assert found.product is not None
    result: ir.Value = arith.MulFOp(*parts, loc=found.product.location).result
    return result


def _type(op: ir.Operation, position: int) -> ir.Type:
    """The element type in which an output of a fold is carried."""
    found = combiner(op, position)
    seen = structured(op)
    assert found is not None
    assert seen is not None
    element = ops.element(seen.outputs[position])
    if isinstance(element, ir.FloatType) and found.kind in ("add", "mul") and element.width < 32:
        return ir.F32Type.get()
    return element


def _cast(value: ir.Value, element: ir.Type, location: ir.Location) -> ir.Value:
    old = ir.RankedTensorType(value.type)
    if old.element_type == element:
        return value
    cast = arith.ExtFOp if ir.FloatType(element).width > ir.FloatType(old.element_type).width else arith.TruncFOp
    type_ = ir.RankedTensorType.get(list(old.shape), element, loc=location)
    identity = ir.AffineMap.get_identity(old.rank)
    maps = [identity, identity]
    made = ops.generic(
        [value], [ops.empty(type_, location)], maps, location, lambda a: [cast(element, a[0], loc=location).result]
    )
    return made.results[0]
