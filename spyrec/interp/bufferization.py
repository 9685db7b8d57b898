"""Meaning of the ``bufferization`` dialect: where tensors will live, which says nothing about what they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from spyrec.interp.machine import Frame, Run, Scope, meaning
from spyrec.interp.tensor import groups, shape_of
from spyrec.interp.values import Buffer, Tensor, element_of
from spyrec.mlir import ir


@meaning("bufferization.alloc_tensor")
def alloc_tensor(op: ir.Operation, scope: Scope) -> Run:
    type_, element = op.results[0].type, element_of(op.results[0].type)

    def run(frame: Frame, *operands: Any) -> Tensor:
        sizes, copied, _ = groups(op, operands)
        return copied[0] if copied else Tensor.empty(shape_of(type_, sizes), element)

    return run


@meaning("bufferization.materialize_in_destination")
def materialize(op: ir.Operation, scope: Scope) -> Run:
    return lambda frame, source, place: source


@meaning("bufferization.to_tensor")
def to_tensor(op: ir.Operation, scope: Scope) -> Run:
    """The buffer's elements at this time: nobody else changes it (``restrict``), or the tensor is used before."""
    return lambda frame, buffer: Tensor(np.array(buffer.data), np.array(buffer.holes))


@meaning("bufferization.to_buffer")
def to_buffer(op: ir.Operation, scope: Scope) -> Run:
    """A buffer of its own with the tensor's elements."""

    def run(frame: Frame, tensor: Tensor) -> Buffer:
        holes = np.zeros(tensor.data.shape, bool) if tensor.holes is None else np.array(tensor.holes)
        return Buffer(np.array(tensor.data), holes)

    return run
