"""Meaning of transfers at the ``program`` stage."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spyrec import numerics
from spyrec.dialects import dataflow
from spyrec.interp.cores import cores_of
from spyrec.interp.faults import Fault
from spyrec.interp.machine import Frame, Run, Scope, meaning
from spyrec.interp.moves import MemorySide, Offsets, Region, SpecialOperands, checked, pattern
from spyrec.interp.program import Area, Program, Side, program_of
from spyrec.interp.races import Access
from spyrec.mlir import ir
from spyrec.numerics import Array


def _symbol(attribute: ir.Attribute) -> str:
    return ir.FlatSymbolRefAttr(attribute).value


@meaning("dataflow.transfer")
def transfer(op: ir.Operation, scope: Scope) -> Run:
    made = dataflow.TransferOp(op)
    counts = tuple(made.counts)
    element = {1: "i8", 2: "i16", 4: "i32", 8: "i64"}.get(size := ir.IntegerAttr(made.element_bytes).value)
    if element is None:
        raise Fault("unsupported-op", f"elements of {size} bytes have no meaning", "element_bytes")

    def side(name: str, element: str) -> tuple[Side, bool]:
        space, buffer = getattr(made, f"{name}_space"), getattr(made, f"{name}_buffer")
        strides = tuple(getattr(made, f"{name}_strides"))
        held = Side(_symbol(space), counts, strides, element, None if buffer is None else _symbol(buffer))
        return held, getattr(made, f"{name}_base") is not None

    if not made.is_plain:
        return _special(op, made, element)
    (source, source_base), (dest, dest_base) = side("source", element), side("dest", element)

    def run(frame: Frame, *operands: int) -> None:
        values = iter(operands)
        from_, to = (int(next(values)) + (int(next(values)) if based else 0) for based in (source_base, dest_base))
        by = frame.tile.access(op)
        dest.write(frame, to, source.read(frame, from_, by), by)

    return run


def _special(op: ir.Operation, made: dataflow.TransferOp, element: str) -> Run:
    """A transfer with a clip, another core, or lists of indices, point by point."""
    counts, operands_of = tuple(made.counts), SpecialOperands(made)
    strides = {name: tuple(getattr(made, f"{name}_strides")) for name in ("source", "dest")}
    memories = {name: _symbol(getattr(made, f"{name}_space")) for name in strides}
    buffers = {name: getattr(made, f"{name}_buffer") for name in strides}
    names = {name: None if buffer is None else _symbol(buffer) for name, buffer in buffers.items()}
    based = [made.source_base is not None, made.dest_base is not None]
    lists = [
        _List(ir.StringAttr(side).value, tuple(ir.DenseI64ArrayAttr(steps)), _symbol(buffer), str(type_), scale)
        for side, steps, buffer, type_, scale in zip(
            made.index_sides or (),
            made.index_strides or (),
            made.index_buffers or (),
            [ir.TypeAttr(t).value for t in made.index_types or ()],
            made.index_scales or (),
            strict=True,
        )
    ]

    def run(frame: Frame, *operands: int) -> None:
        values = iter(operands)
        source, dest = (int(next(values)) + (int(next(values)) if b else 0) for b in based)
        special = operands_of.take(list(values))
        region, own = Region.of(counts, special.lower, special.upper), frame.tile.number
        offsets = {name: region.offsets(steps) for name, steps in strides.items()}
        for number, (list_, address) in enumerate(zip(lists, special.indices, strict=True)):
            found = _memory(frame, own, dataflow.LX, list_.buffer, int(address), list_.element).gather(
                region.offsets(list_.strides)
            )
            offsets[list_.side] = offsets[list_.side] + list_.scale * checked(found, special.limits[number], number)
        by = frame.tile.access(op)
        peer = own if special.get_from is None else cores_of(frame.tile).check(special.get_from, "get_from")
        moved = _memory(frame, peer, memories["source"], names["source"], source, element, by).gather(offsets["source"])
        for core in operands_of.cores(special, own):
            cores_of(frame.tile).check(core, "put_to")
            to = _memory(frame, core, memories["dest"], names["dest"], dest, element, by)
            if operands_of.fill is not None:
                to.scatter(Region.of(counts, None, None).offsets(strides["dest"]), pattern(operands_of.fill, element))
            to.scatter(offsets["dest"], moved)

    return run


@dataclass(frozen=True)
class _List:
    """A list of indices."""

    side: str
    strides: tuple[int, ...]
    buffer: str
    element: str
    scale: int


@dataclass(frozen=True)
class _InBuffer(MemorySide):
    """A memory of a core, accesses to which go through one buffer: one of its slots, bytes last written through it."""

    program: Program
    name: str
    buffer: str | None

    def _owners(self, offsets: Offsets) -> tuple[Offsets, Area]:
        size = numerics.sizeof(self.element)
        places = (self.address + offsets).reshape(-1)
        area = self.program.area(self.name, self.buffer, int(np.min(places)), int(np.max(places)) + size)
        return places[:, None] + np.arange(size), area

    def gather(self, offsets: Offsets) -> Array:
        """The elements at these offsets."""
        owners = self._owners(offsets) if offsets.size else None
        values = super().gather(offsets)
        if owners is not None:
            places, area = owners
            self.program.check_written(area, self.program.room(self.name).owners[places])
        return values

    def scatter(self, offsets: Offsets, values: Array) -> None:
        """Store elements in order."""
        if not offsets.size:
            return
        places, area = self._owners(offsets)
        super().scatter(offsets, values)
        self.program.room(self.name).owners[places] = area.number


def _memory(
    frame: Frame, core: int, memory: str, buffer: str | None, address: int, element: str, by: Access | None = None
) -> MemorySide:
    """Device memory, accesses to which are checked as ``by``, or a memory of a core."""
    tile = frame.tile
    if memory == "device":
        return MemorySide(tile.device, address, element, by)
    program = program_of(frame) if core == tile.number else cores_of(tile).programs[core]
    return _InBuffer(program.room(memory).memory, address, element, None, program, memory, buffer)
