"""Meaning of the ``memref`` dialect on buffers in scratchpad: pieces of them share their memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from spyrec.interp.faults import Fault
from spyrec.interp.machine import Frame, Run, Scope, meaning
from spyrec.interp.tensor import groups, kept_dimensions, mixed, slices
from spyrec.interp.values import Buffer, as_array, as_value, defined, element_of
from spyrec.mlir import ir
from spyrec.ods.checks import DYNAMIC


@meaning("memref.alloc", "memref.alloca")
def alloc(op: ir.Operation, scope: Scope) -> Run:
    shaped, element = ir.ShapedType(op.results[0].type), element_of(op.results[0].type)

    def run(frame: Frame, *sizes: int) -> Buffer:
        dynamic = iter(sizes)
        return Buffer.unwritten(tuple(next(dynamic) if n == DYNAMIC else n for n in shaped.shape), element)

    return run


@meaning("memref.dealloc")
def dealloc(op: ir.Operation, scope: Scope) -> Run:
    return lambda frame, buffer: None


@meaning("memref.cast", "memref.memory_space_cast")
def cast(op: ir.Operation, scope: Scope) -> Run:
    return lambda frame, buffer: buffer


@meaning("memref.dim")
def dim(op: ir.Operation, scope: Scope) -> Run:
    def run(frame: Frame, buffer: Buffer, index: int) -> int:
        if not 0 <= index < buffer.data.ndim:
            raise Fault("index-out-of-range", f"dimension {index} is asked of a buffer with {buffer.data.ndim}")
        return int(buffer.data.shape[index])

    return run


@meaning("memref.copy")
def copy(op: ir.Operation, scope: Scope) -> Run:
    def run(frame: Frame, source: Buffer, target: Buffer) -> None:
        target.data[...] = defined(source, "the source")
        target.holes[...] = False

    return run


@meaning("memref.subview")
def subview(op: ir.Operation, scope: Scope) -> Run:
    kept = kept_dimensions(op)

    def run(frame: Frame, *operands: Any) -> Buffer:
        (source,), *lists = groups(op, operands)
        names = ("static_offsets", "static_sizes", "static_strides")
        offsets, sizes, strides = (mixed(op, n, v) for n, v in zip(names, lists, strict=True))
        place = slices(source.data.shape, offsets, sizes, strides)
        drop = tuple(d for d in range(len(sizes)) if d not in kept)
        return Buffer(np.squeeze(source.data[place], drop), np.squeeze(source.holes[place], drop))

    return run


@meaning("memref.expand_shape", "memref.collapse_shape")
def reshape(op: ir.Operation, scope: Scope) -> Run:
    result = op.results[0].type

    def run(frame: Frame, source: Buffer, *sizes: int) -> Buffer:
        dynamic = iter(sizes)
        shape = tuple(next(dynamic) if n == DYNAMIC else n for n in ir.ShapedType(result).shape)
        data, holes = source.data.reshape(shape), source.holes.reshape(shape)
        if not np.shares_memory(data, source.data) and data.size:
            raise Fault("unsupported-op", "a buffer that is not contiguous cannot take this shape in place")
        return Buffer(data, holes)

    return run


def _place(buffer: Buffer, indices: tuple[int, ...]) -> tuple[int, ...]:
    for d, (i, extent) in enumerate(zip(indices, buffer.data.shape, strict=True)):
        if not 0 <= i < extent:
            raise Fault(
                "index-out-of-range", f"index {i} of dimension {d} is outside of 0..{extent - 1}", f"indices[{d}]"
            )
    return indices


@meaning("memref.load")
def load(op: ir.Operation, scope: Scope) -> Run:
    result = op.results[0].type

    def run(frame: Frame, buffer: Buffer, *indices: int) -> Any:
        place = _place(buffer, indices)
        if buffer.holes[place]:
            raise Fault("undefined-value", f"element {list(place)} is read, but has never been written")
        return as_value(np.asarray(buffer.data[place]), result)

    return run


@meaning("memref.store")
def store(op: ir.Operation, scope: Scope) -> Run:
    element = element_of(op.operands[0].type)

    def run(frame: Frame, value: Any, buffer: Buffer, *indices: int) -> None:
        place = _place(buffer, indices)
        buffer.data[place] = as_array(value, element)
        buffer.holes[place] = False

    return run
