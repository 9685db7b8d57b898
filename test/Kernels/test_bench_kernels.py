"""The kernels of the bench on all 32 cores: right, and none of their channels is there for nothing."""

import sys
from pathlib import Path

import pytest
from layer_lines import LayerLine

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
from schedules import KERNELS

LINES = [LayerLine(make(32)) for make in KERNELS.values()]


@pytest.mark.parametrize("line", LINES, ids=list(KERNELS))
def test_the_binary_agrees_with_numpy(line: LayerLine) -> None:
    assert line.agrees(line.binary())


@pytest.mark.parametrize("line", LINES, ids=list(KERNELS))
def test_every_channel_is_needed(line: LayerLine) -> None:
    """Without any one of the channels that pruning left, the static check refuses the program."""
    assert line.unneeded_channels() == []
