"""The example kernels are compiled and run, unchanged, for devices of other shapes and speeds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from layer_lines import LayerLine
from layers import Case, pointwise, views
from lines import LINES, Line

import spyrec
from spyrec.device import cost, read, routes
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


@pytest.mark.parametrize(
    ("case", "unit"),
    [(views.transposed(6, 65, 3, "triton", "load"), "single"), (pointwise.copy(64, 256, "f16", 2, "hand"), "bulk")],
    ids=lambda value: str(getattr(value, "name", value)),
)
def test_each_transfer_takes_the_way_that_suits_it(case: Case, unit: str) -> None:
    """Two units load: one whole lines of 512 bytes, quickly, the other single grains."""
    device = Path(__file__).parents[1] / "Passes" / "materialize-tiles" / "Inputs" / "two_ways.mlir"
    line = LayerLine(case, str(device), ("choose-tile-sizes=off",))
    text = line.compile("schedule").text
    assert text is not None
    assert f"unit = @{unit}" in text
    assert f"unit = @{'bulk' if unit == 'single' else 'single'}" not in text
    assert line.agrees(line.binary())


def test_links_move_whole_grains() -> None:
    """A row of 130 bytes moves 512 over links that carry nothing smaller, on both sides."""
    device = read.load(str(Path(__file__).parents[1] / "Passes" / "materialize-tiles" / "Inputs" / "two_ways.mlir"))
    assert cost.grain(routes.links(device, ("far", "bulk", "near")), 1) == 512
    assert cost.grain(routes.links(device, ("far", "single", "near")), 128) == 128
    assert cost.quickest(device, "far", "near", (1, 2048), (0, 2), 2) == [("far", "bulk", "near")]
    assert cost.quickest(device, "far", "near", (2048, 1), (1000, 2), 2) == [("far", "single", "near")]
