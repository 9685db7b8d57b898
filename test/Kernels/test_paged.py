"""Views that start where a table in memory says: anywhere in their array, and an error beyond it."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spyrec

KERNEL = Path(__file__).parent / "Inputs" / "paged.mlir"


@pytest.fixture(scope="module")
def code() -> spyrec.Code:
    return spyrec.compile(KERNEL)


def arrays(*table: int) -> dict[str, Any]:
    x = np.arange(256, dtype=np.float16).reshape(4, 64)
    bias = (np.arange(64) % 7).astype(np.float16)
    return {"x": x, "table": np.array(table, np.int32), "pool": np.zeros(1000, np.float16), "4096": bias}


def test_pages_lie_anywhere_in_the_pool(code: spyrec.Code) -> None:
    """In any order, over one another, at the very end; the literal address is one that another view starts at."""
    for table in ([0, 64, 128, 192, 4096], [936, 500, 436, 0, 4096], [7, 7, 7, 7, 4096], [100, 101, 99, 120, 4096]):
        given = arrays(*table)
        pool = given["pool"].copy()
        for row, at in zip(given["x"], table, strict=False):
            pool[at : at + 64] = row
        for out in (code.run(given), code.run(given, shuffle=3), spyrec.interpret(KERNEL, given).outputs):
            np.testing.assert_array_equal(out["z"], given["x"] * 2)
            np.testing.assert_array_equal(out["pool"], pool)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ([0, 64, 2000, 192, 4096], "are in no array of this launch: they are 2000 bytes behind the end of 'pool'"),
        ([0, 64, 940, 192, 4096], "leave the memory of 'pool'|leave 'pool'"),
        ([0, 64, -100, 192, 4096], "in no array of this launch: they are 72 bytes before the beginning of 'pool'"),
        ([0, 64, 128, 192, 4200], "are in no array of this launch: they are 80 bytes behind the end of '4096'"),
    ],
)
def test_beyond_it_is_an_error_that_names_the_view(code: spyrec.Code, table: list[int], says: str) -> None:
    for run in (lambda: code.run(arrays(*table)), lambda: spyrec.interpret(KERNEL, arrays(*table))):
        with pytest.raises(spyrec.InvalidKernel, match=says) as caught:
            run()
        (error,) = (d for d in caught.value.diagnostics if d.severity is spyrec.Severity.ERROR)
        assert error.id == "out-of-memory"
        assert error.position is not None
        if "no array" in error.message:
            assert error.message.endswith("; what the kernel loads decides where the views of lines 25 and 33 start")


def test_what_is_loose_is_kept_in_the_artifact(code: spyrec.Code, tmp_path: Path) -> None:
    code.save(tmp_path / "paged.spyre")
    again = spyrec.load(tmp_path / "paged.spyre")
    assert sorted(v.line for v in again.signature.views if v.loose) == [25, 33]
    assert again.run(arrays(936, 0, 436, 100, 4096))["z"][3, 63] == 510
    shown = subprocess.run(
        [sys.executable, "-m", "spyrec", "inspect", tmp_path / "paged.spyre"], capture_output=True, text=True
    )
    assert "rw pool: 64 of f16, strides [1], 64 elements from where data say" in shown.stdout
