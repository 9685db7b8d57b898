"""Every row of the table of malformed kernels ends in a located error with its id."""

from __future__ import annotations

import numpy as np
import pytest
from launching import execute, execute_random
from malformed import PLAIN, Row
from malformed_run import RUN_ROWS
from malformed_text import TEXT_ROWS
from malformed_tiles import GATHER, GATHER_ROWS, INTER, INTER_ROWS, SPLIT, SPLIT_ROWS

from spyrec.errors import Severity, SpyrecError

CASES = [
    (text, row)
    for text, rows in (
        (PLAIN, TEXT_ROWS),
        (PLAIN, RUN_ROWS),
        (GATHER, GATHER_ROWS),
        (SPLIT, SPLIT_ROWS),
        (INTER, INTER_ROWS),
    )
    for row in rows
]


def edited(row: Row, text: str) -> str:
    """The kernel with the mistake of a row."""
    for old, new in row[1]:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


def line_of(row: Row, text: str) -> int:
    """Where the error has to point."""
    marker = row[3]
    if isinstance(marker, int):
        return marker if marker > 0 else len(text.splitlines()) + 1 + marker
    return text.count("\n", 0, text.index(row[1][0][1] if marker is None else marker)) + 1


def test_there_are_more_than_a_hundred() -> None:
    assert len({row[0] for _, row in CASES}) == len(CASES) > 100


@pytest.mark.parametrize(("kernel", "row"), CASES, ids=[row[0] for _, row in CASES])
def test_it_is_refused_with_an_id_at_its_place(kernel: str, row: Row) -> None:
    text = edited(row, kernel)
    with pytest.raises(SpyrecError) as caught:
        execute_random(text, given={"n": np.array([9, 0, 3, 3], np.int32)} if kernel is GATHER else {})
    first = next(d for d in caught.value.diagnostics if d.severity is Severity.ERROR)
    assert first.id == row[2], f"{first.id}: {first.message}"
    assert first.position is not None, first.message
    assert first.position.line == line_of(row, text), (first.position, first.message)
    assert first.message


def test_the_kernel_that_they_are_edits_of_is_sound() -> None:
    x = np.arange(256, dtype=np.float32).reshape(4, 64) + 1
    got = execute(PLAIN, {"x": x})
    assert not got.diagnostics
    assert np.array_equal(got["z"], x / x.sum(axis=1, keepdims=True))
    rng = np.random.default_rng(2)
    table, ids = rng.standard_normal((10, 64)).astype(np.float16), np.array([9, 0, 3, 3], np.int32)
    assert np.array_equal(execute(GATHER, {"t": table, "n": ids})["z"], table[ids])
    assert np.array_equal(execute(SPLIT, {"a": table[:4], "b": table[4:8]})["z"], table[:8])
    got = execute(INTER, {"x": x})
    assert np.array_equal(got["z"], np.repeat(x.sum(axis=0, keepdims=True), 4, axis=0))
