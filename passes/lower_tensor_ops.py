"""Ops of the tensor dialect become slices, reshapes and computed tensors."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from spyrec.mlir import arith, ir, linalg, tensor
from spyrec.ods import literals
from spyrec.passes.analysis import kernels, ops
from spyrec.passkit import Pass, PassContext


@dataclass
class LowerTensorOps(Pass):
    """Say everything about tensors with ``linalg.generic``, slices that are cut out or put in, and reshapes.

    What is computed at each place (``tensor.generate``, the border of ``tensor.pad``) is a ``linalg.generic`` that asks
    for its place; what consists of parts (``pad``, ``concat``, ``from_elements``, ``insert``, a constant of different
    numbers) puts them in one after the other.

    IR before::

        %g = tensor.generate { ^bb0(%i: index): ... tensor.yield %v : f32 } : tensor<64xf32>
        %r = tensor.reshape %x(%shape) : (tensor<4x1x8xf16>, tensor<2xindex>) -> tensor<4x8xf16>
        %p = tensor.concat dim(0) %a, %b : (tensor<4xf32>, tensor<2xf32>) -> tensor<6xf32>

    IR after::

        %g = linalg.generic {...} outs(%e : tensor<64xf32>) { ^bb0(%o: f32): %i = linalg.index 0 : index ...
        %f = tensor.collapse_shape %x [[0, 1, 2]] : tensor<4x1x8xf16> into tensor<32xf16>
        %r = tensor.expand_shape %f [[0, 1]] output_shape [4, 8] : tensor<32xf16> into tensor<4x8xf16>
        %q = tensor.insert_slice %a into %e6[0] [4] [1] : tensor<4xf32> into tensor<6xf32>
        %p = tensor.insert_slice %b into %q[4] [2] [1] : tensor<2xf32> into tensor<6xf32>

    A slice of one element gets the step 1 there. Leaves alone ``tensor.splat`` and constants of one number, which
    ``scalars-to-tensors`` fills, and what is read as a scalar. Refuses nothing: ``legality`` has refused what has no
    static shape.
    """

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        for inner in kernels.walk(op):
            rule = _RULES.get(inner.name)
            if rule is None or not inner.results:
                continue
            with ir.InsertionPoint(inner):
                new = rule(inner)
            if new is not None:
                inner.results[0].replace_all_uses_with(new)
                inner.erase()
                ctx.statistics["ops lowered"] += 1
        for inner in kernels.walk(op):
            # The shape that a reshape read.
            if inner.name == "arith.constant" and not kernels.is_used(inner) and _type(inner.results[0]) is not None:
                inner.erase()


def _type(value: ir.Value) -> ir.RankedTensorType | None:
    return value.type if isinstance(value.type, ir.RankedTensorType) else None


def _shape(value: ir.Value) -> list[int]:
    return list(ir.RankedTensorType(value.type).shape)


def _computed(op: ir.Operation, type_: ir.RankedTensorType) -> ir.Value:
    """The elements that the body of ``op`` yields for each place of ``type_``."""
    source = op.regions[0].blocks[0]

    def body(_: object) -> list[ir.Value]:
        block = ir.InsertionPoint.current.block
        for argument in source.arguments:
            argument.replace_all_uses_with(linalg.IndexOp(argument.arg_number, loc=op.location).result)
        *computing, end = [view.operation for view in source.operations]
        for inner in computing:
            block.append(inner)
        return list(end.operands)

    identity = ir.AffineMap.get_identity(type_.rank)
    return ops.generic([], [ops.empty(type_, op.location)], [identity], op.location, body).results[0]


def _generate(op: ir.Operation) -> ir.Value:
    return _computed(op, ir.RankedTensorType(op.results[0].type))


def _pad(op: ir.Operation) -> ir.Value:
    low = iter(list(op.operands)[1 : 1 + ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])[1]])
    at = [n if n >= 0 else next(low) for n in ir.DenseI64ArrayAttr(op.attributes["static_low"])]
    source = op.operands[0]
    border = _computed(op, ir.RankedTensorType(op.results[0].type))
    return ops.insert_slice(source, border, at, op.location)


def _concat(op: ir.Operation) -> ir.Value:
    axis = ir.IntegerAttr(op.attributes["dim"]).value
    whole = ops.empty(ir.RankedTensorType(op.results[0].type), op.location)
    at = [0] * len(_shape(op.results[0]))
    for part in op.operands:
        whole = ops.insert_slice(part, whole, at, op.location)
        at[axis] += _shape(part)[axis]
    return whole


def _reshape(op: ir.Operation) -> ir.Value:
    source, result = op.operands[0], ir.RankedTensorType(op.results[0].type)
    shape = list(result.shape)
    if _shape(source) == shape:
        return source
    with op.location:
        flat = ir.RankedTensorType.get([math.prod(shape)] if shape else [], result.element_type)
    groups = [list(range(len(_shape(source))))] if shape and _shape(source) else []
    line: ir.Value = source
    if len(_shape(source)) != 1 or not shape:
        if not _shape(source):  # rank 0 has no dimension to collapse
            return _expanded(source, result, [], op.location)
        line = tensor.CollapseShapeOp(flat, source, groups, loc=op.location).result
    return line if len(shape) <= 1 else _expanded(line, result, [list(range(len(shape)))], op.location)


def _expanded(value: ir.Value, type_: ir.RankedTensorType, groups: list[list[int]], location: ir.Location) -> ir.Value:
    made: ir.Value = tensor.ExpandShapeOp(type_, value, groups, [], list(type_.shape), loc=location).result
    return made


def _insert(op: ir.Operation) -> ir.Value:
    scalar, into, *at = op.operands
    if not at:
        return ops.point(scalar, op.location)
    return ops.insert_slice(ops.point(scalar, op.location), into, at, op.location, sizes=[1] * len(at))


def _assembled(type_: ir.RankedTensorType, scalars: list[ir.Value], location: ir.Location) -> ir.Value:
    """A tensor of ``scalars`` in row-major order: filled with the most frequent one, the others put in."""
    if not scalars:
        return ops.empty(type_, location)
    most, count = Counter(scalars).most_common(1)[0]
    whole = ops.fill(most, type_, location) if count > 1 or len(scalars) == 1 else ops.empty(type_, location)
    shape = list(type_.shape)
    for number, scalar in enumerate(scalars):
        if scalar == most and (count > 1 or len(scalars) == 1):
            continue
        at = [number // math.prod(shape[d + 1 :]) % shape[d] for d in range(len(shape))]
        whole = ops.insert_slice(ops.point(scalar, location), whole, at, location, sizes=[1] * len(shape))
    return whole


def _from_elements(op: ir.Operation) -> ir.Value:
    return _assembled(ir.RankedTensorType(op.results[0].type), list(op.operands), op.location)


def _constant(op: ir.Operation) -> ir.Value | None:
    """A constant of different numbers."""
    attribute, type_ = op.attributes["value"], _type(op.results[0])
    if type_ is None or not isinstance(attribute, ir.DenseElementsAttr) or attribute.is_splat:
        return None
    if all(use.owner.operation.name == "tensor.reshape" for use in op.results[0].uses):
        return None
    element = type_.element_type
    with op.location:
        values = [literals.attribute(element, number) for number in literals.dense(attribute).reshape(-1)]
    made = {value: ops.constant(element, value, op.location) for value in dict.fromkeys(values)}
    return _assembled(type_, [made[value] for value in values], op.location)


def _unit_steps(op: ir.Operation) -> None:
    """A slice has no step where it has one element: upstream takes slices that differ in such a step for different
    ones.
    """
    sizes, steps = (list(ir.DenseI64ArrayAttr(op.attributes[f"static_{name}"])) for name in ("sizes", "strides"))
    steps = [1 if size == 1 else step for size, step in zip(sizes, steps, strict=True)]
    op.attributes["static_strides"] = ir.DenseI64ArrayAttr.get(steps)


def _cast(op: ir.Operation) -> ir.Value | None:
    return op.operands[0] if op.operands[0].type == op.results[0].type else None


def _dim(op: ir.Operation) -> ir.Value | None:
    maker = kernels.defining(op.operands[1])
    if maker is None or maker.name != "arith.constant":
        return None
    shape, index = _shape(op.operands[0]), ir.IntegerAttr(maker.attributes["value"]).value
    return ops.index_constant(shape[index], op.location) if 0 <= index < len(shape) else None


def _rank(op: ir.Operation) -> ir.Value:
    return ops.index_constant(len(_shape(op.operands[0])), op.location)


def _bitcast(op: ir.Operation) -> ir.Value:
    type_ = ir.RankedTensorType(op.results[0].type)
    identity = ir.AffineMap.get_identity(type_.rank)
    empty = ops.empty(type_, op.location)
    return ops.generic(
        [op.operands[0]],
        [empty],
        [identity, identity],
        op.location,
        lambda block: [arith.BitcastOp(type_.element_type, block[0], loc=op.location).result],
    ).results[0]


_RULES: dict[str, Callable[[ir.Operation], ir.Value | None]] = {
    "arith.constant": _constant,
    "tensor.bitcast": _bitcast,
    "tensor.cast": _cast,
    "tensor.concat": _concat,
    "tensor.dim": _dim,
    "tensor.extract_slice": _unit_steps,
    "tensor.from_elements": _from_elements,
    "tensor.generate": _generate,
    "tensor.insert": _insert,
    "tensor.insert_slice": _unit_steps,
    "tensor.pad": _pad,
    "tensor.rank": _rank,
    "tensor.reshape": _reshape,
}
