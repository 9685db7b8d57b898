"""Estimates take boxes over the routes that their transfers are going to take."""

from pathlib import Path

import pytest

from spyrec.device import read
from spyrec.passes.analysis.staging import Memories

TWO_WAYS = Path(__file__).parents[1] / "materialize-tiles" / "Inputs" / "two_ways.mlir"


@pytest.mark.parametrize(("counts", "strides", "unit"), [((1, 2048), (0, 2), "bulk"), ((2048, 1), (1000, 2), "single")])
def test_each_box_has_the_quickest_way(counts: tuple[int, int], strides: tuple[int, int], unit: str) -> None:
    memories = Memories(read.load(str(TWO_WAYS)))
    way = memories.way(counts, strides, 2, reads=True)
    assert way.units == (unit,)
    assert [(link.source, link.target) for link in way.legs[0]] == [("far", unit), (unit, "near")]


def test_where_there_is_one_way_it_is_that() -> None:
    memories = Memories(read.load("spyre"))
    assert memories.way((64, 64), (128, 2), 2, reads=True) is memories.load
    assert memories.way((64, 64), (128, 2), 2, reads=False) is memories.store
