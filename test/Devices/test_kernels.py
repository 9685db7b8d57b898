"""The example kernels are compiled and run, unchanged, for devices of other shapes and speeds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from lines import LINES, Line

import spyrec
from spyrec.device import read
from spyrec.errors import Unsupported

PUBLIC = str(Path(__file__).parent / "Inputs" / "public_style.mlir")
"""Written as the public tools write devices: no number of ours in it, lanes for f16 only."""


def compiled(line: Line, device: str) -> spyrec.Code:
    return spyrec.compile(line.kernel.text(line.element), kernel=line.kernel.name, device=device)


def matches(line: Line, code: spyrec.Code) -> bool:
    return line.distance({name: np.asarray(array) for name, array in code.run(line.inputs).items()}) <= line.kernel.ulp


@pytest.mark.parametrize("device", ["small_cores", "fast_memory"])
@pytest.mark.parametrize("line", LINES, ids=str)
def test_every_example_runs_on(line: Line, device: str) -> None:
    assert matches(line, compiled(line, device))


def test_the_devices_differ_where_it_matters() -> None:
    spyre, small, fast = (read.load(name) for name in ("spyre", "small_cores", "fast_memory"))
    assert small.memory("lx").size < spyre.memory("lx").size
    assert (small.corelets, spyre.corelets) == (1, 2)
    assert small.unit("vector").level == "core"
    assert not set(small.units) & set(spyre.units)
    assert fast.timing.device_bandwidth == 10 * spyre.timing.device_bandwidth
    assert (fast.units, fast.links, fast.memories) == (spyre.units, spyre.links, spyre.memories)


def test_faster_memory_is_faster() -> None:
    line = next(line for line in LINES if str(line) == "add-f16")
    cycles = {}
    for device in ("spyre", "fast_memory"):
        cycles[device] = compiled(line, device).execute(line.inputs).cycles
    assert cycles["fast_memory"] < cycles["spyre"]


@pytest.mark.parametrize("line", LINES, ids=str)
def test_a_public_file_drives_the_model(line: Line) -> None:
    """What the file does not say has the documented defaults; what it says it cannot do is refused at its line."""
    if line.element == "f16":
        assert matches(line, compiled(line, PUBLIC))
        return
    with pytest.raises(Unsupported, match=f"no lanes for {line.element}") as caught:
        compiled(line, PUBLIC)
    assert all(d.position is not None for d in caught.value.diagnostics)
