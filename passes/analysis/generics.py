"""Rebuilding ``linalg.generic`` with other inputs."""

from __future__ import annotations

from collections.abc import Sequence

from spyrec.mlir import ir, linalg
from spyrec.passes.analysis import kernels, ops


def captured(op: ir.Operation) -> list[ir.Value]:
    """Values from outside that the regions of ``op`` use, in order."""
    blocks = [block for region in op.regions for block in region.blocks]
    inside: set[ir.Value] = {argument for block in blocks for argument in block.arguments}
    used: dict[ir.Value, None] = {}
    for inner in kernels.walk(op):
        used.update(dict.fromkeys(inner.operands))
        inside.update(inner.results)
        inside.update(a for region in inner.regions for block in region.blocks for a in block.arguments)
    return [value for value in used if value not in inside]


def add_inputs(op: ir.Operation, scalars: Sequence[ir.Value], tensors: Sequence[ir.Value]) -> ir.Operation:
    """Let the body of ``op`` take what it captures (``scalars``) from ``tensors`` of rank 0, its last inputs."""
    operands = list(op.operands)
    inputs = ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])[0]
    maps = list(ir.ArrayAttr(op.attributes["indexing_maps"]))
    loops = ir.AffineMapAttr(maps[0]).value.n_dims
    scalar = ir.AffineMapAttr.get(ir.AffineMap.get(loops, 0, []))
    new = rebuilt(
        op,
        [*operands[:inputs], *tensors],
        operands[inputs:],
        [*maps[:inputs], *[scalar] * len(tensors), *maps[inputs:]],
    )
    before = list(op.regions[0].blocks[0].arguments)
    elements = [ops.element(value) for value in new.operands]
    taken = [op.location] * len(tensors)
    places = [argument.location for argument in before]
    body = new.regions[0].blocks.append(*elements, arg_locs=[*places[:inputs], *taken, *places[inputs:]])
    after = list(body.arguments)
    for old, argument in zip(before, [*after[:inputs], *after[inputs + len(tensors) :]], strict=True):
        old.replace_all_uses_with(argument)
    for scalar_value, argument in zip(scalars, after[inputs:], strict=False):
        for use in list(scalar_value.uses):
            if kernels.parent(use.owner.operation) == op:
                use.owner.operation.operands[use.operand_number] = argument
    for view in list(op.regions[0].blocks[0].operations):
        body.append(view.operation)
    replace(op, new)
    return new


def rebuilt(
    op: ir.Operation, inputs: Sequence[ir.Value], outputs: Sequence[ir.Value], maps: Sequence[ir.Attribute]
) -> ir.Operation:
    """A ``linalg.generic`` like ``op``, before it, with other operands and without a body yet."""
    with ir.InsertionPoint(op):
        new: ir.Operation = linalg.GenericOp(
            [value.type for value in outputs if isinstance(value.type, ir.RankedTensorType)],
            list(inputs),
            list(outputs),
            ir.ArrayAttr.get(list(maps)),
            op.attributes["iterator_types"],
            loc=op.location,
        ).operation
    for named in op.attributes:
        if "." in named:
            new.attributes[named] = op.attributes[named]
    return new


def replace(op: ir.Operation, new: ir.Operation) -> None:
    """Use the results of ``new`` for those of ``op``, and erase it."""
    for old, result in zip(op.results, new.results, strict=True):
        old.replace_all_uses_with(result)
    op.erase()
