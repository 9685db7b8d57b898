"""Kernels on tensors that reduce, contract, carry and cut: what the passes to `schedule` and on make of them."""

from __future__ import annotations

import pytest
from scheduled import KERNELS, Kernel
from target import Arrays


def bits(arrays: Arrays) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in arrays.items()}


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_kernel_and_schedule_store_the_same_bits(kernel: Kernel) -> None:
    for scalars in kernel.scalars:
        first = kernel.run("kernel", scalars)
        kernel.check(first, scalars)
        assert bits(kernel.run("schedule", scalars, seed=1)) == bits(first)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_program_and_binary_store_the_same_bits(kernel: Kernel) -> None:
    artifact = kernel.artifact()
    for scalars in kernel.scalars:
        first = kernel.run("kernel", scalars)
        assert bits(kernel.run("program", scalars, seed=1)) == bits(first)
        for shuffle in (None, 1, 2):
            assert bits(kernel.binary(artifact, scalars, shuffle)) == bits(first)
