"""Making ``linalg.generic`` ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spyrec.mlir import ir, linalg


def build(
    inputs: Sequence[ir.Value],
    outputs: Sequence[ir.Value],
    maps: Sequence[ir.AffineMap],
    location: ir.Location,
    body: Callable[[Sequence[ir.BlockArgument]], Sequence[ir.Value]],
) -> ir.Operation:
    """A generic op whose loops are all parallel, at the current insertion point.

    ``body`` is called inside the block with its arguments (one per input, then one per output) and returns what it
    yields. On tensors the op has one result per output, on memrefs none."""
    parallel = ir.Attribute.parse("#linalg.iterator_type<parallel>")
    results = [value.type for value in outputs if isinstance(value.type, ir.RankedTensorType)]
    op: ir.Operation = linalg.GenericOp(
        results,
        list(inputs),
        list(outputs),
        ir.ArrayAttr.get([ir.AffineMapAttr.get(map_) for map_ in maps]),
        ir.ArrayAttr.get([parallel] * maps[-1].n_dims),
        loc=location,
    ).operation
    elements = [element(value) for value in [*inputs, *outputs]]
    block = op.regions[0].blocks.append(*elements, arg_locs=[location] * len(elements))
    with ir.InsertionPoint(block):
        linalg.YieldOp(list(body(list(block.arguments))), loc=location)
    return op


def element(value: ir.Value) -> ir.Type:
    """Element type of a tensor or memref, or the type of a scalar."""
    type_ = value.type
    return type_.element_type if isinstance(type_, ir.RankedTensorType | ir.MemRefType) else type_
