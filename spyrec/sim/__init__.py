"""The simulator: executes ``init_binary.bin`` with real values, counts cycles, and refuses what depends on timing.

It knows the instruction set, the artifact and the device model; it imports no MLIR. ``docs/simulator.md`` has the
formulas.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from spyrec.device.model import Device
from spyrec.errors import Diagnostic
from spyrec.isa import Binary
from spyrec.sim import report as reports
from spyrec.sim.latencies import Latencies, Shuffled
from spyrec.sim.machine import Machine
from spyrec.sim.trace import Trace
from spyrec.spyrecode import Artifact, Launch, Locations

__all__ = ["Result", "Trace", "execute", "run"]


@dataclass(frozen=True)
class Result:
    """What a run took. ``report`` is the data of :mod:`spyrec.sim.report`; ``warnings`` what is odd but no error."""

    cycles: int
    report: dict[str, Any]
    warnings: tuple[Diagnostic, ...] = field(default=())


def run(artifact: Artifact, launch: Launch, *, shuffle: int | None = None, trace: Trace | None = None) -> Result:
    """Run a compiled kernel on ``launch``, whose memory it changes, on the device that it was compiled for.

    With ``shuffle`` every latency and every arbitration is drawn at random from that seed: values and faults are the
    same, cycles mean nothing. Raises ``InvalidKernel`` with what the sanitizer found, at the user's places.
    """
    return execute(
        artifact.program,
        artifact.device,
        launch,
        parameters=artifact.parameters(launch),
        locations=artifact.locations,
        shuffle=shuffle,
        trace=trace,
    )


def execute(
    binary: Binary,
    device: Device,
    launch: Launch,
    *,
    parameters: Sequence[int],
    locations: Locations | None = None,
    shuffle: int | None = None,
    trace: Trace | None = None,
) -> Result:
    """Run ``binary`` on ``device``, as :func:`run`; ``parameters`` is the parameter bank."""
    record = trace if trace is not None else Trace(detailed=False)
    machine = Machine(
        binary,
        device,
        launch,
        parameters,
        locations=locations or {},
        latencies=Latencies() if shuffle is None else Shuffled(shuffle),
        trace=record,
    )
    cycles = machine.run()
    report = reports.make(machine, record, cycles, kernel=launch.signature.kernel, shuffle=shuffle)
    return Result(cycles, report, machine.log.warnings())
