"""Views with sizes, strides or a start that the numbers of a launch decide: what they ask for, and that they run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from launching import execute

import spyrec
from spyrec import driver
from spyrec.errors import InvalidKernel

ADD = """
#line = affine_set<(i)[n] : (i >= 0, -i + n - 1 >= 0)>
#tile = affine_set<(i) : (i >= 0, -i + 63 >= 0)>
#same = affine_map<(i) -> (i)>
#global = #ktdp.memory_space<global>
func.func @add(%x: index, %y: index, %z: index, %n: i32) attributes {grid = [4]} {
  %t = ktdp.get_compute_tile_id : index
  %size = arith.index_cast %n : i32 to index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %first = arith.muli %t, %c64 : index
  scf.for %i = %first to %size step %c256 {
VIEWS
    %a = ktdp.load %xt : <64xindex> -> tensor<64xf32>
    %b = ktdp.load %yt : <64xindex> -> tensor<64xf32>
    %c = arith.addf %a, %b : tensor<64xf32>
    ktdp.store %c, %zt : tensor<64xf32>, <64xindex>
  }
  return
}
""".replace(
    "VIEWS",
    "\n".join(
        f"    %{v}v = ktdp.construct_memory_view %{v}, sizes: [%size], strides: [1]"
        " {coordinate_set = #line, memory_space = #global} : memref<?xf32>\n"
        f"    %{v}t = ktdp.construct_access_tile %{v}v[%i]"
        " {access_tile_set = #tile, access_tile_order = #same} : memref<?xf32> -> !ktdp.access_tile<64xindex>"
        for v in "xyz"
    ),
)

BOX = """
#box = affine_set<(r, c)[n, m] : (r >= 0, -r + n - 1 >= 0, c >= 0, -c + m - 1 >= 0)>
#tile = affine_set<(r, c) : (r >= 0, -r + 7 >= 0, c >= 0, -c + 7 >= 0)>
#same = affine_map<(r, c) -> (r, c)>
#global = #ktdp.memory_space<global>
func.func @box(%x: index, %z: index, %n: index, %m: index, %k: i32) attributes {grid = [1]} {
  %one = arith.constant 1 : index
  %from = arith.index_cast %k : i32 to index
  %pitch = arith.muli %m, %from : index
  %rows = arith.addi %n, %one : index
  %cut = arith.minsi %n, %m : index
  %at = arith.addi %z, %from : index
  %xv = ktdp.construct_memory_view %x, sizes: [%rows, %m], strides: [%pitch, %from] {coordinate_set = #box, memory_space = #global} : memref<?x?xi32>
  %zv = ktdp.construct_memory_view %at, sizes: [%cut, %m], strides: [%m, 1] {coordinate_set = #box, memory_space = #global} : memref<?x?xi32>
  %xt = ktdp.construct_access_tile %xv[0, 0] {access_tile_set = #tile, access_tile_order = #same} : memref<?x?xi32> -> !ktdp.access_tile<8x8xindex>
  %zt = ktdp.construct_access_tile %zv[0, 0] {access_tile_set = #tile, access_tile_order = #same} : memref<?x?xi32> -> !ktdp.access_tile<8x8xindex>
  %a = ktdp.load %xt : <8x8xindex> -> tensor<8x8xi32>
  ktdp.store %a, %zt : tensor<8x8xi32>, <8x8xindex>
  return
}
"""  # noqa: E501


@pytest.mark.parametrize("n", [0, 1, 63, 64, 65, 1000])
def test_a_vector_of_any_length(n: int) -> None:
    x, y = (np.arange(n, dtype=np.float32) + k for k in range(2))
    out = spyrec.compile(ADD).run({"x": x, "y": y, "n": n})["z"]
    assert out.shape == (n,)
    assert np.array_equal(out, x + y)


@pytest.mark.parametrize(("n", "m", "k"), [(3, 4, 1), (3, 4, 3), (1, 8, 2), (7, 2, 1), (2, 9, 2), (12, 3, 1)])
def test_what_is_computed_from_numbers(n: int, m: int, k: int) -> None:
    """Ends are those that the executor of the kernel as written finds, which evaluates the text."""
    rows, cut = n + 1, min(n, m)
    needed = n * m * k + (m - 1) * k + 1
    x = np.arange(needed, dtype=np.int32) + 1
    values: dict[str, Any] = {"x": x, "n": n, "m": m, "k": k}
    out = spyrec.compile(BOX).run(values)["z"]
    assert len(out) == k + cut * m
    expected = np.full(len(out), -1, np.int32)
    for r in range(min(rows, cut, 8)):
        for c in range(min(m, 8)):
            expected[k + r * m + c] = x[r * m * k + c * k]
    assert np.array_equal(out, expected)
    assert np.array_equal(execute(BOX, values)["z"][: len(out)], expected)


def test_an_array_that_is_too_small_for_the_numbers() -> None:
    code, x = spyrec.compile(ADD), np.zeros(99, np.float32)
    assert len(code.run({"x": x, "y": x, "n": 99})["z"]) == 99
    with pytest.raises(InvalidKernel, match=r"'y' has 396 bytes \(99 elements\); the views reach 400 bytes"):
        code.run({"x": np.zeros(100, np.float32), "y": x, "n": 100})


def test_saved_and_loaded(tmp_path: Any) -> None:
    spyrec.compile(ADD).save(tmp_path / "add.spyre")
    x = np.ones(70, np.float32)
    assert np.array_equal(spyrec.load(tmp_path / "add.spyre").run({"x": x, "y": x, "n": 70})["z"], x + x)


TYPE = "<index, granularity=64, upperbound=4096>"
PROMISED = (
    ADD.replace("%n: i32", f"%n: !ktdp.runtime_arg{TYPE}")
    .replace("arith.index_cast %n : i32 to index", f"ktdp.runtime_arg_extract value from %n : {TYPE} -> index")
    .replace("arith.constant 64 : index", f"ktdp.runtime_arg_extract granularity from %n : {TYPE} -> index")
)


@pytest.mark.parametrize("n", [0, 64, 640])
def test_a_runtime_argument(n: int) -> None:
    x = np.arange(n, dtype=np.float32)
    values = {"x": x, "y": x, "n": n}
    assert np.array_equal(spyrec.compile(PROMISED).run(values)["z"], x + x)
    assert np.array_equal(execute(PROMISED, values)["z"], x + x)


def test_what_it_promises_proves_bounds() -> None:
    """A multiple of 64 has no tile of 64 that sticks out."""
    plain, promised = (
        driver.compile_text(text, "k.mlir", driver.Options(emit="kernel")).text for text in (ADD, PROMISED)
    )
    assert " clip " in str(plain)
    assert " clip " not in str(promised)


@pytest.mark.parametrize(
    ("n", "message"), [(100, "is 100: the kernel counts on a multiple of 64"), (8192, "is 8192: .* on at most 4096")]
)
def test_a_launch_that_breaks_the_promise(n: int, message: str) -> None:
    x = np.zeros(n, np.float32)
    values = {"x": x, "y": x, "n": n}
    with pytest.raises(InvalidKernel, match=message):
        spyrec.compile(PROMISED).run(values)
    with pytest.raises(InvalidKernel, match=message):
        execute(PROMISED, values)
