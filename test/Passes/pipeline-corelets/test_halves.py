"""Loops whose corelets do half of each iteration compute what they computed, and no channel of them is one too many."""

from __future__ import annotations

import pytest
from layer_lines import LayerLine
from layers import products, reductions

ALWAYS = "pipeline-corelets{gain=-1000000}"
OTHERS = ("alternate-corelets=off", "group-iterations=off")


@pytest.mark.parametrize("device", ["spyre", "fast_memory"])
@pytest.mark.parametrize("blocks", [1, 2, 3, 4, 9])
def test_online_softmax(blocks: int, device: str) -> None:
    line = LayerLine(reductions.softmax_blocks(2, blocks * 70, 70, 2, "hand", online=True), device, (ALWAYS, *OTHERS))
    line.check_stages()
    line.check_shuffles(3)
    assert _is_done(line) == (blocks > 2)


@pytest.mark.parametrize("online", [True, False])
def test_no_channel_is_one_too_many(online: bool) -> None:
    case = reductions.softmax_blocks(1, 5 * 65, 65, 1, "hand", online=online)
    assert not LayerLine(case, "fast_memory", (ALWAYS, *OTHERS)).unneeded_channels()


def test_flash_attention() -> None:
    line = LayerLine(products.flash(128, 64, 32, 32, "triton"), "fast_memory", (ALWAYS, *OTHERS))
    line.check_stages()
    line.check_shuffles(3)
    assert _is_done(line)


def test_is_worth_it_for_few_rows() -> None:
    case = reductions.softmax_blocks(1, 16 * 256, 256, 1, "hand", online=True)
    assert _is_done(LayerLine(case, "fast_memory"))


def _is_done(line: LayerLine) -> bool:
    return "_kept" in (line.compile("schedule").text or "")
