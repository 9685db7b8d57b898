"""What double-buffering alone is worth where memory is fast: on the device with ten times the bandwidth, a kernel with
slots against the same kernel with one slot per buffer. Cycles are simulated, so each ratio is the same everywhere.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from layer_lines import LayerLine
from layers import Case, pointwise, reductions

from spyrec.driver import execute

TILES = 16
"""Iterations of each core at least."""

WANTED = 1.5


def cycles(case: Case, *tuning: str) -> int:
    line = LayerLine(case, "fast_memory", tuning)
    launch = line.launch()
    report = execute.run_binary(line.artifact, launch).report
    assert line.agrees(dict(launch.outputs()))
    return int(report["cycles"])


def gain(case: Case) -> float:
    """How many times as long the kernel takes without slots."""
    return cycles(case, "choose-buffer-depth=off") / cycles(case)


ROWS: dict[str, Callable[[int, int], Case]] = {
    "chain": lambda width, n: pointwise.chain(TILES * n, width, "f16", n, "hand"),
    "sums": lambda width, n: reductions.sums(TILES + n - 1, width, 1, n, "hand"),
    "softmax": lambda width, n: reductions.softmax_rows(TILES * n, width, "f16", n, "hand"),
    "rmsnorm": lambda width, n: reductions.norm(TILES * n, width, "f16", n, "hand", mean=False),
    "layernorm": lambda width, n: reductions.norm(TILES * n, width, "f16", n, "hand", mean=True),
}


@pytest.mark.parametrize("tiles", [1, 4])
@pytest.mark.parametrize("width", [64, 100, 256, 512])
@pytest.mark.parametrize("kernel", ROWS)
def test_one_row_at_a_time(kernel: str, width: int, tiles: int) -> None:
    assert gain(ROWS[kernel](width, tiles)) >= WANTED
