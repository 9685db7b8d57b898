"""The kernels of transformer layers compute what NumPy does."""

import pytest
from layer_lines import LINES, LayerLine


@pytest.mark.parametrize("line", LINES, ids=str)
def test_as_written(line: LayerLine) -> None:
    assert line.agrees(line.as_written())
