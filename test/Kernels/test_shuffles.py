"""Results do not depend on timing: every latency drawn at random, twenty times."""

import pytest
from lines import LINES, Line, bits


@pytest.mark.parametrize("line", LINES, ids=str)
def test_twenty_shuffles_give_the_same_bits(line: Line) -> None:
    plain = bits(line.binary())
    for seed in range(20):
        assert bits(line.binary(shuffle=seed)) == plain, f"shuffle {seed}"
