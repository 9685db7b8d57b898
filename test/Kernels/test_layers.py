"""The kernels of transformer layers at each stage, as binaries, under shuffled timing, and on other devices."""

import numpy as np
import pytest
from layer_lines import DEVICES, LINES, LayerLine, bits

SLOW = {line.case.name for line in LINES if sum(np.size(v) for v in line.values.values()) > 2_000_000}
"""A product that does not fit into LX: seconds for each run."""


@pytest.mark.parametrize("line", LINES, ids=str)
def test_as_written(line: LayerLine) -> None:
    assert line.agrees(line.as_written())


@pytest.mark.parametrize("line", LINES, ids=str)
def test_every_stage_and_the_binary_agree_with_numpy(line: LayerLine) -> None:
    line.check_stages()


@pytest.mark.parametrize("line", LINES, ids=str)
def test_results_do_not_depend_on_timing(line: LayerLine) -> None:
    line.check_shuffles(3 if line.case.name in SLOW else 20)


@pytest.mark.parametrize("line", LINES, ids=str)
def test_every_channel_is_needed(line: LayerLine) -> None:
    """Without any one of the channels that pruning left, the static check refuses the program."""
    assert line.unneeded_channels() == []


@pytest.mark.parametrize("device", DEVICES[1:])
@pytest.mark.parametrize("line", LINES, ids=str)
def test_other_devices_run_the_same_kernels(line: LayerLine, device: str) -> None:
    there = LayerLine(line.case, device)
    binary = there.binary()
    assert there.agrees(binary)
    assert bits(there.binary(shuffle=1)) == bits(binary)
