"""Elements of a box that meet in memory: the last in the order of the box stays, whatever has become a loop."""

from __future__ import annotations

import numpy as np
import pytest

import spyrec

VIEW = "{coordinate_set = #all, memory_space = #global} : memref<4x3xi32>"
TILE = "{access_tile_set = #all, access_tile_order = #same} : memref<4x3xi32> -> !ktdp.access_tile<4x3xindex>"
KERNEL = f"""
#all = affine_set<(r, c) : (r >= 0, -r + 3 >= 0, c >= 0, -c + 2 >= 0)>
#same = affine_map<(r, c) -> (r, c)>
#global = #ktdp.memory_space<global>
func.func @k(%x: index, %z: index, %n: index) attributes {{grid = [1]}} {{
  %xv = ktdp.construct_memory_view %x, sizes: [4, 3], strides: [3, 1] {VIEW}
  %zv = ktdp.construct_memory_view %z, sizes: [4, 3], strides: [STRIDES] {VIEW}
  %xt = ktdp.construct_access_tile %xv[0, 0] {TILE}
  %zt = ktdp.construct_access_tile %zv[0, 0] {TILE}
  %a = ktdp.load %xt : <4x3xindex> -> tensor<4x3xi32>
  ktdp.store %a, %zt : tensor<4x3xi32>, <4x3xindex>
  return
}}
"""
X = np.arange(1, 13, dtype=np.int32).reshape(4, 3)


def written(rows: int, columns: int) -> list[int]:
    image = np.full(24, -1, np.int32)
    for row, values in enumerate(X):
        for column, value in enumerate(values):
            image[row * rows + column * columns] = value
    return list(image)


@pytest.mark.parametrize("n", [1, 2, 4])
@pytest.mark.parametrize("strides", ["1, %n", "%n, 1", "%n, %n"])
def test_the_last_in_order_stays(strides: str, n: int) -> None:
    code = spyrec.compile(KERNEL.replace("STRIDES", strides))
    out = code.run({"x": X, "z": np.full(24, -1, np.int32), "n": n})
    assert list(out["z"]) == written(*(n if stride == "%n" else 1 for stride in strides.split(", ")))
