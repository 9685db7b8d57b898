"""Execution of the ``program`` stage: every unit of a core is a coroutine, channels are counters.

A core's units take turns in an order drawn from the seed; what they compute does not depend on it, which is the point
of the stage. When none of them can go on, the fault names every waiter. The scratchpad remembers through which buffer
each byte was last written, and reading it through another one is a fault.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from spyrec import numerics
from spyrec.dialects import dataflow
from spyrec.interp.faults import Fault
from spyrec.interp.machine import Frame, Run, Scope, meaning
from spyrec.interp.requests import Await, Blocked, Flow
from spyrec.interp.values import element_of
from spyrec.mlir import ir
from spyrec.numerics import Array


@dataclass(frozen=True)
class Area:
    """A ``dataflow.buffer``: ``depth`` slots of ``slot_bytes`` bytes from ``address`` on. ``number`` identifies it."""

    name: str
    number: int
    address: int
    slot_bytes: int
    depth: int

    @property
    def end(self) -> int:
        return self.address + self.slot_bytes * self.depth


@dataclass
class Channel:
    """A ``dataflow.channel`` on one core, with its count now."""

    op: ir.Operation
    poster: str
    waiter: str
    initial: int
    count: int


@dataclass(eq=False)
class Unit:
    """A unit of one core. ``blocked`` is what it waits for, if it does."""

    name: str
    flow: Flow
    blocked: Blocked | None = None


@dataclass(eq=False)
class Program:
    """One core: its buffers, channels and units, and through which buffer (number, -1: none) each byte of LX was
    written; and the sums that contractions have left in their units.
    """

    owners: npt.NDArray[np.int32]
    areas: dict[str, Area] = field(default_factory=dict)
    channels: dict[str, Channel] = field(default_factory=dict)
    units: list[Unit] = field(default_factory=list)
    kept: dict[str, Array] = field(default_factory=dict)

    def execute(self, rng: np.random.Generator | None) -> None:
        """Run all units to their ends. Raises :class:`Fault` ``deadlock`` or ``channel-misuse``."""
        alive = list(self.units)
        while alive:
            ready = [u for u in alive if u.blocked is None or self.channels[u.blocked.channel].count > 0]
            if not ready:
                raise self._deadlock(alive)
            unit = ready[0] if rng is None else ready[int(rng.integers(len(ready)))]
            request = next(unit.flow, None)
            if isinstance(request, Await):
                raise Fault("invalid-ir", "a unit waits for another tile", notes=[(request.op, "waits here")])
            unit.blocked = request
            if unit.blocked is None:
                alive.remove(unit)
        for name, channel in self.channels.items():
            if channel.count != channel.initial:
                fault = Fault(
                    "channel-misuse",
                    f"channel @{name} starts at {channel.initial} and ends at {channel.count}; they must be equal",
                )
                fault.op = channel.op
                raise fault

    def _deadlock(self, waiting: Sequence[Unit]) -> Fault:
        waits = []
        for unit in waiting:
            assert unit.blocked is not None
            poster = self.channels[unit.blocked.channel].poster
            state = "waits itself" if any(u.name.startswith(poster) for u in waiting) else "has ended"
            text = f"@{unit.name} waits for @{unit.blocked.channel}, which @{poster} posts, and that one {state}"
            waits.append((unit.blocked.op, text))
        fault = Fault("deadlock", f"no unit can go on: {waits[0][1]}", notes=waits[1:])
        fault.op = waits[0][0]
        return fault


def program_of(frame: Frame) -> Program:
    """The core that executes."""
    program = frame.tile.program
    if program is None:
        raise Fault("invalid-ir", "this op belongs to a function with program units, and the function has none")
    return program


def is_program(function: ir.Operation) -> bool:
    """Whether a function is at the ``program`` stage."""
    return any(op.operation.name == "dataflow.program_unit" for op in function.regions[0].blocks[0].operations)


def _in_unit(op: ir.Operation) -> bool:
    parent = op.parent
    while parent is not None:
        if parent.operation.name == "dataflow.program_unit":
            return True
        parent = parent.operation.parent
    return False


# Declarations and units ----------------------------------------------------------------------------------------------


@meaning("dataflow.buffer")
def buffer(op: ir.Operation, scope: Scope) -> Run:
    made = dataflow.BufferOp(op)
    name = _name(made.sym_name)
    address, slot, depth = (ir.IntegerAttr(a).value for a in (made.address, made.slot_bytes, made.depth))

    def run(frame: Frame) -> None:
        program = program_of(frame)
        area = Area(name, len(program.areas), address, slot, depth)
        if area.end > len(program.owners):
            raise Fault("out-of-lx", f"buffer @{name} ends at byte {area.end}; LX has {len(program.owners)}")
        program.areas[name] = area

    return run


@meaning("dataflow.channel")
def channel(op: ir.Operation, scope: Scope) -> Run:
    made = dataflow.ChannelOp(op)
    name, poster, waiter = (_name(a) for a in (made.sym_name, made.from_unit, made.to_unit))
    initial = ir.IntegerAttr(made.init).value

    def run(frame: Frame) -> None:
        if frame.tile.program is not None:  # at the `schedule` stage program order is the order
            frame.tile.program.channels[name] = Channel(op, poster, waiter, initial, initial)

    return run


def _name(attribute: ir.Attribute) -> str:
    """The symbol that a name or a reference says."""
    return (
        str(attribute.value)
        if isinstance(attribute, ir.StringAttr | ir.FlatSymbolRefAttr)
        else str(attribute).lstrip("@")
    )


@meaning("dataflow.program_unit")
def program_unit(op: ir.Operation, scope: Scope) -> Run:
    unit = dataflow.ProgramUnitOp(op)
    corelet = 0 if unit.corelet is None else ir.IntegerAttr(unit.corelet).value
    name = _name(unit.unit) + (f".{corelet}" if corelet else "")
    body = scope.region(op, 0)
    assert body is not None

    def run(frame: Frame) -> None:
        # Units share the frame: they read what is outside of them and write only values of their own.
        program_of(frame).units.append(Unit(name, body.run(frame, (frame.tile.number,))))

    return run


@meaning("dataflow.wait", flow=True)
def wait(op: ir.Operation, scope: Scope) -> Run:
    name, counts = _name(dataflow.WaitOp(op).channel), _in_unit(op)

    def run(frame: Frame) -> Flow:
        if counts:
            awaited = _channel(frame, name)
            while awaited.count == 0:
                yield Blocked(name, op)
            awaited.count -= 1

    return run


@meaning("dataflow.post")
def post(op: ir.Operation, scope: Scope) -> Run:
    name, counts = _name(dataflow.PostOp(op).channel), _in_unit(op)

    def run(frame: Frame) -> None:
        if counts:
            _channel(frame, name).count += 1

    return run


def _channel(frame: Frame, name: str) -> Channel:
    found = program_of(frame).channels.get(name)
    if found is None:
        raise Fault("undefined-name", f"there is no channel @{name}", "channel")
    return found


# Moves ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Side:
    """One operand of a transfer or stream: a box of a memory, in bytes, and the buffer that it lies in."""

    on_device: bool
    counts: tuple[int, ...]
    strides: tuple[int, ...]
    element: str
    buffer: str | None

    def read(self, frame: Frame, address: int) -> Array:
        """The elements of the box at ``address``."""
        if self.on_device:
            return frame.tile.device.read(address, self.counts, self.strides, self.element)
        data = self._scratchpad(frame, address)
        values = frame.tile.scratchpad.read(address, self.counts, self.strides, self.element)
        if data is not None:
            area, owners = data
            if not (owners == area.number).all():
                other = int(owners[owners != area.number].flat[0])
                names = {a.number: a.name for a in program_of(frame).areas.values()}
                message = f"bytes read through @{area.name} were last written through @{names[other]}"
                raise Fault("wrong-buffer", message)
        return values

    def write(self, frame: Frame, address: int, values: Array) -> None:
        """Store to the box at ``address``."""
        if self.on_device:
            frame.tile.device.write(address, self.counts, self.strides, values, self.element)
            return
        data = self._scratchpad(frame, address)
        frame.tile.scratchpad.write(address, self.counts, self.strides, values, self.element)
        if data is not None:
            data[1][...] = data[0].number

    def _scratchpad(self, frame: Frame, address: int) -> tuple[Area, npt.NDArray[np.int32]] | None:
        """The buffer and who wrote its bytes in the box, in place; raises when the box leaves the buffer's slot."""
        if 0 in self.counts:
            return None
        program, size = program_of(frame), numerics.sizeof(self.element)
        area = program.areas.get(self.buffer or "")
        if area is None:
            raise Fault(
                "undefined-name", f"there is no buffer @{self.buffer}" if self.buffer else "the operand names no buffer"
            )
        reach = [(n - 1) * s for n, s in zip(self.counts, self.strides, strict=True)]
        low, high = address + sum(r for r in reach if r < 0), address + sum(r for r in reach if r > 0) + size
        slot = (low - area.address) // area.slot_bytes
        start = area.address + slot * area.slot_bytes
        if not 0 <= slot < area.depth or high > start + area.slot_bytes:
            raise Fault(
                "out-of-buffer",
                f"bytes {low} to {high - 1} are not in one slot of @{area.name}, which has {area.depth} slots of"
                f" {area.slot_bytes} bytes from {area.address} on",
            )
        owners = program.owners
        steps = tuple(s * owners.itemsize for s in (*self.strides, 1))
        return area, np.ndarray((*self.counts, size), owners.dtype, owners, address * owners.itemsize, steps)


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
        held = Side(_name(space) == "device", counts, strides, element, None if buffer is None else _name(buffer))
        return held, getattr(made, f"{name}_base") is not None

    (source, source_base), (dest, dest_base) = side("source", element), side("dest", element)

    def run(frame: Frame, *operands: int) -> None:
        values = iter(operands)
        from_, to = (int(next(values)) + (int(next(values)) if based else 0) for based in (source_base, dest_base))
        dest.write(frame, to, source.read(frame, from_))

    return run


@meaning("dataflow.scalar_load")
def scalar_load(op: ir.Operation, scope: Scope) -> Run:
    made = dataflow.ScalarLoadOp(op)
    element = element_of(made.result.type)
    if element not in numerics.TYPES:
        raise Fault("unsupported-type", f"a register holds no {element}", "type(result)")
    side = Side(False, (), (), element, _name(made.buffer))

    def run(frame: Frame, address: int) -> Any:
        value = side.read(frame, address)
        return value if numerics.is_float(element) else int(value)

    return run
