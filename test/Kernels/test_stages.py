"""Every example kernel equals NumPy at each stage and as binary; from stage to stage the bits are equal."""

import pytest
from lines import IR_STAGES, LINES, Line, bits


@pytest.mark.parametrize("line", LINES, ids=str)
def test_every_stage_equals_numpy(line: Line) -> None:
    binary = line.binary()
    assert line.distance(binary) <= line.kernel.ulp
    for stage in IR_STAGES:
        arrays = line.at_stage(stage, seed=3)
        assert bits(arrays) == bits(binary), f"stage {stage} and the binary differ in their bits"
