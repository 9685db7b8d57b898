"""What a loop computes stays bit for bit the same when its iterations are grouped."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tiles import passed, results

sys.path.insert(0, str(Path(__file__).resolve().parent))

from loops import Loop

SEEDS = 32


def grouped(text: str, size: int) -> str:
    """The kernel with groups of ``size`` (0: chosen); the pass changes nothing more when it runs again."""
    once, reported = passed(text, f"unshare-inits group-iterations{{size={size}}}")
    assert not reported
    assert passed(once, f"group-iterations{{size={size}}}")[0] == once
    return once


@pytest.mark.parametrize("seed", range(SEEDS))
def test_random_loops(seed: int) -> None:
    loop = Loop(seed)
    text, given = loop.text(), loop.given()
    before = results(text, given)
    for size in (0, 2, 5, 16):
        assert results(grouped(text, size), given) == before, (seed, size)


def test_many_of_them_are_grouped() -> None:
    texts = [grouped(Loop(seed).text(), 2) for seed in range(SEEDS)]
    assert SEEDS // 4 < sum("dataflow.grouped = 2" in text for text in texts) < SEEDS
