"""Kernels of every style against NumPy written from the maths, in several orders of the tiles."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import pytest
from launching import execute

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "semantics"))
from references import KERNELS

FAST = [name for name in KERNELS if name != "softmax_splat"]


def close(got: np.ndarray, want: np.ndarray, tolerance: float) -> bool:
    """Equal, or apart by no more than ``tolerance`` of the largest magnitude."""
    if not tolerance:
        return bool(np.array_equal(got.reshape(want.shape), want))
    apart = np.abs(got.reshape(want.shape).astype(np.float64) - want).max()
    return bool(apart <= tolerance * np.abs(want).max())


def check(name: str, seed: int | None) -> dict[str, bytes]:
    kernel = KERNELS[name]
    values = kernel.inputs(np.random.default_rng(11))
    want = kernel.reference({k: np.copy(v) if isinstance(v, np.ndarray) else v for k, v in values.items()})
    got = execute(kernel.path.read_text(encoding="utf-8"), values, seed=seed)
    for array, expected in want.items():
        assert close(got[array], expected, kernel.tolerance), (name, array)
    return {array: got[array].tobytes() for array in want}


@pytest.mark.parametrize("name", FAST)
def test_the_kernel_computes_what_numpy_does_in_any_order_of_tiles(name: str) -> None:
    assert check(name, None) == check(name, 1) == check(name, 2)


def test_a_softmax_of_4096_rows_takes_seconds() -> None:
    begin = time.process_time()
    check("softmax_splat", None)
    assert time.process_time() - begin < 30  # about three; an executor that loops over elements takes minutes


def test_every_file_has_a_reference() -> None:
    folder = KERNELS["rope"].path.parent
    assert sorted(p.stem for p in folder.glob("*.mlir")) == sorted(KERNELS)
