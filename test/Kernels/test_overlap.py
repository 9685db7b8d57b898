"""What double-buffering alone is worth where memory is fast: the kernels and numbers are those of ``bench/overlap.py``.

Slots hide transfers behind compute and give each corelet iterations, or halves of them, of its own; they do not make
lanes faster. So where lanes are all that counts there is nothing to gain: tiles of 4 rows of 512 elements keep both
corelets busy for 5,292 of 5,867 cycles, and with one slot they take no longer.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
from overlap import KERNELS, SINGLE, WANTED, gain

NO_ROOM = "softmax_of_4"
CASES = [(name, width, tiles) for name, kernel in KERNELS.items() for width in kernel.widths for tiles in kernel.grids]


@pytest.mark.parametrize(("name", "width", "tiles"), CASES)
def test_a_tile_at_a_time(name: str, width: int, tiles: int) -> None:
    found = gain(KERNELS[name].make(width, tiles), *SINGLE)
    assert found.ratio >= WANTED or name == NO_ROOM
    assert found.most >= WANTED or name == NO_ROOM


@pytest.mark.parametrize("width", [64, 256, 512])
@pytest.mark.parametrize("name", ["chain", "sums", "softmax", "rmsnorm", "layernorm"])
def test_tiles_that_are_done_at_once_are_near_the_bound_or_gain_as_much(name: str, width: int) -> None:
    case = KERNELS[name].make(width, 1)
    found = gain(case)
    assert found.with_ <= gain(case, *SINGLE).with_
    assert found.with_ <= 1.2 * found.bound or found.ratio >= WANTED
