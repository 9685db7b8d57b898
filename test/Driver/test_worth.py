"""``--worth``: what is printed of a pass is what a run without it takes."""

from pathlib import Path

import pytest

from spyrec import spyrecode
from spyrec.cli.main import main
from spyrec.driver import Options, compile_text, execute, tuning, worth

ADD = Path(__file__).resolve().parents[2] / "examples" / "add.mlir"


def test_each_is_left_out_in_turn_and_the_launch_stays_as_it_is() -> None:
    text = ADD.read_text()
    options = Options(tuning=("cse=off",))
    artifact = compile_text(text, ADD.name, options).artifact
    launch = spyrecode.bind(artifact.signature, {}, {}, seed=0)
    before = launch.outputs()["z_ptr"].tobytes()
    found = {w.name: w for w in worth.measured(text, ADD.name, options, launch)}
    assert set(found) == set(tuning.optimizations()) - {"cse"}
    assert launch.outputs()["z_ptr"].tobytes() == before
    without = compile_text(text, ADD.name, Options(tuning=("cse=off", "choose-buffer-depth=off"))).artifact
    with_all = execute.run_binary(artifact, launch.copy()).cycles
    assert found["choose-buffer-depth"].cycles == execute.run_binary(without, launch.copy()).cycles > with_all
    assert not any(w.still for w in found.values())


def test_what_does_not_fit_without_its_tiles_is_cut_as_far_as_needed() -> None:
    kernel = ADD.with_name("swish_gate.mlir")
    small = Options(settings=("device.lx.size=512",))
    artifact = compile_text(kernel.read_text(), kernel.name, small).artifact
    launch = spyrecode.bind(artifact.signature, {}, {}, seed=0)
    found = {w.name: w for w in worth.measured(kernel.read_text(), kernel.name, small, launch)}
    assert found["choose-tile-sizes"].still


def test_what_changes_nothing_is_one_line() -> None:
    runs = [worth.Without("a", 20), worth.Without("b", 10), worth.Without("c", None), worth.Without("d", 15, True)]
    assert worth.render(10, [*runs, worth.Without("e", 10)]).splitlines() == [
        "10 cycles; without",
        "  a                                  20    2.00 times as long",
        "  c                             it does not fit",
        "  d                                  15    1.50 times as long  (as far as LX asks for, it still ran)",
        "  as long without any one of b, e",
    ]


def test_it_stands_behind_the_result(capfd: pytest.CaptureFixture[str]) -> None:
    tuned = [f"--tune={name}=off" for name in tuning.optimizations() if name != "choose-buffer-depth"]
    assert main(["run", str(ADD), "--worth", "--seed=0", "--check", *tuned]) == 0
    cycles, head, line, check = capfd.readouterr().out.splitlines()[-4:]
    assert head == f"{cycles}; without"
    assert line.split()[0] == "choose-buffer-depth"
    assert check.endswith("equal bits")
