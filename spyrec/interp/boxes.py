"""Meaning of ``dataflow.read`` and ``dataflow.write``: tensors to and from strided boxes of memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spyrec import numerics
from spyrec.dialects import dataflow
from spyrec.interp.affine import map_function
from spyrec.interp.faults import Fault
from spyrec.interp.machine import Frame, Run, Scope, meaning
from spyrec.interp.memory import Memory
from spyrec.interp.moves import MemorySide, Offsets, Region, checked, mixed, pattern
from spyrec.interp.points import Mask, SetFunction
from spyrec.interp.values import Tensor, defined, element_of, static_shape
from spyrec.mlir import ir
from spyrec.numerics import Array
from spyrec.ods.checks import DYNAMIC


@dataclass(frozen=True)
class Box:
    """A strided box of a memory as an op states it; strides count elements, dynamic ones are operands."""

    on_device: bool
    strides: tuple[int, ...]
    element: str

    @staticmethod
    def of(space: ir.Attribute, strides: Sequence[int], element: str) -> Box:
        """The box of a memory that an attribute names."""
        return Box(ir.FlatSymbolRefAttr(space).value == "device", tuple(strides), element)

    def memory(self, frame: Frame, core: int | None = None) -> Memory:
        """Device memory, or the scratchpad of the executing core, or of ``core``."""
        if self.on_device:
            return frame.tile.device
        return frame.tile.scratchpad if core is None else frame.tile.scratchpads(core)

    def place(self, base: int, offset: int, dynamic: Sequence[int]) -> tuple[int, tuple[int, ...]]:
        """Byte address of the first element and strides in bytes."""
        size, values = numerics.sizeof(self.element), iter(dynamic)
        return int(base) + size * int(offset), tuple(size * (next(values) if s == DYNAMIC else s) for s in self.strides)


@dataclass(frozen=True)
class List:
    """A list of indices: where in it the index of a point is, and what an index counts. ``number``: of the list."""

    map: ir.AffineMap
    scale: int
    number: int

    def read(self, region: Region, data: Array, holes: Mask | None, limit: int, chosen: Mask | None = None) -> Offsets:
        """The index of each point of ``region``, or of those that are ``chosen``."""
        places = tuple(np.asarray(p) for p in map_function(self.map)(region.steps(), []))
        if holes is not None:
            missing = np.broadcast_to(holes[places], region.counts)
            if (missing if chosen is None else missing[chosen]).any():
                raise Fault(
                    "undefined-value", "an index is read that has never been written", f"indices[{self.number}]"
                )
        found = np.broadcast_to(data[places], region.counts)
        return checked(found if chosen is None else found[chosen], limit, self.number)


class _Moved:
    """What a read or write moves; operands are taken in the order of the op's fields."""

    def __init__(self, op: ir.Operation, view: dataflow.ReadOp | dataflow.WriteOp, shaped: ir.Type) -> None:
        shape = static_shape(shaped)
        if shape is None:
            raise Fault("unsupported-op", "a box has constant extents")
        self.op, self.shape, self.element = op, shape, element_of(shaped)
        self.box = Box.of(view.space, tuple(view.static_strides), self.element)
        self.plain = view.is_plain
        self._has_base, self._has_core = view.base is not None, view.core is not None
        self._strides, self._symbols, self._lists = len(view.strides), len(view.symbols), len(view.indices)
        self._lower, self._upper, self._limits = view.static_lower, view.static_upper, view.static_limits
        self._set = None if view.set_ is None else SetFunction(view.set_, bounded=False)
        maps, scales = view.index_maps or (), view.index_scales or ()
        self.lists = [
            List(ir.AffineMapAttr(map_).value, scale, k)
            for k, (map_, scale) in enumerate(zip(maps, scales, strict=True))
        ]

    def place(self, operands: Iterator[Any]) -> tuple[int, tuple[int, ...]]:
        """Byte address and strides in bytes."""
        base = next(operands) if self._has_base else 0
        offset = next(operands)
        return self.box.place(base, offset, [next(operands) for _ in range(self._strides)])

    def points(self, frame: Frame, operands: Iterator[Any]) -> Points:
        """The points, and where they lie."""
        address, strides = self.place(operands)
        lower, upper = mixed(self._lower, operands), mixed(self._upper, operands)
        symbols = [int(next(operands)) for _ in range(self._symbols)]
        core = int(next(operands)) if self._has_core else None
        indices: list[Tensor] = [next(operands) for _ in range(self._lists)]
        limits = mixed(self._limits, operands) or []
        region = Region.of(self.shape, lower, upper)
        mask = None
        if self._set is not None:
            mask = np.asarray(np.broadcast_to(self._set.holds(region.steps(), symbols), region.counts))
            mask = None if mask.all() else mask
        memory = self.box.memory(frame, core)
        if mask is None and not self.lists:
            first = address + sum(a * s for a, s in zip(region.first, strides, strict=True))
            return Points(region, None, memory, first, strides, None)
        offsets = region.offsets(strides)
        offsets = offsets if mask is None else offsets[mask]
        for list_, tensor, limit in zip(self.lists, indices, limits, strict=True):
            scale = list_.scale * numerics.sizeof(self.element)
            offsets = offsets + scale * list_.read(region, tensor.data, tensor.holes, limit, mask)
        return Points(region, mask, memory, address, strides, offsets)


@dataclass(frozen=True)
class Points:
    """Points of a box: those of ``region``, or the ones of it that ``mask`` chooses. They lie at ``address`` with
    ``strides``, or at ``offsets`` from there.
    """

    region: Region
    mask: Mask | None
    memory: Memory
    address: int
    strides: tuple[int, ...]
    offsets: Offsets | None

    def read(self, into: Array, holes: Mask | None, element: str, frame: Frame, op: ir.Operation) -> None:
        """Put the elements into their places of a tensor, which are then no holes."""
        by, places = frame.tile.access(op), self.region.slices
        if self.offsets is None:
            found = self.memory.read(self.address, self.region.counts, self.strides, element, by)
        else:
            found = MemorySide(self.memory, self.address, element, by).gather(self.offsets)
        for array, values in ((into, found), (holes, False)):
            if array is not None:
                array[places][... if self.mask is None else self.mask] = values

    def write(self, tensor: Tensor, element: str, frame: Frame, op: ir.Operation) -> None:
        """Store the elements of a tensor."""
        by, places = frame.tile.access(op), self.region.slices
        chosen = ... if self.mask is None else self.mask
        holes = None if tensor.holes is None else tensor.holes[places][chosen]
        data = defined(Tensor(tensor.data[places][chosen], holes), "the written tensor")
        if self.offsets is None:
            self.memory.write(self.address, self.region.counts, self.strides, data, element, by)
        else:
            MemorySide(self.memory, self.address, element, by).scatter(self.offsets, data)


@meaning("dataflow.read")
def read(op: ir.Operation, scope: Scope) -> Run:
    view = dataflow.ReadOp(op)
    moved = _Moved(op, view, view.result.type)
    has_init, fill = view.init is not None, 0 if view.fill is None else ir.IntegerAttr(view.fill).value
    box, shape, element = moved.box, moved.shape, moved.element

    def plain(frame: Frame, *operands: Any) -> Tensor:
        address, strides = moved.place(iter(operands))
        return Tensor(box.memory(frame).read(address, shape, strides, element, frame.tile.access(op)))

    def run(frame: Frame, *operands: Any) -> Tensor:
        values = iter(operands)
        points = moved.points(frame, values)
        init: Tensor | None = next(values) if has_init else None
        holes = None
        if init is None:
            data = np.full(shape, pattern(fill, element))
        else:
            data, holes = np.array(init.data), None if init.holes is None else np.array(init.holes)
        points.read(data, holes, element, frame, op)
        return Tensor(data, holes)

    return plain if moved.plain else run


@meaning("dataflow.write")
def write(op: ir.Operation, scope: Scope) -> Run:
    view = dataflow.WriteOp(op)
    moved = _Moved(op, view, view.value.type)

    def run(frame: Frame, *operands: Any) -> None:
        moved.points(frame, iter(operands)).write(operands[-1], moved.element, frame, op)

    return run
