"""The kernels of every style, compiled: each stage, the binary, shuffled timing, each channel, other devices."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from layer_lines import DEVICES, LayerLine, bits
from layers import Case

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "semantics"))
from references import KERNELS

LINES = [
    LayerLine(Case(k.name, k.path.read_text(encoding="utf-8"), k.inputs, k.reference, k.tolerance))
    for k in KERNELS.values()
]
SLOW = {"softmax_splat"}
"""4096 rows: seconds for each run."""
UNNEEDED = {"all_reduce": ["@tile_1_over_ring_sfu_1", "@o_ptr_stored_ring", "@offer0_taken"]}
"""Channels that the static check does not miss: that exchange happens twice, in buffers that have two slots, and what
orders a core before others is not weighed against how often it happens."""


@pytest.mark.parametrize("line", LINES, ids=str)
def test_every_stage_and_the_binary_agree_with_numpy(line: LayerLine) -> None:
    line.check_stages()


@pytest.mark.parametrize("line", LINES, ids=str)
def test_results_do_not_depend_on_timing(line: LayerLine) -> None:
    line.check_shuffles(1 if line.case.name in SLOW else 20)


@pytest.mark.parametrize("line", LINES, ids=str)
def test_every_channel_is_needed(line: LayerLine) -> None:
    assert line.unneeded_channels() == UNNEEDED.get(line.case.name, [])


@pytest.mark.parametrize("device", DEVICES[1:])
@pytest.mark.parametrize("line", LINES, ids=str)
def test_other_devices_run_the_same_kernels(line: LayerLine, device: str) -> None:
    there = LayerLine(line.case, device)
    binary = there.binary()
    assert there.agrees(binary)
    assert bits(there.binary(shuffle=1)) == bits(binary)
