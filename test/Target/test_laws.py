"""Laws of time on the programs by hand: more of a resource is never slower where one core has it for itself."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import pytest
from by_hand import PROGRAMS
from target import Program, device

from spyrec import sim, spyrecode
from spyrec.device.model import Device
from spyrec.sim.report import render

ALONE = [p for p in PROGRAMS if p.name in ("copy", "softmax", "matmul", "flash", "gather", "bound", "while")]


@dataclass(frozen=True)
class OneCore(Program):
    """A program on the first core only."""

    def text(self, stage: str, iterations: int | None = None, *, argument: bool = False) -> str:
        """The text with a grid of 1."""
        return re.sub(r"grid = \[\d+\]", "grid = [1]", super().text(stage, iterations, argument=argument))


def cycles(program: Program, dev: Device) -> int:
    code = program.artifact()
    launch = spyrecode.bind(code.signature, program.given(), {}, seed=None)
    return sim.execute(code.program, dev, launch, parameters=code.parameters(launch), locations=code.locations).cycles


def changed(**timing: int) -> Device:
    dev = device()
    return replace(dev, timing=replace(dev.timing, **timing))


@pytest.mark.parametrize("program", ALONE, ids=str)
def test_twice_the_bandwidth_is_never_slower(program: Program) -> None:
    alone = OneCore(program.name, 1, program.inputs, program.reference, program.ulp)
    times = [cycles(alone, changed(device_bandwidth=b)) for b in (8, 16, 32, 64, 128, 256)]
    assert times == sorted(times, reverse=True)
    assert times[0] > times[-1]


@pytest.mark.parametrize("program", ALONE, ids=str)
def test_twice_the_lanes_are_never_slower(program: Program) -> None:
    alone = OneCore(program.name, 1, program.inputs, program.reference, program.ulp)
    dev = device()
    units = {k: replace(u, lanes={t: 2 * n for t, n in u.lanes.items()}) for k, u in dev.units.items()}
    assert cycles(alone, replace(dev, units=units)) <= cycles(alone, dev)


@pytest.mark.parametrize("name", ["allreduce", "multicast", "straddle"])
def test_hops_and_bytes_of_the_ring_cost_time(name: str) -> None:
    program = next(p for p in PROGRAMS if p.name == name)
    free, near, far = (cycles(program, changed(hop_latency=h)) for h in (0, 4, 400))
    assert free <= near < far
    assert cycles(program, changed(ring_bandwidth=1)) > near


@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_no_run_beats_its_bound(program: Program) -> None:
    _, result = program.binary(program.artifact())
    assert result.report["bound"]["ratio"] >= 1


def test_the_report_says_what_went_over_the_ring() -> None:
    """Core 0 sends five rows of 128 bytes to cores 1, 2 and 3 of 32, each link of the way once."""
    program = next(p for p in PROGRAMS if p.name == "multicast")
    report = program.binary(program.artifact())[1].report
    assert report["ring"] == [{"from": c, "to": c + 1, "moved": 5 * 128} for c in range(3)]
    assert "ring, all links" in render(report)
