"""Texts that are almost right are refused at a place, or read and come back; the reader has no third outcome."""

import pytest
from mutate import mutants
from texts import context

from spyrec import asm
from spyrec.errors import InvalidKernel


@pytest.mark.parametrize("seed", range(4))
def test_mutants(seed: int) -> None:
    refused = 0
    for text in mutants(seed, 100):
        try:
            module = asm.read(text, "in.mlir", context()).module
        except InvalidKernel as error:
            found = error.diagnostics
        else:
            found = ()
        if found:
            refused += 1
            assert all(d.position is not None and d.message for d in found)
            continue
        out = asm.print_op(module)
        assert asm.print_op(asm.read(out, "out.mlir", context()).module) == out
    assert refused > 50
