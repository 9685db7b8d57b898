"""Meaning of ``dataflow`` ops at the ``kernel`` and ``schedule`` stages, where a tile is one sequential program."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from spyrec import numerics
from spyrec.dialects import dataflow
from spyrec.interp import boxes, compute, transfers
from spyrec.interp.boxes import Box, List
from spyrec.interp.cores import cores_of
from spyrec.interp.machine import Frame, Run, Scope, meaning
from spyrec.interp.moves import BufferSide, MemorySide, Region, Side, SpecialOperands, pattern
from spyrec.interp.values import Buffer, defined, element_of, static_shape
from spyrec.mlir import ir

__all__ = ["boxes", "compute", "transfers"]


@meaning("dataflow.tile_id")
def tile_id(op: ir.Operation, scope: Scope) -> Run:
    return lambda frame: frame.tile.number


@meaning("dataflow.kept")
def kept(op: ir.Operation, scope: Scope) -> Run:
    return lambda frame, value: value


@meaning("dataflow.alloc")
def alloc(op: ir.Operation, scope: Scope) -> Run:
    type_ = op.results[0].type
    shape, element = static_shape(type_), element_of(type_)
    reached = _is_reached(op.results[0])

    def run(frame: Frame) -> Buffer:
        assert shape is not None
        if reached:
            return cores_of(frame.tile).allocate(op, frame.tile.number, shape, element)
        return Buffer.unwritten(shape, element)

    return run


def _is_reached(buffer: ir.Value) -> bool:
    """Whether a transfer touches this buffer, or a view of it, in another core."""
    users = [use.owner.operation for use in buffer.uses]
    views = (op for op in users if op.name in dataflow.VIEWS)
    return any(_reaches(op, buffer) for op in users) or any(_is_reached(op.results[0]) for op in views)


def _reaches(op: ir.Operation, buffer: ir.Value) -> bool:
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
        box = Box.of(getattr(transfer, f"{name}_space"), getattr(transfer, f"{name}_strides"), element)
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
        (ir.StringAttr(side).value, List(ir.AffineMapAttr(map_).value, scale, number))
        for number, (side, map_, scale) in enumerate(
            zip(transfer.index_sides or (), transfer.index_maps or (), transfer.index_scales or (), strict=True)
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
        for (side, list_), values, limit in zip(lists, special.indices, special.limits, strict=True):
            scale = list_.scale * (size if sides[side].in_bytes else 1)
            offsets[side] = offsets[side] + scale * list_.read(region, values.data, values.holes, limit)
        moved = source.gather(offsets["source"])
        for core in operands_of.cores(special, own):
            dest = sides["dest"].at(op, frame, ends["dest"], core)
            if operands_of.fill is not None:
                whole = Region.of(shape, None, None).offsets(sides["dest"].strides(ends["dest"]))
                dest.scatter(whole, pattern(operands_of.fill, element))
            dest.scatter(offsets["dest"], moved)

    return run


def _allocation(buffer: ir.Value) -> ir.Operation:
    """The op that makes a buffer, or the one that ``buffer`` is a view of."""
    op = ir.OpResult(buffer).owner.operation
    return _allocation(op.operands[0]) if op.name in dataflow.VIEWS else op


class _End:
    """One side of a special transfer."""

    def __init__(self, transfer: dataflow.DataTransferOp, name: str, shape: tuple[int, ...], element: str) -> None:
        self._buffer = getattr(transfer, name)
        self._name, self._shape, self._element = name, shape, element
        self.in_bytes = self._buffer is None
        if self.in_bytes:
            self._box = Box.of(getattr(transfer, f"{name}_space"), getattr(transfer, f"{name}_strides"), element)
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
                alloc = _allocation(self._buffer)
                shape, cores = static_shape(alloc.results[0].type), cores_of(tile)
                assert shape is not None
                mine, theirs = (
                    cores.instance(alloc, tile.number, number, shape, self._element) for number in (tile.number, core)
                )
                held = held.in_place_of(mine, theirs)
            return BufferSide(held, self._name)
        memory = tile.device if self._box.on_device else tile.scratchpads(core)
        return MemorySide(memory, self._place(operands)[0], self._element, tile.access(op))
