"""Reads and writes of stage `kernel`: clips, sets, lists of indices, other cores; against NumPy."""

from typing import Any

import numpy as np
import pytest
from kernel import execute, refused, written

X = np.arange(8 * 6, dtype=np.int32).reshape(8, 6)
OLD = np.full((4, 5), -1, np.int32)


def kernel(body: str, grid: int = 1) -> str:
    lines = body.strip().splitlines()
    ending = "\n".join(f"  {line.strip()}" for line in lines)
    return f"func.func @k(%x: index, %z: index, %l: index) attributes {{grid = [{grid}]}} {{\n{ending}\n  return\n}}\n"


def read(what: str) -> str:
    """A kernel that reads 4 x 5 elements from row 2 on, and writes them all."""
    return kernel(f"""
      %n = arith.constant 3 : index
      %one = arith.constant 1 : index
      %o = arith.constant 12 : index
      %zero = arith.constant 0 : index
      %five = arith.constant dense<5> : tensor<4x5xi32>
      %list = dataflow.read @device[%zero from %l] strides [1] : tensor<4xi32>
      %a = dataflow.read {what}
      dataflow.write %a, @device[%zero from %z] strides [5, 1] : tensor<4x5xi32>""")


def write(what: str) -> str:
    return kernel(f"""
      %n = arith.constant 3 : index
      %o = arith.constant 12 : index
      %zero = arith.constant 0 : index
      %list = dataflow.read @device[%zero from %l] strides [1] : tensor<4xi32>
      %a = dataflow.read @device[%o from %x] strides [6, 1] : tensor<4x5xi32>
      dataflow.write %a, {what}""")


def run(text: str, index: Any = (3, 0, 2, 0)) -> np.ndarray:
    values = {"x": X, "z": written(OLD.shape, "i32"), "l": np.array(index, np.int32)}
    values["z"] = OLD.copy()
    return np.asarray(execute(text, values)["z"])


BOX, KIND = "@device[%o from %x] strides [6, 1]", ": tensor<4x5xi32>"
GATHER = "@device[%o from %x] strides [0, 1]"
WHOLE = X[2:6, :5]
ROWS, COLUMNS = np.indices((4, 5))
BY_ROW = "{index_maps = [affine_map<(r, c) -> (r)>], index_scales = array<i64: 6>}"


@pytest.mark.parametrize(
    ("what", "want"),
    [
        (f"{BOX} clip [1, 0] to [4, 4] {KIND}", np.where((ROWS > 0) & (COLUMNS < 4), WHOLE, 0)),
        (f"{BOX} clip [%one, -3] to [%n, 99] {KIND}", np.where((ROWS > 0) & (ROWS < 3), WHOLE, 0)),
        (f"{BOX} clip [3, 0] to [2, 5] {KIND}", np.zeros_like(WHOLE)),
        (f"{BOX} clip [0, 0] to [4, 2] fill 7 {KIND}", np.where(COLUMNS < 2, WHOLE, 7)),
        (f"{BOX} clip [0, 2] to [4, 5] into %five {KIND}", np.where(COLUMNS >= 2, WHOLE, 5)),
        (f"{BOX} set affine_set<(r, c) : (r - c >= 0)> {KIND}", np.where(ROWS >= COLUMNS, WHOLE, 0)),
        (
            f"{BOX} set affine_set<(r, c)[n] : (c - n >= 0)> symbols(%n) fill -2 {KIND}",
            np.where(COLUMNS > 2, WHOLE, -2),
        ),
        (
            f"{BOX} clip [0, 0] to [3, 5] set affine_set<(r, c) : (c mod 2 == 0)> into %five {KIND}",
            np.where((ROWS < 3) & (COLUMNS % 2 == 0), WHOLE, 5),
        ),
        (
            f"@device[%o from %x] strides [0, 1] index (%list : tensor<4xi32>) below [4] {BY_ROW} {KIND}",
            X[[5, 2, 4, 2], :5],
        ),
        (
            f"@device[%o from %x] strides [0, 1] clip [0, 0] to [4, 3] set affine_set<(r, c) : (r - 1 >= 0)>"
            f" index (%list : tensor<4xi32>) below [%n] {BY_ROW} {KIND}",
            np.where((ROWS > 0) & (COLUMNS < 3), X[[5, 2, 4, 2], :5], 0),
        ),
        (f"@device[%o from %x] strides [%n, %one] {KIND}", X.reshape(-1)[12 + 3 * ROWS + COLUMNS]),
    ],
)
def test_reads(what: str, want: np.ndarray) -> None:
    assert np.array_equal(run(read(what)), want)


@pytest.mark.parametrize(
    ("what", "kept"),
    [
        (f"@device[%zero from %z] strides [5, 1] clip [0, 1] to [%n, 5] {KIND}", (ROWS < 3) & (COLUMNS > 0)),
        (f"@device[%zero from %z] strides [5, 1] set affine_set<(r, c) : (c - r >= 0)> {KIND}", COLUMNS >= ROWS),
    ],
)
def test_writes_leave_what_is_outside_alone(what: str, kept: np.ndarray) -> None:
    assert np.array_equal(run(write(what)), np.where(kept, WHOLE, OLD))


def test_of_points_that_meet_the_last_one_is_written() -> None:
    by_row = BY_ROW.replace("i64: 6", "i64: 5")
    text = write(f"@device[%zero from %z] strides [0, 1] index (%list : tensor<4xi32>) below [4] {by_row} {KIND}")
    want = OLD.copy()
    for row, place in enumerate((3, 0, 2, 0)):
        want[place] = WHOLE[row]
    assert np.array_equal(run(text), want)


def test_an_index_out_of_range_is_an_error_only_where_it_is_used() -> None:
    box = f"@device[%o from %x] strides [0, 1] %sindex (%list : tensor<4xi32>) below [4] {BY_ROW} {KIND}"
    found = refused(read(box.replace("%s", "")), {"x": X, "z": OLD, "l": np.array([0, 4, 1, 1], np.int32)})
    assert found.id == "index-out-of-range"
    assert "index 4 of the point [1, 0] is outside of 0..3" in found.message
    text = read(box.replace("%s", "set affine_set<(r, c) : (r - 2 >= 0)> "))
    assert np.array_equal(run(text, (-1, 4, 1, 1))[2:], X[[3, 3], :5])


def test_points_that_are_not_read_are_as_undefined_as_the_init() -> None:
    text = kernel(f"""
      %o = arith.constant 12 : index
      %zero = arith.constant 0 : index
      %e = tensor.empty() : tensor<4x5xi32>
      %a = dataflow.read {BOX} clip [0, 0] to [4, 3] into %e {KIND}
      %b = dataflow.read {BOX} clip [0, 3] to [4, 5] into %a {KIND}
      dataflow.write %b, @device[%zero from %z] strides [5, 1] {KIND}""")
    assert np.array_equal(run(text), WHOLE)
    half = text.replace("write %b", "write %a")
    assert refused(half, {"x": X, "z": OLD, "l": np.zeros(4, np.int32)}).id == "undefined-value"
    clipped = half.replace("strides [5, 1] :", "strides [5, 1] clip [0, 0] to [4, 3] :")
    assert np.array_equal(run(clipped), np.where(COLUMNS < 3, WHOLE, OLD))


def test_a_core_reaches_the_scratchpad_of_another() -> None:
    text = kernel(
        f"""
      %t = dataflow.tile_id
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %o = affine.apply affine_map<(t) -> (t * 6)>(%t)
      %a = dataflow.read {BOX} {KIND}
      dataflow.write %a, @lx[%zero] strides [5, 1] put %t {KIND}
      %b = dataflow.read @lx[%zero] strides [5, 1] get %t {KIND}
      %last = arith.cmpi eq, %t, %one : index
      scf.if %last {{
        %c = dataflow.read @lx[%zero] strides [5, 1] get %one {KIND}
        dataflow.write %c, @device[%zero from %z] strides [5, 1] {KIND}
      }}""",
        grid=2,
    )
    assert np.array_equal(run(text), X[1:5, :5])
    values = {"x": X, "z": OLD, "l": np.zeros(4, np.int32)}
    assert refused(text.replace("put %t", "put %zero"), values).id in ("race", "equal-writes")
    far = text.replace("%one = arith.constant 1", "%one = arith.constant 77")
    assert refused(far.replace("eq, %t, %one", "ne, %t, %one"), values).id == "out-of-lx"
