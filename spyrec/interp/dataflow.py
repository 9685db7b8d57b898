"""Meaning of ``dataflow`` ops at the ``kernel`` and ``schedule`` stages, where a tile is one sequential program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from spyrec import numerics
from spyrec.dialects import dataflow
from spyrec.interp import compute
from spyrec.interp.machine import Frame, Run, Scope, meaning
from spyrec.interp.memory import Memory
from spyrec.interp.values import Buffer, Tensor, defined, element_of, static_shape
from spyrec.mlir import ir
from spyrec.ods.checks import DYNAMIC

__all__ = ["compute"]


@meaning("dataflow.tile_id")
def tile_id(op: ir.Operation, scope: Scope) -> Run:
    return lambda frame: frame.tile.number


@dataclass(frozen=True)
class Box:
    """A strided box of a memory as an op states it; strides count elements, dynamic ones are operands."""

    on_device: bool
    strides: tuple[int, ...]
    element: str

    def memory(self, frame: Frame) -> Memory:
        """Device memory, or the executing core's scratchpad."""
        return frame.tile.device if self.on_device else frame.tile.scratchpad

    def place(self, base: int, offset: int, dynamic: Sequence[int]) -> tuple[int, tuple[int, ...]]:
        """Byte address of the first element and strides in bytes."""
        size, values = numerics.sizeof(self.element), iter(dynamic)
        return int(base) + size * int(offset), tuple(size * (next(values) if s == DYNAMIC else s) for s in self.strides)


def _on_device(space: ir.Attribute) -> bool:
    return ir.FlatSymbolRefAttr(space).value == "device"


@meaning("dataflow.read")
def read(op: ir.Operation, scope: Scope) -> Run:
    view = dataflow.ReadOp(op)
    box = Box(_on_device(view.space), tuple(view.static_strides), element_of(view.result.type))
    shape, has_base = static_shape(view.result.type), view.base is not None

    def run(frame: Frame, *operands: int) -> Tensor:
        base, offset, *dynamic = operands if has_base else (0, *operands)
        address, strides = box.place(base, offset, dynamic)
        assert shape is not None
        return Tensor(box.memory(frame).read(address, shape, strides, box.element, frame.tile.access(op)))

    return run


@meaning("dataflow.write")
def write(op: ir.Operation, scope: Scope) -> Run:
    view = dataflow.WriteOp(op)
    box = Box(_on_device(view.space), tuple(view.static_strides), element_of(view.value.type))
    has_base = view.base is not None

    def run(frame: Frame, value: Tensor, *operands: int) -> None:
        base, offset, *dynamic = operands if has_base else (0, *operands)
        address, strides = box.place(base, offset, dynamic)
        data = defined(value, "the written tensor")
        box.memory(frame).write(address, data.shape, strides, data, box.element, frame.tile.access(op))

    return run


@meaning("dataflow.alloc")
def alloc(op: ir.Operation, scope: Scope) -> Run:
    type_ = op.results[0].type
    shape, element = static_shape(type_), element_of(type_)

    def run(frame: Frame) -> Buffer:
        assert shape is not None
        return Buffer.unwritten(shape, element)

    return run


@meaning("dataflow.data_transfer")
def data_transfer(op: ir.Operation, scope: Scope) -> Run:
    transfer = dataflow.DataTransferOp(op)
    buffer = transfer.source if transfer.source is not None else transfer.dest
    assert buffer is not None
    element = element_of(buffer.type)

    def side(name: str) -> tuple[Box | None, int, bool]:
        """One side: its box (None: a buffer), how many operands it has, whether a base is among them."""
        if getattr(transfer, name) is not None:
            return None, 1, False
        box = Box(_on_device(getattr(transfer, f"{name}_space")), tuple(getattr(transfer, f"{name}_strides")), element)
        has_base = getattr(transfer, f"{name}_base") is not None
        return box, 1 + has_base + len(getattr(transfer, f"{name}_dyn_strides")), has_base

    (source, count, source_base), (dest, _, dest_base) = side("source"), side("dest")

    def place(box: Box, has_base: bool, operands: Sequence[Any]) -> tuple[int, tuple[int, ...]]:
        base, offset, *dynamic = operands if has_base else (0, *operands)
        return box.place(base, offset, dynamic)

    def run(frame: Frame, *operands: Any) -> None:
        from_, to = operands[:count], operands[count:]
        if source is None:
            data = defined(from_[0], "the source")
        else:
            address, strides = place(source, source_base, from_)
            data = source.memory(frame).read(address, to[0].data.shape, strides, element, frame.tile.access(op))
        if dest is None:
            to[0].data[...] = data
            to[0].holes[...] = False
        else:
            address, strides = place(dest, dest_base, to)
            dest.memory(frame).write(address, data.shape, strides, data, element, frame.tile.access(op))

    return run
