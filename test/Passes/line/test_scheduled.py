"""Kernels on tensors that reduce, contract, carry and cut: what the passes to `schedule` and on make of them."""

from __future__ import annotations

import pytest
from scheduled import KERNELS, Kernel, steps
from target import Arrays
from test_line import elements_of

from spyrec import asm
from spyrec.passkit import pipeline


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


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_each_pass_keeps_the_bits_and_does_nothing_twice(kernel: Kernel) -> None:
    module, function, ctx = kernel.at("kernel")
    wanted = {str(scalars): bits(kernel.execute(function, scalars)) for scalars in kernel.scalars}
    with module.context:
        for element in (e for step in steps("kernel", "schedule") for e in elements_of(step)):
            pipeline.parse(element).run(module.operation, ctx, verify_each=True)
            for scalars in kernel.scalars:
                assert bits(kernel.execute(function, scalars)) == wanted[str(scalars)], element
            first = asm.print_op(module.operation)
            pipeline.parse(element).run(module.operation, ctx, verify_each=True)
            assert asm.print_op(module.operation) == first, element


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_buffers_that_are_never_alive_together_share_bytes(kernel: Kernel) -> None:
    apart, shared = (kernel.artifact(assign_addresses=f"share={how}") for how in ("never", "always"))
    tops = [max(buffer.end for buffer in artifact.program.buffers) for artifact in (apart, shared)]
    assert tops[1] < tops[0]
    for scalars in kernel.scalars:
        first = kernel.run("kernel", scalars)
        for shuffle in (None, 1):
            assert bits(kernel.binary(shared, scalars, shuffle)) == bits(first)
