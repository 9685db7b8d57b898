"""Every row of the table of malformed kernels ends in a located error with its id."""

from __future__ import annotations

import numpy as np
import pytest
from launching import execute, execute_random
from malformed import PLAIN, ROWS, Row

from spyrec.errors import Severity, SpyrecError


def edited(row: Row, text: str = PLAIN) -> str:
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


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_it_is_refused_with_an_id_at_its_place(row: Row) -> None:
    text = edited(row)
    with pytest.raises(SpyrecError) as caught:
        execute_random(text)
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
