"""The machine: a binary, a device and a launch put together, run to its end, and judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spyrec.device.model import Device, spoken
from spyrec.errors import Diagnostic, InvalidKernel, OutOfResources, Severity, SpyrecError
from spyrec.isa import LX, Binary, Contract, End, Instruction, Stream, UnitProgram, Xfer
from spyrec.isa.check import problems
from spyrec.sim import clocks, control, deadlock
from spyrec.sim.contract import contract
from spyrec.sim.descriptor import move
from spyrec.sim.engine import Engine
from spyrec.sim.faults import Fault, FaultLog, Place, RaceFound, UnitStops
from spyrec.sim.latencies import Latencies
from spyrec.sim.memories import DeviceMemory, Local
from spyrec.sim.peers import Peers
from spyrec.sim.sanitizer import Sanitizer
from spyrec.sim.stream import stream
from spyrec.sim.trace import Trace
from spyrec.sim.traffic import Traffic
from spyrec.sim.units import BLOCKED, Step, Unit
from spyrec.sim.units import Channel as LiveChannel
from spyrec.sim.world import Site, World
from spyrec.spyrecode import Launch, Locations

Maker = Callable[[Site, Instruction], Step]

STEPS: dict[str, Maker] = {
    "halt": control.halt,
    "loop": control.loop,
    "endloop": control.endloop,
    "repeat": control.repeat,
    "exitz": control.exitz,
    "endrepeat": control.endrepeat,
    "brz": control.brz,
    "jump": control.jump,
    "wait": control.wait,
    "post": control.post,
    "li": control.li,
    "param": control.param,
    "coreparam": control.coreparam,
    "core": control.core,
    "mov": control.mov,
    "sext": control.sext,
    "zext": control.zext,
    "select": control.select,
    "sload": control.sload,
    "xfer": move,
    "stream": stream,
    "contract": contract,
    **control.ARITHMETIC,
}
"""The function that makes the step of each instruction."""


class Machine:
    """One launch. ``run`` may be called once; what it leaves behind is in ``units``, ``memory``, ``traffic``
    and ``log``."""

    def __init__(
        self,
        binary: Binary,
        device: Device,
        launch: Launch,
        parameters: Sequence[int],
        *,
        locations: Locations,
        latencies: Latencies,
        trace: Trace | None,
    ) -> None:
        _check(binary, device, parameters)
        self.binary = binary
        self.device = device
        self.log = FaultLog(locations)
        self.traffic = Traffic()
        self.sizes = {name: size for name, size in device.rooms().items() if name in (LX, *binary.stages)}
        self.memory = DeviceMemory(launch)
        self._launched = launch.lx
        self._engine = Engine(device.timing, latencies, trace)
        self._world = World(
            binary,
            device,
            parameters,
            self.memory,
            self._engine,
            Sanitizer(self.log, binary.buffers),
            self.traffic,
            Peers(binary.channels, binary.tiles),
        )
        code = [self._steps(program) for program in binary.units]
        groups = clocks.groups([p.label for p in binary.units], [(c.source, c.target) for c in binary.channels])
        reached = {end for c in binary.channels if c.peers for end in (c.source, c.target)}
        tiles = binary.tiles
        shared = {g[0]: clocks.Domain(len(g) * tiles) for g in groups if not reached.isdisjoint(g)}
        self.units: list[Unit] = []
        for core in range(tiles):
            self.units.extend(self._core(core, code, groups, shared))
        if trace is not None:
            self._describe(trace)

    def _steps(self, program: UnitProgram) -> list[Step]:
        steps = []
        for index, instruction in enumerate(program.code):
            try:
                steps.append(STEPS[instruction.op](Site(self._world, program, index), instruction))
            except SpyrecError as error:
                place = Place(0, index, program.label)
                message = f"unit @{program.label}, instruction {index}: {error.diagnostics[0].message}"
                id_ = error.diagnostics[0].id or "wrong-device"
                raise InvalidKernel([Diagnostic(Severity.ERROR, message, id_, self.log.position(place))]) from None
        return steps

    def _core(
        self, core: int, code: list[list[Step]], groups: list[list[str]], shared: dict[str, clocks.Domain]
    ) -> list[Unit]:
        """The units of a core. ``shared`` has the domains of groups that channels between cores connect."""
        supplied = {LX: [preset for preset in self._launched if preset.core == core]}
        local = {name: Local(size, supplied.get(name, ()), name=spoken(name)) for name, size in self.sizes.items()}
        self._world.scratchpads.append(local[LX])
        channels = [LiveChannel(c.name, number, c.init, core) for number, c in enumerate(self.binary.channels)]
        slots = {}
        for group in groups:
            between = shared.get(group[0])
            domain, first = (clocks.Domain(len(group)), 0) if between is None else (between, core * len(group))
            slots.update({label: (domain, first + slot) for slot, label in enumerate(group)})
        units = []
        for number, program in enumerate(self.binary.units):
            domain, slot = slots[program.label]
            limit = self.device.units[program.kind].max_outstanding
            unit = Unit(number, program.label, core, local, limit, domain, slot, clocks.start(domain, slot))
            unit.code, unit.steps = program.code, code[number]
            unit.channels = channels
            units.append(unit)
        return units

    def _describe(self, trace: Trace) -> None:
        for number, program in enumerate(self.binary.units):
            for index, instruction in enumerate(program.code):
                text = ""
                if isinstance(instruction, Xfer):
                    text = f"{self._side(instruction.source)} to {self._side(instruction.dest)}"
                elif isinstance(instruction, Stream):
                    text = " ".join(op.op for op in instruction.micro_ops) or "copy"
                elif isinstance(instruction, Contract):
                    text = f"contract {' x '.join(map(str, instruction.counts))}"
                elif instruction.op == "sload":
                    text = "load a scalar"
                if text:
                    where = self.log.position(Place(number, index, program.label))
                    trace.describe(program.label, index, text, str(where or ""))

    def _side(self, end: End) -> str:
        space = self.binary.memory(end) or end.space
        return space if end.buffer is None else f"{space} {self.binary.buffers[end.buffer].name}"

    def run(self) -> int:
        """Run to the end and return the cycles. Raises ``InvalidKernel`` with what the sanitizer found, and
        ``OutOfResources`` when the host has no memory for it.
        """
        try:
            self._engine.run(self.units, self._go_on)
        except RaceFound as race:
            raise self.log.race(race.fault) from None
        if not self.log:
            deadlock.report(self.units, self.binary.channels, self._world.peers, self.log)
        if self.log:
            raise self.log.error()
        return max((end(unit) for unit in self.units), default=0)

    def _go_on(self, unit: Unit) -> None:
        steps = unit.steps
        pc = unit.pc
        count = 0
        here = pc
        try:
            while pc >= 0:
                here = pc
                pc = steps[pc](unit)
                count += 1
        except UnitStops as stop:
            if stop.id:
                self.log.fault(Fault(stop.id, stop.message, Place(unit.number, here, unit.label), unit.core))
        except MemoryError as error:
            what = str(error) or "the host has no memory for what it computes with"
            message = f"unit @{unit.label}, instruction {here}: {what}"
            position = self.log.position(Place(unit.number, here, unit.label))
            raise OutOfResources(
                [Diagnostic(Severity.ERROR, message, "host-memory", position)], "host memory"
            ) from None
        unit.instructions += count - (pc == BLOCKED)


def end(unit: Unit) -> int:
    """When a unit that has halted was done with everything."""
    return max(unit.time, unit.finished)


def _check(binary: Binary, device: Device, parameters: Sequence[int]) -> None:
    """Refuse a binary that breaks a rule of the instruction set or does not fit ``device``."""
    broken = [("corrupt-binary", str(p)) for p in problems(binary)]
    if not broken:
        broken = [("wrong-device", text) for text in _misfits(binary, device)]
        if len(parameters) != binary.parameters:
            broken.append(("corrupt-binary", f"{len(parameters)} parameters for a binary with {binary.parameters}"))
    if broken:
        raise InvalidKernel([Diagnostic(Severity.ERROR, message, id_) for id_, message in broken])


def _misfits(binary: Binary, device: Device) -> list[str]:
    found = [f"device '{device.name}': {flaw}" for flaw in device.flaws()]
    if found:
        return found
    if binary.tiles > device.cores:
        found.append(f"{binary.tiles} compute tiles; device '{device.name}' has {device.cores} cores")
    for program in binary.units:
        unit = device.units.get(program.kind)
        if unit is None:
            found.append(f"device '{device.name}' has no unit '{program.kind}'")
        elif program.corelet >= (device.corelets if unit.level == "corelet" else 1):
            found.append(f"device '{device.name}' has no unit '{program.kind}' on corelet {program.corelet}")
    for buffer in binary.buffers:
        memory, name = device.buffered(buffer.memory), spoken(buffer.memory)
        if memory is None:
            found.append(f"device '{device.name}' has no stage '{buffer.memory}', in which buffer '{buffer.name}' lies")
            continue
        size = device.share(memory)
        if buffer.address < 0 or buffer.end > size:
            found.append(f"buffer '{buffer.name}' ends at byte {buffer.end:#x} of {name}, which has {size:#x} bytes")
        if buffer.address % memory.alignment or (buffer.depth > 1 and buffer.slot_bytes % memory.alignment):
            found.append(
                f"buffer '{buffer.name}' starts at byte {buffer.address:#x} with slots of {buffer.slot_bytes} bytes; "
                f"buffers in {name} start at multiples of {memory.alignment}"
            )
    return found
