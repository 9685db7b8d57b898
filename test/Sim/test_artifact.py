"""A saved artifact runs: decoded from its bytes, on its own device, with the bank that its plan computes."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest
from assembled import FILE, add_rows, device, without_channel

from spyrec import sim
from spyrec.errors import InvalidKernel, Position
from spyrec.isa import Binary
from spyrec.spyrecode import Artifact, Bank, Step, from_bytes

KTIR = Position(FILE, 7, 3)
PYTHON = Position("kernel.py", 27, 12)


def artifact(binary: Binary) -> Artifact:
    """``binary`` with one parameter per argument, every instruction from line 27 of a Python file."""
    kernel = add_rows()
    bank = Bank(tuple(Step("index", arg=k) for k in range(3)), (0, 1, 2))
    locations = {u.label: [(PYTHON, KTIR)] * len(u.code) for u in binary.units}
    made = Artifact.make(replace(binary, parameters=3), bank, kernel.launch().signature, device(), locations)
    return from_bytes(made.to_bytes())


@pytest.mark.parametrize("shuffle", [None, 1])
def test_a_saved_artifact_runs(shuffle: int | None) -> None:
    kernel = add_rows()
    bound = kernel.launch()
    result = sim.run(artifact(kernel.binary), bound, shuffle=shuffle)
    assert bound.outputs()["z"].tobytes() == kernel.expected["z"].tobytes()
    assert result.cycles == result.report["cycles"] > 0
    assert (result.report["kernel"], result.report["shuffle"]) == ("kernel", shuffle)


def test_a_fault_shows_the_users_file_first_and_the_ktir_line_as_a_note() -> None:
    kernel = add_rows()
    with pytest.raises(InvalidKernel) as caught:
        sim.run(artifact(without_channel(kernel.binary, 4)), kernel.launch())
    (found,) = caught.value.diagnostics
    assert (found.id, found.position) == ("race", PYTHON)
    assert [n.position for n in found.notes] == [KTIR, PYTHON]


def test_running_an_artifact_loads_no_mlir() -> None:
    code = "import sys, spyrec.sim; sys.exit(any('mlir' in name for name in sys.modules))"
    subprocess.run([sys.executable, "-c", code], check=True)
