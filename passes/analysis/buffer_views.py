"""Operands in LX: a buffer, or what ``memref.subview``, ``collapse_shape`` and ``expand_shape`` show of one."""

from __future__ import annotations

from spyrec.dialects.dataflow import VIEWS, AllocOp
from spyrec.mlir import ir
from spyrec.ods.checks import DYNAMIC
from spyrec.passes.analysis import kernels
from spyrec.passes.analysis.layouts import dense_strides
from spyrec.records import dataclass


@dataclass(frozen=True)
class BufferView:
    """``shape`` elements of the buffer ``root``, so many elements apart in each dimension.

    The first is ``offset`` elements from the buffer's first, plus ``factor * value`` for each of ``terms``.
    """

    root: ir.Value
    element_type: ir.Type
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int = 0
    terms: tuple[tuple[ir.Value, int], ...] = ()


def view_of(value: ir.Value) -> BufferView | None:
    """What ``value`` shows of which buffer; ``None`` for what does not come from a ``dataflow.alloc`` in this way, or
    has a size or stride that only the run knows.
    """
    op, memref = kernels.defining(value), value.type
    if op is None or not isinstance(memref, ir.MemRefType) or not memref.has_static_shape:
        return None
    shape = tuple(memref.shape)
    # MLIR gives no strides for arrays without elements.
    strides = dense_strides(shape, 1) if 0 in shape else tuple(memref.get_strides_and_offset()[0])
    if DYNAMIC in strides:
        return None
    if op.name == AllocOp.NAME:
        return BufferView(value, memref.element_type, shape, strides)
    source = view_of(op.operands[0]) if op.name in VIEWS else None
    if source is None:
        return None
    offset, terms = source.offset, list(source.terms)
    if op.name == "memref.subview":
        count = ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])[1]
        dynamic = iter(list(op.operands)[1 : 1 + count])
        for entry, stride in zip(ir.DenseI64ArrayAttr(op.attributes["static_offsets"]), source.strides, strict=True):
            if entry != DYNAMIC:
                offset += entry * stride
            else:
                terms.append((next(dynamic), stride))
    return BufferView(source.root, memref.element_type, shape, strides, offset, tuple(terms))
