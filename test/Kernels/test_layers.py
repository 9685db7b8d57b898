"""The kernels of transformer layers at each stage, as binaries, under shuffled timing, and on other devices."""

import re

import numpy as np
import pytest
from layer_lines import DEVICES, LINES, STAGES, LayerLine

from spyrec import driver
from spyrec.errors import SpyrecError

BIG = {line.case.name for line in LINES if sum(np.size(v) for v in line.values.values()) > 200_000}
"""Kernels that are there for what does not fit into LX; they take seconds."""


def bits(arrays: dict[str, np.ndarray]) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in arrays.items()}


def refused(program: str) -> bool:
    """Whether the gate of stage program refuses a text."""
    try:
        driver.compile_text(program, "program.mlir", driver.Options(from_stage="program", emit="program"))
    except SpyrecError:
        return True
    return False


@pytest.mark.parametrize("line", LINES, ids=str)
def test_as_written(line: LayerLine) -> None:
    assert line.agrees(line.as_written())


@pytest.mark.parametrize("line", LINES, ids=str)
def test_every_stage_and_the_binary_agree_with_numpy(line: LayerLine) -> None:
    """Bits are those of the kernel as written, but where a sum is made of the sums of tiles."""
    written = line.as_written()
    assert line.agrees(written)
    for stage in STAGES[1:]:
        arrays = line.at_stage(stage, seed=5)
        assert line.agrees(arrays), stage
        assert line.case.reassociated or bits(arrays) == bits(written), f"bits of stage {stage}"
    binary = line.binary()
    assert line.agrees(binary)
    assert bits(binary) == bits(arrays), "bits of the binary"


@pytest.mark.parametrize("line", LINES, ids=str)
def test_results_do_not_depend_on_timing(line: LayerLine) -> None:
    plain = bits(line.binary())
    for seed in range(2 if line.case.name in BIG else 20):
        assert bits(line.binary(shuffle=seed)) == plain, f"shuffle {seed}"


@pytest.mark.parametrize("line", LINES, ids=str)
def test_every_channel_is_needed(line: LayerLine) -> None:
    """Without any one of the channels that pruning left, the static check refuses the program."""
    text = line.compile("program").text
    assert text is not None
    channels = re.findall(r"dataflow\.channel (@\S+) ", text)
    assert channels
    for name in channels:
        rows = [r for r in text.splitlines() if not re.search(rf"(wait|post|channel) {re.escape(name)}( |$)", r)]
        assert refused("\n".join(rows)), f"accepted without {name}"


@pytest.mark.parametrize("device", DEVICES[1:])
@pytest.mark.parametrize("line", [line for line in LINES if line.case.name not in BIG], ids=str)
def test_other_devices_run_the_same_kernels(line: LayerLine, device: str) -> None:
    there = LayerLine(line.case, device)
    binary = there.binary()
    assert there.agrees(binary)
    assert bits(there.binary(shuffle=1)) == bits(binary)
