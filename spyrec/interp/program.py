"""Execution of the ``program`` stage: every unit of a core is a coroutine, channels are counters.

A core's units take turns in an order drawn from the seed; what they compute does not depend on it, which is the point
of the stage. When none of them can go on, the fault names every waiter. The scratchpad remembers through which buffer
each byte was last written, and reading it through another one is a fault. Device memory is checked for races between
cores; a core has one clock for all of its units, whose races with each other are the simulator's to find.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from spyrec import numerics
from spyrec.device.model import spoken
from spyrec.dialects import dataflow
from spyrec.interp.cores import Credits, cores_of
from spyrec.interp.faults import Fault
from spyrec.interp.machine import Frame, Function, Run, Scope, Tile, drain, meaning
from spyrec.interp.memory import Scratchpad
from spyrec.interp.races import Access
from spyrec.interp.requests import Await, Blocked, Flow
from spyrec.interp.values import element_of
from spyrec.mlir import ir
from spyrec.numerics import Array


@dataclass(frozen=True)
class Area:
    """A ``dataflow.buffer``: ``depth`` slots of ``slot_bytes`` bytes of ``memory`` from ``address`` on. ``number``
    identifies it. ``launched``: the launch may have put contents there.
    """

    name: str
    number: int
    memory: str
    address: int
    slot_bytes: int
    depth: int
    launched: bool

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
    core: int
    flow: Flow
    blocked: Waiting | None = None


@dataclass(frozen=True, eq=False)
class Room:
    """A memory in which a core has buffers, and through which one (number, 0: none) each byte was written."""

    memory: Scratchpad
    owners: npt.NDArray[np.int32]


@dataclass(eq=False)
class Program:
    """One core: its memories by name, its buffers, channels and units, and the sums that contractions have left in
    their units.
    """

    rooms: dict[str, Room]
    areas: dict[str, Area] = field(default_factory=dict)
    channels: dict[str, Channel] = field(default_factory=dict)
    units: list[Unit] = field(default_factory=list)
    kept: dict[str, Array] = field(default_factory=dict)

    def room(self, memory: str) -> Room:
        """The memory that is called so."""
        if memory not in self.rooms:
            raise Fault("undefined-name", f"the device has no memory {memory} for buffers")
        return self.rooms[memory]

    def balance(self) -> None:
        """Raise :class:`Fault` for a channel of this core that does not end as it began."""
        for name, channel in self.channels.items():
            if channel.count != channel.initial:
                fault = Fault(
                    "channel-misuse",
                    f"channel @{name} starts at {channel.initial} and ends at {channel.count}; they must be equal",
                )
                fault.op = channel.op
                raise fault

    def area(self, memory: str, buffer: str | None, low: int, high: int) -> Area:
        """The buffer of an operand that reaches from byte ``low`` up to ``high``, all in one of its slots."""
        if buffer is None:
            raise Fault("undefined-name", "the operand names no buffer")
        area = self.areas.get(buffer)
        if area is None:
            raise Fault("undefined-name", f"there is no buffer @{buffer}")
        if area.memory != memory:
            raise Fault("wrong-buffer", f"buffer @{buffer} lies in {area.memory}, not in {memory}")
        slot = (low - area.address) // area.slot_bytes
        if not 0 <= slot < area.depth or high > area.address + (slot + 1) * area.slot_bytes:
            raise Fault(
                "out-of-buffer",
                f"bytes {low} to {high - 1} are not in one slot of @{area.name}, which has {area.depth} slots of"
                f" {area.slot_bytes} bytes from {area.address} on",
            )
        return area

    def check_written(self, area: Area, owners: npt.NDArray[np.int32]) -> None:
        """Bytes that are read through a buffer, with these owners, were last written through it, or by the launch, if
        that may be.
        """
        strange = owners[owners != area.number]
        if area.launched:
            strange = strange[strange != 0]
        if strange.size:
            names = {a.number: f"@{a.name}" for a in self.areas.values()}
            last = names.get(int(strange.flat[0]), "no buffer")
            raise Fault("wrong-buffer", f"bytes read through @{area.name} were last written through {last}")


def begin(function: Function, tile: Tile, arguments: Sequence[Any], rooms: Mapping[str, int]) -> Program:
    """Run a function up to its units, which are then ready to be executed."""
    local = {name: Scratchpad(size, tile.number, name) for name, size in rooms.items() if name != dataflow.LX}
    local[dataflow.LX] = tile.scratchpad
    tile.program = Program({name: Room(memory, np.zeros(rooms[name], np.int32)) for name, memory in local.items()})
    drain(function.run(tile, arguments))
    return tile.program


@dataclass(frozen=True)
class Waiting(Blocked):
    """A unit waits for ``counter``, which the unit ``poster`` of some core posts."""

    counter: Channel | Credits
    poster: str
    core: int


def execute(programs: Sequence[Program], rng: np.random.Generator | None) -> None:
    """Run all units of some cores to their ends. Raises :class:`Fault` ``deadlock`` or ``channel-misuse``."""
    alive = [unit for program in programs for unit in program.units]
    while alive:
        ready = [u for u in alive if u.blocked is None or u.blocked.counter.count > 0]
        if not ready:
            raise _deadlock(alive)
        unit = ready[0] if rng is None else ready[int(rng.integers(len(ready)))]
        request = next(unit.flow, None)
        if request is not None and not isinstance(request, Waiting):
            raise Fault("invalid-ir", "a unit waits for another tile", notes=[(request.op, "waits here")])
        unit.blocked = request
        if request is None:
            alive.remove(unit)
    for program in programs:
        program.balance()


def _deadlock(waiting: Sequence[Unit]) -> Fault:
    stuck = {(u.core, u.name) for u in waiting}
    waits = []
    for unit in waiting:
        blocked = unit.blocked
        assert blocked is not None
        state = "waits itself" if (blocked.core, blocked.poster) in stuck else "has ended"
        where = "" if blocked.core == unit.core else f" of core {blocked.core}"
        text = f"@{unit.name} waits for @{blocked.channel}, which @{blocked.poster}{where} posts, and that one {state}"
        waits.append((blocked.op, text))
    fault = Fault("deadlock", f"no unit can go on: {waits[0][1]}", notes=list(dict.fromkeys(waits[1:])))
    fault.op = waits[0][0]
    return fault


def program_of(frame: Frame) -> Program:
    """The core that executes."""
    program = frame.tile.program
    if program is None:
        raise Fault("invalid-ir", "this op belongs to a function with program units, and the function has none")
    return program


def joins_cores(function: ir.Operation) -> bool:
    """Whether cores reach one another, so that they have to be executed together."""
    pending = [function]
    while pending:
        op = pending.pop()
        view = op.opview
        if isinstance(view, dataflow.ChannelOp) and view.peers is not None:
            return True
        if isinstance(view, dataflow.TransferOp) and (view.get_from is not None or view.put_to is not None):
            return True
        pending += [inner.operation for region in op.regions for block in region for inner in block.operations]
    return False


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
    memory, launched = made.memory, made.launched is not None

    def run(frame: Frame) -> None:
        program = program_of(frame)
        area = Area(name, 1 + len(program.areas), memory, address, slot, depth, launched)
        room = program.room(memory)
        if area.end > len(room.owners):
            raise Fault("out-of-lx", f"buffer @{name} ends at byte {area.end}; {spoken(memory)} has {len(room.owners)}")
        program.areas[name] = area
        if launched:
            room.owners[address : area.end] = area.number  # what the launch put there

    return run


@meaning("dataflow.channel")
def channel(op: ir.Operation, scope: Scope) -> Run:
    made = dataflow.ChannelOp(op)
    name, poster, waiter = (_name(a) for a in (made.sym_name, made.from_unit, made.to_unit))
    initial = ir.IntegerAttr(made.init).value
    between_cores = made.peers is not None

    def run(frame: Frame) -> None:
        if between_cores:
            cores_of(frame.tile).channels[name] = (op, initial)
        elif frame.tile.program is not None:  # at the `schedule` stage program order is the order
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
        program = program_of(frame)
        program.units.append(Unit(name, frame.tile.number, body.run(frame, (frame.tile.number,))))
        cores_of(frame.tile).programs[frame.tile.number] = program

    return run


@meaning("dataflow.wait", flow=True)
def wait(op: ir.Operation, scope: Scope) -> Run:
    made = dataflow.WaitOp(op)
    name, counts = _name(made.channel), _in_unit(op)
    if made.peer is not None:
        return _wait_for_core(op, name)

    def run(frame: Frame) -> Flow:
        if counts:
            awaited = _channel(frame, name)
            while awaited.count == 0:
                yield Waiting(name, op, awaited, awaited.poster, frame.tile.number)
            awaited.count -= 1

    return run


@meaning("dataflow.post")
def post(op: ir.Operation, scope: Scope) -> Run:
    made = dataflow.PostOp(op)
    name, counts = _name(made.channel), _in_unit(op)
    if made.peer is not None:
        return _post_to_core(name)

    def run(frame: Frame) -> None:
        if counts:
            _channel(frame, name).count += 1

    return run


def _wait_for_core(op: ir.Operation, name: str) -> Run:
    """A wait on a channel between cores; it means the same at ``schedule``, where a whole core waits."""

    def run(frame: Frame, peer: int, *about: Any) -> Flow:
        tile, cores = frame.tile, cores_of(frame.tile)
        credits = cores.credits(name, cores.check(int(peer), "peer"), tile.number)
        poster = _name(dataflow.ChannelOp(credits.op).from_unit)
        while credits.count == 0:
            if tile.program is not None:
                yield Waiting(name, op, credits, poster, int(peer))
            else:
                yield Await(op, f"channel @{name} from", lambda: [int(peer)] if credits.count == 0 else [])
        seen = credits.take()
        if seen is not None and tile.clock is not None:
            tile.clock.acquire(seen)

    return run


def _post_to_core(name: str) -> Run:
    def run(frame: Frame, peer: int, *about: Any) -> None:
        tile, cores = frame.tile, cores_of(frame.tile)
        credits = cores.credits(name, tile.number, cores.check(int(peer), "peer"))
        credits.posts.append(None if tile.clock is None else tile.clock.release())

    return run


def _channel(frame: Frame, name: str) -> Channel:
    found = program_of(frame).channels.get(name)
    if found is None:
        raise Fault("undefined-name", f"there is no channel @{name} within a core", "channel")
    return found


# Moves ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Side:
    """One operand of a transfer or stream: a box of a memory, in bytes, and the buffer that it lies in."""

    memory: str
    counts: tuple[int, ...]
    strides: tuple[int, ...]
    element: str
    buffer: str | None

    def read(self, frame: Frame, address: int, by: Access | None = None) -> Array:
        """The elements of the box at ``address``; ``by`` is checked against what other cores do to device memory."""
        if self.memory == "device":
            return frame.tile.device.read(address, self.counts, self.strides, self.element, by)
        program = program_of(frame)
        data = self._owners(program, address)
        values = program.room(self.memory).memory.read(address, self.counts, self.strides, self.element)
        if data is not None:
            program.check_written(*data)
        return values

    def write(self, frame: Frame, address: int, values: Array, by: Access | None = None) -> None:
        """Store to the box at ``address``; ``by`` as in :meth:`read`."""
        if self.memory == "device":
            frame.tile.device.write(address, self.counts, self.strides, values, self.element, by)
            return
        program = program_of(frame)
        data = self._owners(program, address)
        program.room(self.memory).memory.write(address, self.counts, self.strides, values, self.element)
        if data is not None:
            data[1][...] = data[0].number

    def _owners(self, program: Program, address: int) -> tuple[Area, npt.NDArray[np.int32]] | None:
        """The buffer and who wrote its bytes in the box, in place; raises when the box leaves the buffer's slot."""
        if 0 in self.counts:
            return None
        size = numerics.sizeof(self.element)
        reach = [(n - 1) * s for n, s in zip(self.counts, self.strides, strict=True)]
        low, high = address + sum(r for r in reach if r < 0), address + sum(r for r in reach if r > 0) + size
        area = program.area(self.memory, self.buffer, low, high)
        owners = program.room(self.memory).owners
        steps = tuple(s * owners.itemsize for s in (*self.strides, 1))
        return area, np.ndarray((*self.counts, size), owners.dtype, owners, address * owners.itemsize, steps)


@meaning("dataflow.scalar_load")
def scalar_load(op: ir.Operation, scope: Scope) -> Run:
    made = dataflow.ScalarLoadOp(op)
    element = element_of(made.result.type)
    if element not in numerics.TYPES:
        raise Fault("unsupported-type", f"a register holds no {element}", "type(result)")
    side = Side(dataflow.LX, (), (), element, _name(made.buffer))

    def run(frame: Frame, address: int) -> Any:
        value = side.read(frame, address)
        return value if numerics.is_float(element) else int(value)

    return run
