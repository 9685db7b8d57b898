"""What double-buffering alone is worth where memory is fast: on the device with ten times the bandwidth, a kernel with
slots against the same kernel with one slot per buffer. Cycles are simulated, so each ratio is the same everywhere.

A tile of the kernel is an iteration here. ``group-iterations`` does several tiles at once, which costs nothing of what
slots hide: rows of one kernel then take 1.1 to 1.3 times the least time that lanes and links allow, and with one slot
1.1 to 1.8 times. So a gain of 1.5 is asked for there only where the bound leaves room for it.

Slots hide transfers behind compute and give each corelet iterations of its own; they do not make lanes faster. So the
ratio comes down to 1 where lanes are all that counts. With 32 rows of 1,024 elements the lanes of softmax are busy for
5,120 of 6,400 cycles, and one slot takes 9,250: 1.45. Tiles of 4 rows of 512 elements need 10,240 of 11,560, and one
slot takes 12,770, since rows are cut between corelets then: 1.10. An online softmax does nothing with a block but a
cast before the block in front of it is done, on one corelet: of one row, blocks of 128 elements take it 107 cycles each
and blocks of 256 take it 120, their transfers 66, so slots give 1.49 and 1.35.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from layer_lines import LayerLine
from layers import Case, pointwise, reductions
from layers.case import Values, normal, wide
from layers.text import Text

from spyrec.driver import execute

TILES = 16
"""Iterations of each core at least."""

WANTED = 1.5

Make = Callable[[int, int], Case]
"""A kernel with ``TILES`` tiles of a width on so many cores."""


SINGLE = "group-iterations=off"
"""A tile of the kernel stays an iteration of the loop."""


def report(case: Case, *tuning: str) -> dict[str, Any]:
    line = LayerLine(case, "fast_memory", tuning)
    launch = line.launch()
    found = execute.run_binary(line.artifact, launch).report
    assert line.agrees(dict(launch.outputs()))
    return found


def gain(case: Case, *tuning: str) -> float:
    """How many times as long the kernel takes without slots."""
    without, with_ = (report(case, *tuning, *off)["cycles"] for off in (("choose-buffer-depth=off",), ()))
    return float(without / with_)


ROWS: dict[str, Make] = {
    "chain": lambda width, n: pointwise.chain(TILES * n, width, "f16", n, "hand"),
    "sums": lambda width, n: reductions.sums(TILES + n - 1, width, 1, n, "hand"),
    "softmax": lambda width, n: reductions.softmax_rows(TILES * n, width, "f16", n, "hand"),
    "rmsnorm": lambda width, n: reductions.norm(TILES * n, width, "f16", n, "hand", mean=False),
    "layernorm": lambda width, n: reductions.norm(TILES * n, width, "f16", n, "hand", mean=True),
}
WIDTHS = {"sums": (64, 128, 256), "softmax_passes": (64, 128, 256), "softmax_online": (64, 96)}
BLOCKS: dict[str, Make] = {
    "sums": lambda width, n: reductions.sums(4 * (TILES + n - 1), width, 4, n, "hand"),
    "softmax_passes": lambda width, n: reductions.softmax_blocks(n, TILES * width, width, n, "hand", online=False),
    "softmax_online": lambda width, n: reductions.softmax_blocks(n, TILES * width, width, n, "hand", online=True),
}


@pytest.mark.parametrize("tiles", [1, 4])
@pytest.mark.parametrize("width", [64, 100, 256, 512])
@pytest.mark.parametrize("kernel", ROWS)
def test_one_row_at_a_time(kernel: str, width: int, tiles: int) -> None:
    assert gain(ROWS[kernel](width, tiles), SINGLE) >= WANTED


@pytest.mark.parametrize("tiles", [1, 4])
@pytest.mark.parametrize(("kernel", "width"), [(kernel, width) for kernel in BLOCKS for width in WIDTHS[kernel]])
def test_blocks_of_rows_and_of_columns(kernel: str, width: int, tiles: int) -> None:
    assert gain(BLOCKS[kernel](width, tiles), SINGLE) >= WANTED


@pytest.mark.parametrize("width", [64, 256, 512])
@pytest.mark.parametrize("kernel", ROWS)
def test_tiles_that_are_done_at_once_are_near_the_bound_or_gain_as_much(kernel: str, width: int) -> None:
    case = ROWS[kernel](width, 1)
    found = report(case)
    assert found["cycles"] <= report(case, SINGLE)["cycles"]
    assert found["bound"]["ratio"] <= 1.3 or gain(case) >= WANTED


def long_chain(operations: int, width: int, cores: int) -> Case:
    """``operations`` lane operations on rows of two arrays."""
    name = f"chain_of_{operations}_{width}_{cores}"
    k = Text(name, (cores,), "x_ptr y_ptr z_ptr")
    x, y, z = pointwise.rows_of(k, TILES * cores, width, "f16", "x_ptr", "y_ptr", "z_ptr")
    core = k.core()
    with k.loop(0, TILES) as loop:
        first = k.scaled(core, TILES, loop.counter)
        a, b = (k.load(v, [first, 0], (1, width)) for v in (x, y))
        for number in range(operations):
            a = k.same("arith.subf" if number % 2 else "arith.maximumf", a, b)
        k.store(a, z, [first, 0])

    def reference(v: Values) -> Values:
        a, b = v["x_ptr"], v["y_ptr"]
        for number in range(operations):
            a = a - b if number % 2 else np.maximum(a, b)
        return {"z_ptr": wide(a)}

    shape = ((TILES * cores, width), "f16")
    return Case(name, str(k), normal(x_ptr=shape, y_ptr=shape), reference)


@pytest.mark.parametrize("width", [64, 256, 512])
@pytest.mark.parametrize("operations", [12, 24])
def test_chains_on_all_cores(operations: int, width: int) -> None:
    assert gain(long_chain(operations, width, 32), SINGLE) >= WANTED
