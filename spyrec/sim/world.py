"""What the steps of all units share, and what one instruction knows when it is made into a step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from spyrec.device.model import Device
from spyrec.isa import Binary, UnitProgram
from spyrec.sim.engine import Engine
from spyrec.sim.memories import DeviceMemory, Local
from spyrec.sim.peers import Peers
from spyrec.sim.sanitizer import Sanitizer
from spyrec.sim.traffic import Traffic
from spyrec.sim.units import Unit


@dataclass(frozen=True)
class World:
    """What steps of every unit share."""

    binary: Binary
    device: Device
    parameters: Sequence[int]
    memory: DeviceMemory
    engine: Engine
    sanitizer: Sanitizer
    traffic: Traffic
    peers: Peers
    scratchpads: list[Local] = field(default_factory=list)


@dataclass(frozen=True)
class Site:
    """An instruction about to become a step: ``index`` in the code of ``program``."""

    world: World
    program: UnitProgram
    index: int

    @property
    def cycles(self) -> int:
        """What one scalar instruction takes."""
        return self.world.device.timing.scalar_cycles

    def busy(self, unit: Unit, duration: int) -> int:
        """``unit`` computes for so many cycles, once the instruction is issued; the instruction that follows."""
        engine = self.world.engine
        since = unit.time + self.cycles
        unit.time = since + engine.latencies.cycles(duration)
        if engine.trace is not None:
            engine.trace.span(unit.core, unit.label, unit.number, self.index, since, unit.time)
        return self.index + 1
