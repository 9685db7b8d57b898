"""Meaning of ``dataflow`` ops at the ``kernel`` and ``schedule`` stages, where a tile is one sequential program."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spyrec import numerics
from spyrec.dialects import dataflow
from spyrec.interp import compute, transfers
from spyrec.interp.affine import map_function
from spyrec.interp.cores import cores_of
from spyrec.interp.faults import Fault
from spyrec.interp.machine import Frame, Run, Scope, meaning
from spyrec.interp.memory import Memory
from spyrec.interp.moves import BufferSide, MemorySide, Offsets, Region, Side, SpecialOperands, checked, pattern
from spyrec.interp.values import Buffer, Tensor, defined, element_of, static_shape
from spyrec.mlir import ir
from spyrec.ods.checks import DYNAMIC

__all__ = ["compute", "transfers"]


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
    reached = any(_reaches(use.owner.operation, op.results[0]) for use in op.results[0].uses)

    def run(frame: Frame) -> Buffer:
        assert shape is not None
        if reached:
            return cores_of(frame.tile).allocate(op, frame.tile.number, shape, element)
        return Buffer.unwritten(shape, element)

    return run


def _reaches(op: ir.Operation, buffer: ir.Value) -> bool:
    """Whether a transfer touches this buffer in another core."""
    if op.name != "dataflow.data_transfer":
        return False
    view = dataflow.DataTransferOp(op)
    ends = ((view.get_from, view.source), (view.put_to, view.dest))
    return any(core is not None and end is not None and end == buffer for core, end in ends)


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

    if not transfer.is_plain:
        return _special(op, transfer, element)
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


def _special(op: ir.Operation, transfer: dataflow.DataTransferOp, element: str) -> Run:
    """A transfer with a clip, another core, or lists of indices, point by point."""
    buffer = transfer.source if transfer.source is not None else transfer.dest
    assert buffer is not None
    shape = static_shape(buffer.type)
    assert shape is not None
    size, operands_of = numerics.sizeof(element), SpecialOperands(transfer)
    sides = {name: _End(transfer, name, shape, element) for name in ("source", "dest")}
    lists = [
        _List(ir.StringAttr(side).value, ir.AffineMapAttr(map_).value, scale)
        for side, map_, scale in zip(
            transfer.index_sides or (), transfer.index_maps or (), transfer.index_scales or (), strict=True
        )
    ]

    def run(frame: Frame, *operands: Any) -> None:
        split = sides["source"].operands
        ends = {"source": operands[:split], "dest": operands[split : split + sides["dest"].operands]}
        special = operands_of.take(operands[split + sides["dest"].operands :])
        region = Region.of(shape, special.lower, special.upper)
        own = frame.tile.number
        source = sides["source"].at(op, frame, ends["source"], own if special.get_from is None else special.get_from)
        offsets = {name: region.offsets(sides[name].strides(ends[name])) for name in sides}
        for number, (list_, values) in enumerate(zip(lists, special.indices, strict=True)):
            scale = list_.scale * (size if sides[list_.side].in_bytes else 1)
            offsets[list_.side] = offsets[list_.side] + scale * list_.read(
                region, values, special.limits[number], number
            )
        moved = source.gather(offsets["source"])
        for core in operands_of.cores(special, own):
            dest = sides["dest"].at(op, frame, ends["dest"], core)
            if operands_of.fill is not None:
                whole = Region.of(shape, None, None).offsets(sides["dest"].strides(ends["dest"]))
                dest.scatter(whole, pattern(operands_of.fill, element))
            dest.scatter(offsets["dest"], moved)

    return run


class _End:
    """One side of a special transfer."""

    def __init__(self, transfer: dataflow.DataTransferOp, name: str, shape: tuple[int, ...], element: str) -> None:
        self._buffer = getattr(transfer, name)
        self._name, self._shape, self._element = name, shape, element
        self.in_bytes = self._buffer is None
        if self.in_bytes:
            space = getattr(transfer, f"{name}_space")
            self._box = Box(_on_device(space), tuple(getattr(transfer, f"{name}_strides")), element)
            self._has_base = getattr(transfer, f"{name}_base") is not None
            self.operands = 1 + self._has_base + len(getattr(transfer, f"{name}_dyn_strides"))
        else:
            self.operands = 1

    def _place(self, operands: Sequence[Any]) -> tuple[int, tuple[int, ...]]:
        base, offset, *dynamic = operands if self._has_base else (0, *operands)
        return self._box.place(base, offset, dynamic)

    def strides(self, operands: Sequence[Any]) -> tuple[int, ...]:
        """In elements of a buffer, in bytes of a memory."""
        if self.in_bytes:
            return self._place(operands)[1]
        return tuple(math.prod(self._shape[d + 1 :]) for d in range(len(self._shape)))

    def at(self, op: ir.Operation, frame: Frame, operands: Sequence[Any], core: int) -> Side:
        """The side in core ``core``."""
        tile = frame.tile
        if core != tile.number:
            cores_of(tile).check(core, "get_from" if self._name == "source" else "put_to")
        if not self.in_bytes:
            held = operands[0]
            if core != tile.number:
                alloc = ir.OpResult(self._buffer).owner.operation
                held = cores_of(tile).instance(alloc, tile.number, core, self._shape, self._element)
            return BufferSide(held, self._name)
        memory = tile.device if self._box.on_device else tile.scratchpads(core)
        return MemorySide(memory, self._place(operands)[0], self._element, tile.access(op))


@dataclass(frozen=True)
class _List:
    """A list of indices: what side it moves, where the index of a point is, and what an index counts."""

    side: str
    map: ir.AffineMap
    scale: int

    def read(self, region: Region, values: Buffer, limit: int, number: int) -> Offsets:
        """The index of each point of ``region``."""
        grid = [
            (first + np.arange(count)).reshape([-1 if k == d else 1 for k in range(len(region.counts))])
            for d, (first, count) in enumerate(zip(region.first, region.counts, strict=True))
        ]
        places = tuple(np.asarray(p) for p in map_function(self.map)(grid, []))
        if values.holes[places].any():
            raise Fault("undefined-value", "an index is read that has never been written", f"indices[{number}]")
        found = np.broadcast_to(values.data[places], region.counts)
        return checked(found, limit, number)
